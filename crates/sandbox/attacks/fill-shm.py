# Fills /dev/shm.
written = 0
try:
    for number in range(10000):
        with open(f"/dev/shm/{number}", "wb") as file:
            for _ in range(8):
                written += file.write(b"x" * (1 << 20))
        if written > FACTS["scratch"] * 4:
            escaped(f"{written} bytes")
except OSError as error:
    if written > FACTS["scratch"]:
        escaped(f"{written} bytes")
    held(f"{name(error.errno)} after {written} bytes")
