# Changes the system.
# A program that runs somewhere cannot be written either (ETXTBSY), so none that might is among them.
places = (
    "/usr/bin/evil", "/usr/share/evil", "/usr/lib/evil.so", "/bin/evil", "/lib/evil.so", "/etc/passwd", "/etc/group",
    "/etc/ld.so.preload", "/etc/ld.so.cache", "/evil", "/dev/evil", "/run/evil", "/var/evil", "/proc/evil",
)
why = [tries(write, path) for path in places]
why += [tries(os.chmod, "/bin/sh", 0o777), tries(os.unlink, "/usr/bin/env"), tries(os.rename, "/usr/bin/env", "/usr/bin/env2")]
held("; ".join(why))
