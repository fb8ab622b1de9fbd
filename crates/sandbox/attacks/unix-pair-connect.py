# Connects one end of a socket pair to somewhere else.
import socket

try:
    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
except OSError as error:
    held(f"socketpair: {name(error.errno)}")
why = []
for address in (FACTS["project"] + "/datagram.sock", FACTS["project"] + "/host.sock", "\0" + FACTS["abstract"]):
    try:
        one.connect(address)
    except OSError as error:
        why.append(name(error.errno))
        continue
    try:
        one.send(b"x")
    except OSError as error:
        why.append(name(error.errno))
        continue
    escaped(f"connected to {address!r}")
held("; ".join(why))
