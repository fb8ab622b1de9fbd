# Reads and writes memory of other processes.
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


buffer = ctypes.create_string_buffer(64)
local = Vector(ctypes.addressof(buffer), 64)
# The same address is mapped in a process that this one was copied from.
remote = Vector(ctypes.addressof(ctypes.c_char.in_dll(libc, "environ")), 8)
held("; ".join(refused(what, process, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) for process in (1, os.getppid() or 1) for what in ("process_vm_readv", "process_vm_writev")))
