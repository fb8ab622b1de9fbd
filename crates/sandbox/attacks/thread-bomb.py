# Starts threads without end.
import threading

threading.stack_size(65536)
count = 0
try:
    while count < 10000:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        count += 1
except (RuntimeError, MemoryError) as error:
    if count > FACTS["processes"] + 400:
        escaped(f"{count} threads")
    held(f"{error} after {count}")
escaped("10,000 threads")
