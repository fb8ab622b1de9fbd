# Writes through a symbolic link that leads out.
os.symlink(FACTS["canary"], "/tmp/link")
os.symlink("/", "/tmp/up")
os.symlink(FACTS["outside"], "/tmp/directory")
held("; ".join(tries(write, path, "owned", os.O_WRONLY) for path in ("/tmp/link", "/tmp/up" + FACTS["canary"], "/tmp/directory/canary")))
