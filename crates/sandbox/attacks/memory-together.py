# Takes more memory in several processes than one may.
import mmap

ready, each = os.pipe(), FACTS["address_space"] // 2
for _ in range(4):
    if os.fork() == 0:
        try:
            mmap.mmap(-1, each)
            os.write(ready[1], b"y")
        except OSError:
            os.write(ready[1], b"n")
        time.sleep(60)
        os._exit(0)
answers = b"".join(os.read(ready[0], 1) for _ in range(4))
if answers.count(b"y") * each > FACTS["address_space"]:
    escaped(f"{answers.count(b'y')} times {each} bytes")
held("refused")
