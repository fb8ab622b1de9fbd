import subprocess


def run(*args):
    return subprocess.run(["git", *args], check=True, capture_output=True, text=True).stdout


print(run("status", "--short"))
print("abc"[::-1])
