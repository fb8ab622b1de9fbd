# Maps a read-only file for writing.
import mmap


def change(flags):
    descriptor = os.open(FACTS["project"] + "/file", flags)
    memory = mmap.mmap(descriptor, 1, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    memory[0] = 0
    return "changed"


held("; ".join(tries(change, flags) for flags in (os.O_RDONLY, os.O_RDWR)))
