"""A server of files that can misbehave, for tests.

Usage: package_server.py ROOT LOG
Prints its port, and writes a line to LOG for each request. The first part of a path says how the file is sent:

plain                 with an ETag, whole or from an offset
break-N               the connection ends after N bytes, each time
once-N                the same for the first request of a file only, and without an ETag
wrong-range-N         then the rest is said to begin elsewhere
wrong-size-N          then the rest is said to be of a larger file
other-etag-N          then the rest is of another file
short-N               parts of at most N bytes, each whole
changed-N             then the file is another one, and is sent whole
half                  half of the file, without a length
huge, endless         100 MiB and a byte, by length or without one
redirect, elsewhere   a redirect to the same server, or to this machine under another name
forbidden             as plain, but a signature is refused instead of not found
"""
import hashlib
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

root, log = sys.argv[1:3]
LIMIT = 100 * 1024 * 1024 + 1
seen = set()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def head(self, status, *headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, str(value))
        self.end_headers()

    def do_GET(self):
        asked = self.headers.get("Range")
        with open(log, "a", encoding="utf-8") as out:
            out.write(f"{self.path} {asked or 'whole'}\n")
        mode, _, name = self.path.removeprefix("/").partition("/")
        mode, _, number = mode.rpartition("-") if mode[-1:].isdigit() else (mode, "", "0")
        count = int(number)
        if mode in ("redirect", "elsewhere"):
            host = "127.0.0.1" if mode == "redirect" else "localhost"
            port = self.server.server_address[1]
            self.head(302, ("Location", f"http://{host}:{port}/plain/{name}"), ("Content-Length", 0))
            return
        path = os.path.join(root, self.path.removeprefix("/") if mode == ".well-known" else name)
        if not os.path.isfile(path):
            self.head(403 if mode == "forbidden" else 404, ("Content-Length", 0))
            return
        with open(path, "rb") as file:
            content = file.read()
        first = self.path not in seen
        seen.add(self.path)
        if mode == "changed" and not first:
            with open(path + ".changed", "rb") as file:
                content = file.read()
        etag = '"' + hashlib.sha256(content).hexdigest() + '"'
        if mode in ("half", "huge", "endless"):
            self.close_connection = True
            self.head(200, *([("Content-Length", LIMIT)] if mode == "huge" else [("Connection", "close")]))
            if mode == "half":
                self.wfile.write(content[: len(content) // 2])
            else:
                self.zeros()
            return
        start, total = 0, len(content)
        if asked and self.headers.get("If-Range") == etag:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
        end = min(total, start + count) if mode == "short" and asked else total
        headers = [("Content-Length", end - start)]
        if mode != "once":
            headers.append(("ETag", '"another"' if mode == "other-etag" and start else etag))
        if start:
            stated = 0 if mode == "wrong-range" else start
            total += mode == "wrong-size"
            headers.append(("Content-Range", f"bytes {stated}-{end - 1}/{total}"))
        self.head(206 if start else 200, *headers)
        breaks = mode == "break" or mode == "short" and first or count and first
        sent = content[start:end]
        if breaks and len(sent) > count:
            self.close_connection = True
            sent = sent[:count]
        self.wfile.write(sent)

    def zeros(self):
        block = bytes(1024 * 1024)
        try:
            for _ in range(LIMIT // len(block) + 1):
                self.wfile.write(block)
        except OSError:
            pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
