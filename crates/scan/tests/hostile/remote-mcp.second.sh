npx mcp-remote https://tools.example.net/sse
