# Reads shared memory of the host.
import glob

found = [path for path in glob.glob("/dev/shm/*")]
if found:
    escaped(found)
held("; ".join([tries(read, FACTS["shared"]), tries(write, FACTS["shared"], "owned", os.O_WRONLY)]))
