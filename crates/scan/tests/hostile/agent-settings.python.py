open(home + "/.claude/settings.local.json", "w").write(text)
