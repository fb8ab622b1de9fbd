# Runs a program that is in no file.
refused_all(("memfd_create", b"x", 1), ("memfd_secret", 0))
