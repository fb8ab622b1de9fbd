# Adds swap space.
with open("/tmp/swap", "wb") as file:
    file.write(b"\0" * 8192)
held(refused("swapon", b"/tmp/swap", 0))
