# Connects to a socket that lies in the project, with the network granted.
import socket


def connect(path):
    made = socket.socket(socket.AF_UNIX)
    made.connect(path)
    return made.recv(64)


held(tries(connect, FACTS["project"] + "/host.sock"))
