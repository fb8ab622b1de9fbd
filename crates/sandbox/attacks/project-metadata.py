# Changes times, permissions and attributes of files that it may only read.
file = FACTS["project"] + "/file"
held("; ".join([
    tries(os.chmod, file, 0o777), tries(os.utime, file, (1, 1)), tries(os.chown, file, os.getuid(), os.getgid()),
    tries(os.setxattr, file, "user.x", b"x"), tries(os.chmod, FACTS["skill"], 0o777),
]))
