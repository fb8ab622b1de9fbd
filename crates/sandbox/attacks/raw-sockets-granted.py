# Opens raw and packet sockets, with the network granted.
import socket

kinds = [
    (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    (socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6),
    (socket.AF_PACKET, socket.SOCK_RAW, 0x0300),
    (socket.AF_PACKET, socket.SOCK_DGRAM, 0x0300),
]
held("; ".join(tries(socket.socket, *kind) for kind in kinds))
