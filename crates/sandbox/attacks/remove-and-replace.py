# Replaces files of the root itself.
held("; ".join([
    tries(os.unlink, "/bin"), tries(os.rename, "/etc", "/etc2"), tries(os.rmdir, "/run"), tries(os.unlink, "/dev/null"),
    tries(os.chmod, "/", 0o777), tries(os.chmod, "/etc/passwd", 0o666), tries(os.chmod, "/dev/null", 0o666),
]))
