# Writes more to the disk in several processes than all may together, in files that each may have.
size = min(FACTS["disk"] // 8, FACTS["file_size"])
block = b"x" * (1 << 20)
print("READY", flush=True)
for number in range(8):
    if os.fork() == 0:
        # Far more than what is noticed late.
        for part in range(64):
            file = os.open(f"{FACTS['project']}/large-{number}-{part}", os.O_CREAT | os.O_WRONLY)
            for _ in range(size // len(block)):
                os.write(file, block)
            os.fsync(file)
            os.close(file)
        os._exit(0)
for _ in range(8):
    os.wait()
escaped("everything was written")
