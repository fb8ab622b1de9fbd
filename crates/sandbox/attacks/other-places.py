# Looks for anything else of the machine.
usual = {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "project", "run", "sbin", "skill", "tmp", "usr", "var"}
more = set(os.listdir("/")) - usual
if more:
    escaped(sorted(more))
for path in ("/run", "/var"):
    inside = set(os.listdir(path)) - {"tmp", "prowess-sandbox-init"}
    if inside:
        escaped(f"{path}: {sorted(inside)}")
held("nothing there")
