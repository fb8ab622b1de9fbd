# What Python's own library does with files, processes, threads, timers and connections.
import asyncio, concurrent.futures, fcntl, http.server, mmap, multiprocessing, os, resource, shutil, signal, socket, sqlite3
import subprocess, tempfile, threading, time, urllib.request


def square(x):
    return x * x


async def talk():
    child = await asyncio.create_subprocess_exec("true")
    assert await child.wait() == 0
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.close()
    server.close()
    await asyncio.sleep(0)


asyncio.run(talk())
assert subprocess.run("echo hi | cat", shell=True, capture_output=True).stdout == b"hi\n"
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(square, [1, 2]) == [1, 4]
with concurrent.futures.ThreadPoolExecutor() as threads:
    assert list(threads.map(square, [3])) == [9]
with tempfile.TemporaryDirectory() as place:
    base = sqlite3.connect(place + "/x.db")
    base.execute("pragma journal_mode=wal")
    base.execute("create table t(a)")
    base.commit()
    base.close()
    with open(place + "/f", "w+b") as file:
        file.write(b"x" * 10000)
        file.flush()
        os.fsync(file.fileno())
        with mmap.mmap(file.fileno(), 0) as memory:
            memory.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_UN)
        os.posix_fallocate(file.fileno(), 0, 20000)
        os.ftruncate(file.fileno(), 5)
    os.utime(place + "/f", (1, 1))
    os.chmod(place + "/f", 0o600)
    os.link(place + "/f", place + "/g")
    os.symlink("f", place + "/s")
    assert os.readlink(place + "/s") == "f" and os.statvfs(place) and len(list(os.scandir(place))) == 4
    shutil.copytree(place, place + "2", symlinks=True)
    shutil.rmtree(place + "2")
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
assert resource.getrlimit(resource.RLIMIT_NOFILE) and os.sched_getaffinity(0)
one, other = socket.socketpair()
one.send(b"x")
assert other.recv(1) == b"x"
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.handle_request).start()
urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/").read()
print("done")
