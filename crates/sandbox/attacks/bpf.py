# Loads a program into the kernel.
attributes = ctypes.create_string_buffer(128)
# An array with one element.
ctypes.memmove(attributes, b"\x02\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00", 16)
held(refused("bpf", 0, attributes, 128))
