# Changes settings of the kernel.
paths = ("kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "vm/overcommit_memory", "kernel/randomize_va_space", "fs/protected_symlinks", "kernel/pid_max", "user/max_user_namespaces", "net/ipv4/ip_forward", "kernel/ns_last_pid")
held("; ".join(sorted({tries(os.open, f"/proc/sys/{path}", os.O_WRONLY).split(": ")[1] for path in paths} | {tries(os.open, "/proc/sysrq-trigger", os.O_WRONLY)})))
