# Is killed in the middle of starting processes without end.
import signal


def multiply():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        try:
            if os.fork() == 0:
                os.setsid()
        except OSError:
            # At the limit: another process has to end first, and the machine is shared with other tests.
            time.sleep(0.01)


os.nice(19)
wait, go = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        os.close(go)
        os.read(wait, 1)
        multiply()
# Said before they begin: whoever listens would wait long for it afterwards.
print("READY", flush=True)
os.close(go)
multiply()
