# Takes a descriptor from another process.
descriptor, error = call("pidfd_open", 1, 0)
if descriptor < 0:
    held(f"pidfd_open: {name(error)}")
refused_all(("pidfd_getfd", descriptor, 0, 0), ("pidfd_getfd", descriptor, 3, 0))
