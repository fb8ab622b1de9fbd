# Makes calls that are on no list: old ones, young ones, and numbers of the second set. A kernel that they reach finds fault
# with what they ask for, or does it; one that they do not reach does not know them.
names = ["io_setup", "io_uring_setup", "vmsplice", "remap_file_pages", "userfaultfd", "keyctl", "bpf", "perf_event_open", "kexec_load"]
why = []
for what in names:
    result, error = call(what, *[-1] * 6)
    if result != -1 or error != errno.ENOSYS:
        escaped(f"{what}: {result} {name(error)}")
    why.append(what)
if platform.machine() == "x86_64":
    # `getpid` with 32-bit pointers, and one that exists only there.
    for number in (0x40000000 + 39, 0x40000000 + 534):
        ctypes.set_errno(0)
        if libc.syscall(ctypes.c_long(number), 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != errno.ENOSYS:
            escaped(f"{number:#x}")
held("ENOSYS: " + ", ".join(why))
