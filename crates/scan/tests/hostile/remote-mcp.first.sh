claude mcp add --transport http helper https://mcp.example.net/v1
