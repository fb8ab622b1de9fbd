# Connects one end of a socket pair to somewhere else, and passes a descriptor.
import array
import socket

# The kernel makes datagrams of the raw kind, and of no other; each number is tried all the same.
why = set()
for kind in range(16):
    pair = (ctypes.c_int * 2)()
    result, error = call("socketpair", socket.AF_UNIX, kind, 0, pair)
    if result < 0:
        why.add(name(error))
        continue
    one = socket.socket(fileno=pair[0])
    secret = os.open(FACTS["project"] + "/file", os.O_RDONLY)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [secret]))]
    for address in (FACTS["project"] + "/datagram.sock", FACTS["project"] + "/host.sock", "\0" + FACTS["abstract"]):
        try:
            one.connect(address)
            escaped(f"an end of kind {kind} connected to {address!r}")
        except OSError as error:
            why.add(name(error.errno))
        if kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
            # These ignore an address or refuse it; the host tells whether something arrived.
            try:
                one.sendmsg([b"x"], rights, socket.MSG_DONTWAIT, address)
            except OSError as error:
                why.add(name(error.errno))
            continue
        try:
            one.sendmsg([b"x"], rights, socket.MSG_DONTWAIT, address)
            escaped(f"an end of kind {kind} sent to {address!r}")
        except OSError as error:
            why.add(name(error.errno))
held("; ".join(sorted(why)))
