# Takes 10 GiB of memory.
blocks = []
try:
    while len(blocks) < 160:
        blocks.append(bytearray(64 << 20))
except MemoryError:
    held(f"after {len(blocks) * 64} MiB")
escaped("10 GiB")
