# Maps 10 GiB of memory.
import mmap

maps = []
try:
    while len(maps) < 160:
        maps.append(mmap.mmap(-1, 64 << 20))
except OSError as error:
    held(f"{name(error.errno)} after {len(maps) * 64} MiB")
escaped("10 GiB")
