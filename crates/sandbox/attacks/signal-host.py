# Signals processes of the host.
import signal

why = tries(os.kill, FACTS["pid"], signal.SIGUSR1) if FACTS["pid"] != os.getpid() else "same number"
for process in range(2, 70000):
    if process != os.getpid() and process != os.getppid():
        try:
            os.kill(process, signal.SIGUSR2)
        except OSError:
            continue
        escaped(f"signalled {process}")
held(why)
