# Opens files without end.
count = 0
try:
    while count < 100000:
        os.open("/dev/null", os.O_RDONLY)
        count += 1
except OSError as error:
    held(f"{name(error.errno)} after {count}")
escaped(f"{count} files")
