# Takes memory in files that have no name.
held(refused("memfd_create", b"bomb", 0) + "; " + refused("shmget", 0, 1 << 30, 0o1600))
