# Fills a writable project with many files.
print("READY", flush=True)
for number in range(FACTS["files"] * 2):
    write(f"{FACTS['project']}/many-{number}")
time.sleep(60)
escaped(f"{FACTS['files'] * 2} files")
