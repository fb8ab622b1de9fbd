# Watches files of the host.
inotify = libc.inotify_init()
for path in (FACTS["canary"], FACTS["outside"], FACTS["home"]):
    ctypes.set_errno(0)
    if libc.inotify_add_watch(inotify, path.encode(), 0xFFF) >= 0:
        escaped(f"watches {path}")
held("inotify: no such path; " + refused("fanotify_init", 0, 0))
