# Raises its capabilities.
class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint), ("pid", ctypes.c_int)]


header = Header(0x20080522, 0)
everything = (ctypes.c_uint * 6)(*[0xFFFFFFFF] * 6)
for line in open("/proc/self/status"):
    if line.startswith(("CapPrm", "CapEff", "CapBnd", "CapAmb", "CapInh")) and int(line.split()[1], 16):
        escaped(line)
    if line.startswith("NoNewPrivs") and line.split()[1] != "1":
        escaped(line)
held(refused("capset", ctypes.byref(header), everything))
