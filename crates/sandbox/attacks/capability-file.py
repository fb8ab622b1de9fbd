# Gives a file capabilities by an extended attribute.
path = f"{FACTS['project']}/attribute-{os.getpid()}"
write(path)
file = os.open(path, os.O_RDONLY)
value = b"\x01\x00\x00\x02" + b"\xff" * 16
attribute = b"security.capability"
# The newest call has its value behind a pointer: the value, its size, flags.
text = ctypes.create_string_buffer(value)
behind = (ctypes.c_ulonglong * 2)(ctypes.addressof(text), len(value))
why = []
try:
    for attribute in (b"security.capability", b"user.mark"):
        why += [
            refused("setxattr", path.encode(), attribute, value, len(value), 0),
            refused("lsetxattr", path.encode(), attribute, value, len(value), 0),
            refused("fsetxattr", file, attribute, value, len(value), 0),
            refused("setxattrat", -100, path.encode(), 0, attribute, behind, 16),
        ]
finally:
    os.unlink(path)
held("; ".join(why))
