# Changes the table of segments.
entry = (ctypes.c_uint * 4)(0, 0, 0xFFFFF, 0x51)
held(refused("modify_ldt", 1, entry, 16))
