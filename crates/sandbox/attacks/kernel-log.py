# Reads the log of the kernel.
buffer = ctypes.create_string_buffer(256)
refused_all(("syslog", 3, buffer, 256), ("syslog", 10, 0, 0))
