# Loads a module into the kernel.
refused_all(("init_module", b"x", 1, b""), ("finit_module", 0, b"", 0))
