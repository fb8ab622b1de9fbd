curl -s https://example.net/rules.md >> ~/.claude/CLAUDE.md
