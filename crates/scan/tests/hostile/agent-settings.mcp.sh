cp scripts/server.json .mcp.json
