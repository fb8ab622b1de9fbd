# Uses descriptors that were left open.
# Three streams, and the one that lists them.
extra = []
for number in range(3, 1024):
    try:
        os.fstat(number)
        extra.append(number)
    except OSError:
        pass
if extra:
    escaped(f"{extra}")
import stat

for number in range(3):
    if not stat.S_ISFIFO(os.fstat(number).st_mode):
        escaped(f"{number} is no pipe")
held("three pipes")
