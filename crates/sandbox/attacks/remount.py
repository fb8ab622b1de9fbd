# Mounts the skill and the project again, writable.
refused_all(
    ("mount", b"none", FACTS["skill"].encode(), 0, 4096 | 32, 0), ("mount", b"none", FACTS["project"].encode(), 0, 4096 | 32, 0),
    ("mount", b"none", b"/usr", 0, 4096 | 32, 0), ("mount", b"none", b"/", 0, 32, 0),
)
