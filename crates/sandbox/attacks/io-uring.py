# Uses a ring to get around the filter.
parameters = ctypes.create_string_buffer(120)
held(refused("io_uring_setup", 8, parameters))
