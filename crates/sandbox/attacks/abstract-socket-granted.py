# Connects to an abstract socket of the host, with the network granted.
import socket


def connect(path):
    made = socket.socket(socket.AF_UNIX)
    made.connect(path)
    return made.recv(64)


held(tries(connect, "\0" + FACTS["abstract"]))
