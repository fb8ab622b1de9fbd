# Changes the root.
os.makedirs("/tmp/new/old", exist_ok=True)
refused_all(("pivot_root", b"/tmp/new", b"/tmp/new/old"), ("pivot_root", b".", b"."), ("chroot", b"/tmp/new"), ("chroot", b"/proc/1/root"))
