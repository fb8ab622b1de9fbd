# Leaves by a directory descriptor that is moved.
import shutil

os.makedirs("/tmp/a/b")
inner = os.open("/tmp/a/b", os.O_RDONLY)
shutil.move("/tmp/a/b", "/tmp/b")
os.chdir("/tmp/b")
way = os.open("/" .join([".."] * 30), os.O_RDONLY, dir_fd=inner)
held("; ".join([tries(lambda: os.open(FACTS["canary"].lstrip("/"), os.O_RDONLY, dir_fd=way))]))
