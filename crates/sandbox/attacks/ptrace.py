# Traces other processes.
why = []
for process in {1, os.getppid(), FACTS["pid"]} - {0, os.getpid()}:
    why.append(refused("ptrace", 16, process, 0, 0))
    why.append(refused("ptrace", 0x4206, process, 0, 0))
held("; ".join(why))
