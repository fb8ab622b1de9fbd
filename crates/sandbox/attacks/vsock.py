# Reaches the hypervisor over vsock.
import socket

held(tries(socket.socket, 40, socket.SOCK_STREAM, 0))
