# Fills /tmp and /dev/shm.
written = 0
for place in ("/tmp", "/dev/shm"):
    try:
        for number in range(1000):
            with open(f"{place}/{number}", "wb") as file:
                written += file.write(b"x" * (1 << 20))
    except OSError:
        pass
if written > FACTS["scratch"]:
    escaped(f"{written} bytes")
held(f"{written} bytes")
