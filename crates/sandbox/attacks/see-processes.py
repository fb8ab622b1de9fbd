# Looks at processes of the host.
seen = []
for entry in os.listdir("/proc"):
    if entry.isdigit() and int(entry) != os.getpid():
        try:
            line = read(f"/proc/{entry}/cmdline")
        except OSError:
            continue
        if b"host.py" in line or b"process_api" in line or b"cargo" in line or FACTS["place"].encode() in line:
            escaped(line)
        seen.append(entry)
held(f"sees {seen}")
