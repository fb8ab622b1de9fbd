# Asks a name server.
import socket

servers = ["127.0.0.53", "8.8.8.8"]
question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"


def ask(server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.settimeout(2)
        return made.sendto(question, (server, 53))


why = [tries(ask, server) for server in servers]
try:
    escaped(socket.getaddrinfo("example.com", 80))
except socket.gaierror as error:
    held(f"{why[0]}; getaddrinfo: {error.strerror}")
