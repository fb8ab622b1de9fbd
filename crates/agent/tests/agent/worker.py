"""Stands for a worker: runs a skill's code, which is Python here, and speaks the lines of the protocol."""

import json
import sys

tools, schemas, hooks = {}, {}, {}


def register_tool(name, description, run, schema=None):
    tools[name] = run
    schemas[name] = {"name": name, "description": description, "input_schema": schema or {"type": "object"}}


def register_hook(phase, run):
    hooks[phase] = run


def answer(method, params):
    if method == "initialize":
        code = params["code"]
        names = {"register_tool": register_tool, "register_hook": register_hook}
        exec(code["files"][code["entrypoint"]], names)
        return {"tools": list(schemas.values()), "hooks": list(hooks)}
    if method == "tool/execute":
        return {"content": tools[params["name"]](params["input"])}
    if method == "hook/handle":
        return hooks[params["phase"]](params["data"])
    return None


for line in sys.stdin:
    message = json.loads(line)
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        reply["result"] = answer(message["method"], message.get("params"))
    except Exception as error:
        reply["error"] = {"code": -32000, "message": repr(error)}
    print(json.dumps(reply), flush=True)
    if message["method"] == "shutdown":
        break
