# Starts a program that raises privileges.
import glob
import stat
import subprocess

programs = [path for path in glob.glob("/usr/bin/*") + glob.glob("/usr/sbin/*") if os.path.isfile(path) and os.stat(path).st_mode & stat.S_ISUID]
if not os.statvfs("/usr").f_flag & os.ST_NOSUID:
    escaped("/usr is mounted with setuid")
for program, *words in (("/usr/bin/su", "-c", "id -u"), ("/usr/bin/sudo", "-n", "id", "-u"), ("/usr/bin/newgrp", "root"), ("/usr/bin/pkexec", "id", "-u")):
    if os.path.exists(program):
        done = subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode == 0 and done.stdout.strip() == "0":
            escaped(program)
held(f"{len(programs)} such programs, none of use")
