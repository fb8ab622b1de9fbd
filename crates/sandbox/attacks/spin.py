# Computes without end.
import resource
import signal

child = os.fork()
if child == 0:
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass
if resource.getrlimit(resource.RLIMIT_CPU)[1] == resource.RLIM_INFINITY:
    os.kill(child, signal.SIGKILL)
    escaped("time is not bounded")
_, status = os.waitpid(child, 0)
if not os.WIFSIGNALED(status):
    escaped(f"{status}")
held(f"ended by signal {os.WTERMSIG(status)}")
