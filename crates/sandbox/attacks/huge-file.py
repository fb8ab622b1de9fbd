# Writes one huge file into a writable project.
import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = FACTS["project"] + "/huge"
why = tries(os.truncate, os.open(path, os.O_CREAT | os.O_RDWR), 1 << 40)
written = 0
try:
    with open(path, "wb") as file:
        while written <= FACTS["file_size"]:
            written += file.write(b"x" * (1 << 20))
except OSError as error:
    os.unlink(path)
    held(f"{why}; {name(error.errno)} after {written} bytes")
escaped(f"{written} bytes")
