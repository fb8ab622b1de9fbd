# Makes what git, editors and agents trust, where it is not there.
project = FACTS["project"]
names = [
    ".git", ".hg", ".jj", "prowess.toml", "AGENTS.md", ".mcp.json", ".envrc", ".vscode", ".agents", ".claude", ".prowess",
    ".GIT", "agents.md", "Prowess.TOML", "CLAUDE.md",
]
os.makedirs(project + "/made/deep")
write(project + "/plain")
os.mkdir(project + "/directory")
unnamed = os.open(project, os.O_TMPFILE | os.O_RDWR, 0o600)
why = []
for place in (project, project + "/docs", project + "/made", project + "/made/deep"):
    deep = os.open(place, os.O_RDONLY)
    for short in names:
        path = f"{place}/{short}"
        if os.path.lexists(path):
            continue
        os.symlink(path, project + "/dangling")
        why += [
            tries(write, path), tries(os.mkdir, path), tries(os.symlink, "plain", path), tries(os.link, project + "/plain", path),
            tries(os.rename, project + "/plain", path), tries(os.rename, project + "/directory", path), tries(os.mkfifo, path),
            tries(os.mkdir, path + "/"), tries(write, project + "/dangling"), tries(os.makedirs, path + "/hooks"),
            tries(lambda: os.open(short, os.O_CREAT | os.O_WRONLY, dir_fd=deep)), tries(lambda: os.mkdir(short, dir_fd=deep)),
            tries(lambda: os.link(f"/proc/self/fd/{unnamed}", path, src_dir_fd=deep)),
            tries(lambda: os.rename("plain", short, src_dir_fd=os.open(project, os.O_RDONLY), dst_dir_fd=deep)),
        ]
        os.unlink(project + "/dangling")
        if os.path.lexists(path):
            escaped(path)
        # The exchange of two names.
        result, error = call("renameat2", -100, (project + "/plain").encode(), -100, path.encode(), 2)
        if result == 0:
            escaped(f"exchanged {path}")
    os.close(deep)
os.unlink(project + "/plain")
os.rmdir(project + "/directory")
os.rmdir(project + "/made/deep")
os.rmdir(project + "/made")
held("; ".join(sorted(set(why))))
