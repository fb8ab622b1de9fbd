# Leaves children behind when it ends.
import signal

for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
            for number in range(3):
                os.close(number)
            while True:
                time.sleep(60)
        os._exit(0)
# The one who looks for them is outside.
held("left them behind")
