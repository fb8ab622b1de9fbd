# Writes a map of users.
held("; ".join(tries(write, f"/proc/{who}/{file}", "0 0 1", os.O_WRONLY) for who in ("self", os.getpid()) for file in ("uid_map", "gid_map", "setgroups")))
