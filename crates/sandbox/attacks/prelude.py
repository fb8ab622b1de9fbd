# Stands before each attack. FACTS, a dictionary about what must not be reached, is set by whoever runs it.
import ctypes
import errno
import os
import platform
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

# What a refusal looks like. Anything else means that the attack was made wrongly, not that it was stopped.
REFUSALS = {
    errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EROFS, errno.ENOENT, errno.ESRCH, errno.ENOSPC, errno.EAGAIN,
    errno.ENOMEM, errno.EMFILE, errno.EFBIG, errno.EAFNOSUPPORT, errno.EXDEV, errno.ENXIO, errno.ENETUNREACH,
    errno.ENODEV, errno.ENOTTY, errno.ECHILD, errno.EDQUOT, errno.ENFILE, errno.EOPNOTSUPP,
}

X86 = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kexec_load": 246, "bpf": 321,
    "perf_event_open": 298, "keyctl": 250, "add_key": 248, "request_key": 249, "userfaultfd": 323,
    "io_uring_setup": 425, "unshare": 272, "setns": 308, "clone": 56, "clone3": 435, "open_by_handle_at": 304,
    "name_to_handle_at": 303, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "fsopen": 430,
    "open_tree": 428, "move_mount": 429, "mount_setattr": 442, "reboot": 169, "sethostname": 170,
    "settimeofday": 164, "clock_settime": 227, "swapon": 167, "init_module": 175, "finit_module": 313, "syslog": 103,
    "iopl": 172, "ioperm": 173, "modify_ldt": 154, "personality": 135, "acct": 163, "quotactl": 179,
    "fanotify_init": 300, "memfd_create": 319, "shmget": 29, "shmat": 30, "msgget": 68, "semget": 64, "mq_open": 240,
    "pidfd_open": 434, "pidfd_getfd": 438, "mknod": 133, "mknodat": 259, "socket": 41, "getpid": 39, "capset": 126,
    "vhangup": 153, "adjtimex": 159, "fsmount": 432, "memfd_secret": 447, "kcmp": 312, "setpriority": 141,
    "process_madvise": 440, "landlock_create_ruleset": 444, "openat": 257, "process_mrelease": 448,
    "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "creat": 85, "open": 2, "openat2": 437, "mkdir": 83,
    "mkdirat": 258, "renameat2": 316, "io_setup": 206, "vmsplice": 278, "remap_file_pages": 216, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "setxattrat": 463, "socketpair": 53,
}
ARM = {
    "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kexec_load": 104, "bpf": 280,
    "perf_event_open": 241, "keyctl": 219, "add_key": 217, "request_key": 218, "userfaultfd": 282,
    "io_uring_setup": 425, "unshare": 97, "setns": 268, "clone": 220, "clone3": 435, "open_by_handle_at": 265,
    "name_to_handle_at": 264, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "fsopen": 430,
    "open_tree": 428, "move_mount": 429, "mount_setattr": 442, "reboot": 142, "sethostname": 161,
    "settimeofday": 170, "clock_settime": 112, "swapon": 224, "init_module": 105, "finit_module": 273, "syslog": 116,
    "personality": 92, "acct": 89, "quotactl": 60, "fanotify_init": 262, "memfd_create": 279, "shmget": 194,
    "shmat": 196, "msgget": 186, "semget": 190, "mq_open": 180, "pidfd_open": 434, "pidfd_getfd": 438, "mknodat": 33,
    "socket": 198, "getpid": 172, "capset": 91, "vhangup": 58, "adjtimex": 171, "fsmount": 432, "memfd_secret": 447,
    "kcmp": 272, "setpriority": 140, "process_madvise": 440, "openat": 56, "process_mrelease": 448,
    "fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "openat2": 437, "io_setup": 0, "vmsplice": 75, "remap_file_pages": 234, "mkdirat": 34, "renameat2": 276, "setxattr": 5, "lsetxattr": 6,
    "fsetxattr": 7, "setxattrat": 463, "socketpair": 199,
}
NUMBERS = X86 if platform.machine() == "x86_64" else ARM


def finish(word, text, code):
    print(f"{word}: {text}", flush=True)
    os._exit(code)


def escaped(what):
    finish("ESCAPED", what, 0)


def held(why):
    finish("HELD", why, 3)


def unclear(why):
    finish("UNCLEAR", why, 4)


def name(number):
    return errno.errorcode.get(number, str(number))


def call(what, *arguments):
    """A system call by its name: its result and the error number."""
    if what not in NUMBERS:
        held(f"{what} does not exist on this processor")
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(NUMBERS[what]), *values)
    return result, ctypes.get_errno()


def refused(what, *arguments):
    """Makes a system call whose success is the escape."""
    result, error = call(what, *arguments)
    if result >= 0:
        escaped(f"{what} returned {result}")
    if error not in REFUSALS:
        unclear(f"{what}: {name(error)}")
    return f"{what}: {name(error)}"


def refused_all(*calls):
    held("; ".join(refused(*one) for one in calls))


def tries(action, *arguments):
    """Does something whose success is the escape; returns how it failed."""
    what = getattr(action, "__name__", "it")
    try:
        result = action(*arguments)
    except OSError as error:
        if error.errno is not None and error.errno not in REFUSALS:
            unclear(f"{what}{arguments}: {name(error.errno)}")
        return f"{what}: {name(error.errno) if error.errno is not None else error}"
    escaped(f"{what}{arguments} gave {result!r}")


def write(path, text="owned\n", flags=os.O_WRONLY | os.O_CREAT):
    with os.fdopen(os.open(path, flags), "w") as file:
        file.write(text)


def secret_in(data):
    if isinstance(data, bytes):
        data = data.decode("utf-8", "replace")
    return FACTS["secret"] in data


def read(path, size=1 << 20):
    with open(path, "rb") as file:
        return file.read(size)


def setuid(place):
    """Every way to make a file in `place` that lends its owner's rights."""
    path = f"{place}/lend-{os.getpid()}"
    write(path)
    file = os.open(path, os.O_RDONLY)
    why = []
    fresh = iter(f"{path}-{number}".encode() for number in range(1000))
    try:
        for mode in (0o4755, 0o2755, 0o6755):
            # The mode of `openat2` is behind a pointer: flags, mode, how to resolve.
            how = (ctypes.c_ulonglong * 3)(os.O_CREAT | os.O_WRONLY, mode, 0)
            calls = [
                ("fchmod", file, mode), ("fchmodat", -100, path.encode(), mode), ("fchmodat2", -100, path.encode(), mode, 0),
                ("openat", -100, next(fresh), os.O_CREAT | os.O_WRONLY, mode), ("openat2", -100, next(fresh), how, 24),
                ("openat", -100, place.encode(), os.O_TMPFILE | os.O_WRONLY, mode), ("mkdirat", -100, next(fresh), mode),
                ("mknodat", -100, next(fresh), 0o100000 | mode, 0),
            ]
            if platform.machine() == "x86_64":
                calls += [
                    ("chmod", path.encode(), mode), ("creat", next(fresh), mode), ("mkdir", next(fresh), mode),
                    ("open", next(fresh), os.O_CREAT | os.O_WRONLY, mode), ("mknod", next(fresh), 0o100000 | mode, 0),
                ]
            why += [refused(*one) for one in calls]
    finally:
        os.unlink(path)
    return sorted(set(why))
