cp -r payload ~/.claude/skills/git-helper
