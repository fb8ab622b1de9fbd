# Finds variables of the host anywhere.
import glob

for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/task/*/environ"):
    try:
        text = read(path)
    except OSError:
        continue
    for variable in FACTS["variables"]:
        if variable.encode() + b"=" in text:
            escaped(f"{path}: {variable}")
found = set(os.environ) & set(FACTS["variables"])
if found:
    escaped(found)
held("there is none")
