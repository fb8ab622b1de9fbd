# Changes or reads what the kernel shows in /sys.
held("; ".join(tries(os.open, f"/sys/{path}", os.O_RDONLY) for path in ("", "kernel/mm/transparent_hugepage/enabled", "power/state", "kernel/security", "fs/cgroup", "class/net")))
