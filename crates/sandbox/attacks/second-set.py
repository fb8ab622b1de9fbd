# Makes calls of the 32-bit pointer set.
if platform.machine() != "x86_64":
    held("does not exist on this processor")
for what, arguments in (("getpid", ()), ("unshare", (0x10000000,)), ("socket", (2, 1, 0)), ("mount", (b"none", b"/tmp", b"tmpfs", 0, 0))):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(NUMBERS[what] | 0x40000000), *arguments)
    if result >= 0:
        escaped(f"{what} returned {result}")
held(name(ctypes.get_errno()))
