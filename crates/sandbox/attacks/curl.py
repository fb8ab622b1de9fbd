# Fetches a page with curl.
import subprocess

if not os.path.exists("/usr/bin/curl"):
    held("there is no curl")
done = subprocess.run(
    ["/usr/bin/curl", "--http0.9", "-sS", "-m", "3", f"http://127.0.0.1:{FACTS['tcp']}/"], capture_output=True, text=True
)
if done.returncode == 0 or secret_in(done.stdout):
    escaped(done.stdout)
held(done.stderr.strip())
