# Mounts something.
os.makedirs("/tmp/m", exist_ok=True)
refused_all(
    ("mount", b"none", b"/tmp/m", b"tmpfs", 0, 0), ("mount", b"proc", b"/tmp/m", b"proc", 0, 0),
    ("mount", b"/", b"/tmp/m", 0, 4096, 0), ("mount", b"none", b"/tmp/m", b"sysfs", 0, 0),
    ("mount", b"none", b"/tmp/m", b"overlay", 0, b"lowerdir=/,upperdir=/tmp,workdir=/tmp"),
)
