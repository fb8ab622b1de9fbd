# Writes to the terminal of the user.
if any(os.isatty(number) for number in range(3)):
    escaped("a stream is a terminal")
if os.getsid(0) != os.getpid():
    escaped("not in a session of its own")
held("; ".join(tries(write, path, "owned", os.O_WRONLY) for path in ("/dev/tty", "/dev/console", "/dev/pts/0", "/dev/tty0")))
