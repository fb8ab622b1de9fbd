# Opens a file by its handle.
class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]


handle, mount = Handle(bytes=128), ctypes.c_int()
where = os.open("/usr", os.O_RDONLY)
first = refused("name_to_handle_at", where, b"bin", ctypes.byref(handle), ctypes.byref(mount), 0)
# The root of most file systems has the number 2.
handle.bytes, handle.type = 8, 1
handle.data[0] = 2
held(first + "; " + refused("open_by_handle_at", where, ctypes.byref(handle), os.O_RDONLY))
