# Dumps its memory into a file.
import resource
import signal

if resource.getrlimit(resource.RLIMIT_CORE)[1] > 1:
    escaped("a core is allowed")
child = os.fork()
if child == 0:
    os.chdir("/tmp")
    os.abort()
_, status = os.waitpid(child, 0)
if os.WCOREDUMP(status) or any("core" in file for file in os.listdir("/tmp")):
    escaped("a core was dumped")
held(f"ended by signal {os.WTERMSIG(status)} without one")
