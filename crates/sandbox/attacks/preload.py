# Finds leftovers that would load a library.
found = [key for key in os.environ if key.startswith("LD_") or key.startswith("PYTHON") or key.startswith("DYLD_")]
if found or os.path.exists("/etc/ld.so.preload"):
    escaped(found)
held("there are none")
