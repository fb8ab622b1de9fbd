# Connects to a listener on the loopback of the host.
import socket


def connect():
    with socket.create_connection(("127.0.0.1", FACTS["tcp"]), timeout=3) as made:
        return made.recv(64)


held(tries(connect))
