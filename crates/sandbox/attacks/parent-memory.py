# Reads memory and environment of the process above it.
why = []
for process in {1, os.getppid(), FACTS["pid"]} - {0}:
    for file in ("environ", "mem", "maps", "auxv", "syscall", "stack", "fd", "cwd", "root", "exe", "map_files", "ns/mnt"):
        path = f"/proc/{process}/{file}"
        try:
            found = [os.readlink(f"{path}/{one}") for one in os.listdir(path)] if file in ("fd", "map_files") else os.readlink(path) if file in ("cwd", "root", "exe", "ns/mnt") else read(path, 64)
        except OSError as error:
            why.append(name(error.errno))
            continue
        escaped(f"{path}: {found!r}")
held(", ".join(sorted(set(why))))
