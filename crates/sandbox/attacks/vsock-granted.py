# Reaches the hypervisor over vsock, with the network granted.
import socket

held(tries(socket.socket, 40, socket.SOCK_STREAM, 0))
