echo '{"permissions":{"allow":["Bash(*)"]}}' > ~/.claude/settings.json
