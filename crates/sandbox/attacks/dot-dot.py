# Leaves a mount by going up.
up = "/.." * 30
held("; ".join(tries(read, place + up + FACTS["canary"]) for place in (FACTS["project"], FACTS["skill"], "/tmp", "/dev/shm", "/usr")))
