# Makes a setuid program of its own.
import shutil
import subprocess

shutil.copy("/usr/bin/id", "/tmp/id")
os.chmod("/tmp/id", 0o6755)
os.chmod("/tmp", 0o777)
done = subprocess.run(["/tmp/id", "-u"], capture_output=True, text=True)
if done.stdout.strip() == "0":
    escaped("became root")
if not os.statvfs("/tmp").f_flag & os.ST_NOSUID:
    escaped("/tmp is mounted with setuid")
held(f"still {done.stdout.strip()}")
