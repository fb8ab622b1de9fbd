# Types for the user.
import fcntl

why = []
for descriptor in range(3):
    for request in (0x5412, 0x541C, 0x5412 | 1 << 32):
        ctypes.set_errno(0)
        if libc.ioctl(descriptor, ctypes.c_ulong(request), b"x") >= 0:
            escaped(f"{descriptor} {request:#x}")
        why.append(name(ctypes.get_errno()))
held(", ".join(sorted(set(why))))
