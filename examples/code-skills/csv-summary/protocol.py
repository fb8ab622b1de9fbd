"""Messages to and from the host: JSON-RPC 2.0, one a line, on standard input and output.

Each request is answered on a thread of its own, so one that waits for the host holds up no other.
"""

import itertools
import json
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor


class Refused(Exception):
    """The host said no, or could not."""


class Host:
    """The process that started this one."""

    def __init__(self):
        self._lines = sys.stdout
        sys.stdout = sys.stderr  # a stray print() must not get between the messages
        self._write_lock = threading.Lock()
        self._ids = itertools.count(1)
        self._waiting = {}

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message})
        with self._write_lock:
            self._lines.write(line + "\n")
            self._lines.flush()

    def call(self, method, **params):
        """Asks the host, and waits for its answer."""
        own = f"c{next(self._ids)}"
        answer = self._waiting[own] = Future()
        self.send({"id": own, "method": method, "params": params})
        return answer.result()

    def handle_response(self, message):
        """Takes in the answer to a question."""
        answer = self._waiting.pop(message.get("id"), None)
        if answer is None:
            return
        if "error" in message:
            answer.set_exception(Refused(message["error"]["message"]))
        else:
            answer.set_result(message.get("result"))

    def leave(self):
        """The host closed the connection."""
        for answer in list(self._waiting.values()):
            answer.set_exception(Refused("the host is gone"))


def serve(registration, handlers):
    """Answers requests until the host has no more. Handlers are found by method and name."""
    host = Host()

    def work(method, params):
        if method == "initialize":
            return registration
        name = params.get("name") or params.get("phase")
        if (method, name) not in handlers:
            raise LookupError(f"unknown method {method} {name}")
        given = params.get("input", params.get("data", params.get("files")))
        try:
            return handlers[method, name](host, {} if given is None else given)
        except (Refused, ValueError) as problem:
            if method not in ("tool/execute", "workflow/run"):
                raise
            return {"content": str(problem), "is_error": True}  # for the model to read

    def answer(request):
        try:
            outcome = {"result": work(request["method"], request.get("params") or {})}
        except Exception as problem:  # that call fails, the others go on
            message = f"{type(problem).__name__}: {problem}"
            outcome = {"error": {"code": -32000, "message": message}}
        host.send({"id": request["id"], **outcome})

    sys.stdin.reconfigure(encoding="utf-8")
    with ThreadPoolExecutor(max_workers=32) as pool:
        for line in sys.stdin:
            message = json.loads(line)
            if "method" not in message:
                host.handle_response(message)
            elif message["method"] == "shutdown":
                host.send({"id": message["id"], "result": None})
                break
            else:
                pool.submit(answer, message)
        host.leave()
