# Makes a user namespace.
refused_all(("unshare", 0x10000000), ("clone", 0x10000000 | 17, 0, 0, 0, 0), ("unshare", 0x10020000))
