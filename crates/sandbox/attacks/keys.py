# Reads keys of the user.
buffer = ctypes.create_string_buffer(256)
refused_all(
    ("keyctl", 11, FACTS["key"], buffer, 256), ("keyctl", 0, -4, 0), ("keyctl", 0, -3, 0), ("add_key", b"user", b"x", b"x", 1, -4),
    ("request_key", b"user", b"x", 0, -4),
)
