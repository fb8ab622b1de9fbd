# Changes what git, editors and agents trust, where it is there.
project = FACTS["project"]
# What a mount lies on can be neither moved nor removed.
REFUSALS.add(errno.EBUSY)
why = []
there = [
    ".git/config", ".git/hooks/pre-commit", "AGENTS.md", "sub/.git/config", "sub/deep/prowess.toml", "pointer/.git",
    "pointer/.bare/config", "docs/rules.md", "docs/AGENTS.md",
]
for path in there:
    path = f"{project}/{path}"
    file = os.open(path, os.O_RDONLY)
    why += [
        tries(write, path), tries(write, path, "x", os.O_WRONLY | os.O_TRUNC), tries(write, path, "x", os.O_RDWR | os.O_APPEND),
        tries(os.truncate, path, 0), tries(os.unlink, path), tries(os.rename, path, project + "/moved"),
        tries(os.link, path, project + "/other"), tries(lambda: os.link(f"/proc/self/fd/{file}", project + "/other", src_dir_fd=file)),
        tries(write, f"/proc/self/fd/{file}"), tries(write, f"/dev/fd/{file}"), tries(os.rename, project + "/file", path),
        tries(os.chmod, path, 0o777), tries(os.utime, path, (1, 1)),
        tries(os.open, os.path.dirname(path) + "/fresh", os.O_CREAT | os.O_WRONLY) if "/.git/" in path or "/.bare/" in path else "",
    ]
for path in (".git", "sub/.git", "pointer/.bare", ".git/hooks"):
    path = f"{project}/{path}"
    why += [tries(os.rename, path, project + "/moved"), tries(os.rmdir, path), tries(os.mkdir, path + "/fresh"), tries(os.symlink, "x", path + "/fresh")]
# The directory above one may move, and what is in it stays as it is.
os.rename(project + "/sub", project + "/moved")
why += [tries(write, project + "/moved/.git/config")]
os.mkdir(project + "/sub")
why += [tries(os.mkdir, project + "/sub/.git"), tries(write, project + "/sub/.git")]
os.rmdir(project + "/sub")
os.rename(project + "/moved", project + "/sub")
# Through links, other names of the directory, and a descriptor of it.
os.symlink(".git", project + "/link")
directory = os.open(project + "/.git", os.O_RDONLY)
os.chdir(project + "/.git")
why += [
    tries(write, project + "/link/config"), tries(write, project + "/./sub/../.git//config"), tries(write, "config"),
    tries(lambda: os.open("config", os.O_WRONLY, dir_fd=directory)), tries(os.unlink, "config"),
]
os.unlink(project + "/link")
held("; ".join(sorted(set(why))))
