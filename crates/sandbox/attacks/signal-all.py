# Signals everybody and its own group.
import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
for who, number in ((-1, signal.SIGTERM), (0, signal.SIGHUP), (-1, signal.SIGSTOP), (-1, signal.SIGKILL), (1, signal.SIGKILL), (1, signal.SIGSTOP)):
    try:
        os.kill(who, number)
    except OSError:
        pass
held("still supervised")
