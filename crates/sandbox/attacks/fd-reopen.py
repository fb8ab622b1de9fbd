# Opens a read-only file again through /proc/self/fd, for writing.
descriptor = os.open(FACTS["project"] + "/file", os.O_RDONLY)
held("; ".join(tries(write, f"/proc/{who}/fd/{descriptor}", "owned", os.O_WRONLY) for who in ("self", "thread-self", os.getpid())))
