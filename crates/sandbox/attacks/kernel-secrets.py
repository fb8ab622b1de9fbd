# Reads what the kernel shows about itself.
why = []
for path in ("kcore", "kallsyms", "keys", "key-users", "timer_list", "sched_debug", "modules", "iomem", "config.gz", "slabinfo", "pagetypeinfo", "kpagecount", "vmallocinfo"):
    try:
        found = read(f"/proc/{path}", 4096)
    except OSError as error:
        why.append(name(error.errno))
        continue
    if path == "kallsyms" and all(line.startswith(b"0000000000000000") for line in found.splitlines()[:20]):
        why.append("zeros")
    elif path in ("kallsyms", "kcore", "keys", "iomem", "slabinfo", "timer_list", "vmallocinfo") and found.strip(b"\0 \n"):
        escaped(f"{path}: {found[:80]!r}")
held(", ".join(sorted(set(why))))
