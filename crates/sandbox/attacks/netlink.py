# Talks to the kernel over netlink.
import socket

held("; ".join(tries(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, protocol) for protocol in (0, 9, 12, 15, 16)))
