# Tries every family of sockets but TCP and UDP, with the network granted.
for family in range(1, 46):
    for kind in (1, 2, 3, 5, 10):
        result, _ = call("socket", family, kind, 0)
        if result >= 0 and not (family in (2, 10) and kind in (1, 2)):
            escaped(f"family {family}, type {kind}")
for protocol in range(1, 300):
    for kind in (1, 2):
        result, _ = call("socket", 2, kind, protocol)
        if result >= 0 and protocol not in (6, 17, 262):
            escaped(f"protocol {protocol}")
        if result >= 0:
            os.close(result)
held("all refused")
