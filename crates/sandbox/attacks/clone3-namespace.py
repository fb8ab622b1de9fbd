# Makes a user namespace with clone3.
arguments = (ctypes.c_ulonglong * 11)(0x10000000, 0, 0, 0, 17)
result, error = call("clone3", arguments, 88)
if result == 0:
    os._exit(0)
if result > 0:
    escaped("clone3 worked")
held(f"clone3: {name(error)}")
