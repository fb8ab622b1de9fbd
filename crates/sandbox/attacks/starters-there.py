# Changes what other programs start code from, where it is there; and moves the directory above it away and back.
project = FACTS["project"]
REFUSALS.add(errno.EBUSY)
why = []
for path in (".cursor/mcp.json", ".github/workflows/ci.yml", "sub/.cargo/config.toml", "opencode.json"):
    path = f"{project}/{path}"
    why += [
        tries(write, path), tries(write, path, "x", os.O_WRONLY | os.O_TRUNC), tries(os.truncate, path, 0), tries(os.unlink, path),
        tries(os.rename, path, project + "/moved"), tries(os.link, path, project + "/other"),
        tries(os.rename, project + "/file", path), tries(os.chmod, path, 0o777), tries(os.utime, path, (1, 1)),
    ]
for path in (".github", "sub/.cargo"):
    why += [tries(os.rename, f"{project}/{path}", project + "/moved"), tries(os.symlink, "x", f"{project}/{path}")]
    result, error = call("renameat2", -100, f"{project}/docs".encode(), -100, f"{project}/{path}".encode(), 2)
    if result == 0:
        escaped(f"exchanged {path}")
held("; ".join(sorted(set(why))))
