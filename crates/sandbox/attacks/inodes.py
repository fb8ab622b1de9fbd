# Makes files without end in /tmp.
try:
    for number in range(200000):
        os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
except OSError as error:
    held(f"{name(error.errno)} after {number}")
escaped(f"{number + 1} files")
