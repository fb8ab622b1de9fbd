# Makes a device of its own.
import stat

why = []
for kind, device in ((stat.S_IFBLK, os.makedev(254, 0)), (stat.S_IFBLK, os.makedev(8, 0)), (stat.S_IFCHR, os.makedev(1, 1)), (stat.S_IFCHR, os.makedev(5, 0))):
    why.append(tries(os.mknod, "/tmp/device", 0o600 | kind, device))
held("; ".join(why))
