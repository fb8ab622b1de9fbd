# Sets the clock.
now = (ctypes.c_long * 2)(int(time.time()), 0)
adjust = ctypes.create_string_buffer(256)
ctypes.memmove(adjust, b"\x01\x00\x00\x00", 4)
refused_all(("settimeofday", now, 0), ("clock_settime", 0, now), ("adjtimex", adjust))
