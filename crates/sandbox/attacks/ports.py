# Talks to the hardware.
refused_all(("iopl", 3), ("ioperm", 0x80, 1, 1))
