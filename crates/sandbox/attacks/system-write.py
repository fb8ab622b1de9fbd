# Changes the system.
places = ("/usr/bin/evil", "/bin/sh", "/lib/evil.so", "/etc/passwd", "/etc/ld.so.preload", "/etc/ld.so.cache", "/evil", "/dev/evil", "/run/evil", "/var/evil", "/proc/evil")
held("; ".join(tries(write, path) for path in places))
