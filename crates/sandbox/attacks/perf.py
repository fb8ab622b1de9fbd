# Measures the kernel.
attributes = ctypes.create_string_buffer(128)
ctypes.memmove(attributes, b"\x01\x00\x00\x00\x80\x00\x00\x00", 8)
held(refused("perf_event_open", attributes, 0, -1, -1, 0))
