# Connects over IPv6.
import socket


def connect():
    with socket.create_connection(("::1", FACTS["tcp6"] or 9), timeout=3) as made:
        return made.recv(64)


held(tries(connect))
