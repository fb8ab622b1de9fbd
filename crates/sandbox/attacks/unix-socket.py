# Connects to a socket of the host by its path.
import socket


def connect(path):
    made = socket.socket(socket.AF_UNIX)
    made.connect(path)
    return made.recv(64)


held(tries(connect, FACTS["unix"]))
