# What attacks must not reach: runs outside, prints its facts as one line of JSON, and on any line of input prints what
# reached it and goes on. It ends with its input.
import ctypes
import json
import os
import signal
import socket
import sys
import threading

place, secret = sys.argv[1], sys.argv[2]
libc = ctypes.CDLL(None, use_errno=True)
contacts = []


def listening(bound, what):
    bound.listen(16)

    def accept():
        while True:
            other, _ = bound.accept()
            contacts.append(what)
            try:
                other.sendall(secret.encode())
            except OSError:
                pass
            other.close()

    threading.Thread(target=accept, daemon=True).start()


def receiving(bound, what):
    def receive():
        while True:
            bound.recvfrom(4096)
            contacts.append(what)

    threading.Thread(target=receive, daemon=True).start()


def at(family, kind, address):
    made = socket.socket(family, kind)
    made.bind(address)
    return made


tcp = at(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
listening(tcp, "tcp")
tcp6 = None
try:
    tcp6 = at(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
    listening(tcp6, "tcp6")
except OSError:
    pass
udp = at(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
receiving(udp, "udp")
pathname = os.path.join(place, "outside", "host.sock")
listening(at(socket.AF_UNIX, socket.SOCK_STREAM, pathname), "unix")
in_project = os.path.join(place, "project", "host.sock")
listening(at(socket.AF_UNIX, socket.SOCK_STREAM, in_project), "unix in the project")
datagram = os.path.join(place, "project", "datagram.sock")
receiving(at(socket.AF_UNIX, socket.SOCK_DGRAM, datagram), "datagram in the project")
abstract = f"prowess-attack-{os.getpid()}"
listening(at(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract), "abstract")

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGCONT):
    signal.signal(number, lambda got, _: contacts.append(f"signal {got}"))

shm = libc.shmget(0, 4096, 0o1666)
libc.shmat.restype = ctypes.c_void_p
address = libc.shmat(shm, None, 0)
ctypes.memmove(address, secret.encode() + b"\0", len(secret) + 1)
# It goes with this process.
libc.shmctl(shm, 0, None)
queue = f"/prowess-attack-{os.getpid()}"
librt = ctypes.CDLL("librt.so.1", use_errno=True)
librt.mq_unlink(queue.encode())
mq = librt.mq_open(queue.encode(), os.O_CREAT | os.O_RDWR, 0o666, (ctypes.c_long * 8)(0, 1, 64))
librt.mq_send(mq, secret.encode(), len(secret), 1)
shared = f"/dev/shm/prowess-attack-{os.getpid()}"
with open(shared, "w") as file:
    file.write(secret)
key = -1
if os.uname().machine == "x86_64":
    name = f"prowess-{os.getpid()}".encode()
    key = libc.syscall(248, b"user", name, secret.encode(), len(secret), -4)

facts = {
    "tcp": tcp.getsockname()[1], "tcp6": tcp6.getsockname()[1] if tcp6 else 0, "udp": udp.getsockname()[1],
    "unix": pathname, "abstract": abstract, "shm": shm, "queue": queue, "shared": shared, "key": key, "pid": os.getpid(),
}
print(json.dumps(facts), flush=True)
for _ in sys.stdin:
    with open(shared) as file:
        if file.read() != secret:
            contacts.append("shared memory changed")
    print(json.dumps(contacts), flush=True)
os.unlink(shared)
librt.mq_unlink(queue.encode())
if key >= 0:
    libc.syscall(250, 9, key, -4)
