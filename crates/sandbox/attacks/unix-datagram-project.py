# Sends to a datagram socket that lies in the project.
import socket


def send():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return one.sendto(b"x", FACTS["project"] + "/datagram.sock")


try:
    send()
except OSError as error:
    held(name(error.errno))
escaped("a datagram was sent")
