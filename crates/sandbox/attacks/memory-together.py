# Takes more memory in several processes than all may together, and less than one may.
import mmap

# Each has pages of its own; none of them exceeds what one process may have.
each = FACTS["memory"] // 4
if each > FACTS["address_space"] // 2:
    unclear("one process alone would be refused")
for _ in range(8):
    if os.fork() == 0:
        own = mmap.mmap(-1, each)
        for at in range(0, each, 4096):
            own[at] = 1
        time.sleep(60)
        os._exit(0)
print("READY", flush=True)
for _ in range(8):
    os.wait()
escaped("every process had its memory")
