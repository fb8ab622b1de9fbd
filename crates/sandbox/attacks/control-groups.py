# Moves itself to another control group.
import glob

found = glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True)
if found:
    escaped(found)
lines = read("/proc/self/cgroup").decode() if os.path.exists("/proc/self/cgroup") else ""
if any(line.split(":", 2)[2] not in ("/", "") for line in lines.splitlines()):
    escaped(lines)
held("there is none to be seen")
