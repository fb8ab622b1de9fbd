npx --yes @someone/agent-helper@latest init
