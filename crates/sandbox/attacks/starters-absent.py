# Makes what other programs start code from, where it is not there: by a name, and by giving a directory such a name.
project = FACTS["project"]
files = [
    ".cursor/mcp.json", ".gemini/settings.json", "opencode.json", ".zed/settings.json", ".codex/config.toml",
    ".cursor/skills/x", ".husky/pre-commit", ".cargo/config.toml", ".cargo/config", ".devcontainer/devcontainer.json",
    ".github/workflows/x.yml", ".github/hooks/x.json", ".github/actions/x", ".gitlab-ci.yml", ".pre-commit-config.yaml",
    ".cursorrules", "a.code-workspace", ".npmrc", ".opencode/plugins/x.js", ".agents/plugins/x", ".claude-plugin/plugin.json",
    ".windsurf/skills/x", ".GitHub/Workflows/x.yml", ".Cargo/CONFIG.toml", ".CURSOR/mcp.json",
]
why = []
for place in (project, project + "/docs", project + "/new"):
    os.makedirs(place, exist_ok=True)
    for path in files:
        first, _, rest = path.partition("/")
        full = f"{place}/{path}"
        # A directory with this content, which then gets the name.
        made = f"{place}/made"
        os.makedirs(f"{made}/{os.path.dirname(rest)}" if rest else made)
        write(f"{made}/{rest}" if rest else f"{made}/x")
        why += [tries(os.rename, made, f"{place}/{first}"), tries(os.symlink, "made", f"{place}/{first}")]
        result, error = call("renameat2", -100, made.encode(), -100, f"{place}/{first}".encode(), 1)
        if result == 0:
            escaped(f"renamed to {first}")
        os.unlink(f"{made}/{rest}" if rest else f"{made}/x")
        inner = os.path.dirname(rest)
        if inner:
            os.rmdir(f"{made}/{inner}")
        os.rmdir(made)
        # The whole path, where the directories above may be made and stay empty.
        why += [tries(os.makedirs, full), tries(os.symlink, "x", full)]
        try:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            write(full)
            escaped(full)
        except OSError as error:
            why.append(name(error.errno))
        for empty in (os.path.dirname(full), f"{place}/{first}"):
            if empty != place and os.path.isdir(empty) and not os.listdir(empty):
                os.rmdir(empty)
os.rmdir(project + "/new")
held("; ".join(sorted(set(why))))
