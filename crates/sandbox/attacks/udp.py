# Sends a datagram to the host.
import socket


def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        return made.sendto(b"x", ("127.0.0.1", FACTS["udp"]))


held(tries(send))
