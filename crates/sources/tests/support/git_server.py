"""git http-backend behind a small server, for tests.

Usage: git_server.py ROOT LOG [TOKEN] [CERTIFICATE KEY]
Prints its port, and writes a line to LOG for each request. While ROOT has a file `refuse-single-objects`, only
commits are handed out.
"""
import base64
import os
import ssl
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

root, log = sys.argv[1:3]
token = sys.argv[3] if len(sys.argv) > 3 else ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_git(self):
        path, _, query = self.path.partition("?")
        given = self.headers.get("Authorization", "")
        with open(log, "a", encoding="utf-8") as out:
            out.write(f"{self.command} {self.path} {'auth' if given else 'no-auth'}\n")
        body = b""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if token:
            password = base64.b64decode(given.removeprefix("Basic ") or b"").decode().partition(":")[2]
            if password != token:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        refuses = os.path.exists(os.path.join(root, "refuse-single-objects"))
        if refuses and b"command=fetch" in body and b"deepen 1" not in body:
            self.send_response(403)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": root,
            "GIT_PROJECT_ROOT": root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        answer = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True)
        head, _, content = answer.stdout.partition(b"\r\n\r\n")
        status = 200
        headers = []
        for line in head.decode().splitlines():
            name, _, value = line.partition(": ")
            if name.lower() == "status":
                status = int(value.split()[0])
            else:
                headers.append((name, value))
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = handle_git
    do_POST = handle_git


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if len(sys.argv) > 5:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[4], sys.argv[5])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
