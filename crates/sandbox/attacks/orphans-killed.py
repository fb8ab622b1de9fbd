# Leaves children behind when it is killed.
import signal

for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        while True:
            if os.fork() == 0:
                os.setsid()
                time.sleep(60)
                os._exit(0)
            time.sleep(0.05)
print("READY", flush=True)
while True:
    time.sleep(60)
