# Starts processes without end.
import signal

children = []
try:
    while len(children) < 10000:
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        children.append(child)
except OSError as error:
    for child in children:
        os.kill(child, signal.SIGKILL)
    if len(children) > FACTS["processes"] + 400:
        escaped(f"{len(children)} processes")
    held(f"{name(error.errno)} after {len(children)}")
escaped("10,000 processes")
