# Tries every family of sockets.
import socket

for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        result, _ = call("socket", family, kind, 0)
        if result >= 0:
            escaped(f"family {family}, type {kind}")
held("all refused")
