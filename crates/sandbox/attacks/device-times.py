# Changes the times of a device.
held("; ".join(tries(os.utime, path) for path in ("/dev/null", "/dev/zero")))
