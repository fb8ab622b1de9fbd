# Renames the machine.
held(refused("sethostname", b"owned", 5))
