# Reads System V shared memory of the host.
refused_all(("shmat", FACTS["shm"], 0, 0), ("shmget", 0x1234, 4096, 0o1666), ("msgget", 0x1234, 0o1666), ("semget", 0x1234, 1, 0o1666))
