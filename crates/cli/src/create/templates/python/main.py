"""{{name}}: what it does. `protocol.py` does the talking."""

from protocol import serve

REGISTRATION = {
{{if tool}}
    "tools": [
        {
            "name": "hello",
            "description": "Greets a person.",
            "input_schema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "name of the person"}},
            },
        }
    ],
{{end}}
{{if workflow}}
    "workflows": ["hello"],
{{end}}
{{if security-rule}}
    "scanners": ["unfinished"],
{{end}}
{{if transform}}
    "hooks": ["OnAfterResponse"],
{{end}}
}


# The first argument asks the host: host.call("host/read_file", path="README.md")["content"], with `file:read` among the
# permissions of SKILL.yaml. Raise a ValueError to tell the model what is wrong.
{{if tool workflow}}
def hello(host, given):
    return {"content": f"Hello, {given.get('name', 'world')}!"}


{{end}}
{{if security-rule}}
def unfinished(host, files):
    return {
        "findings": [
            {
                "rule": "unfinished",
                "severity": "info",
                "file": file["path"],
                "line": at,
                "message": "unfinished work",
            }
            for file in files
            for at, line in enumerate(file["text"].splitlines(), start=1)
            if "TODO" in line
        ]
    }


{{end}}
{{if transform}}
def tidy(host, data):
    lines = (line.rstrip() for line in data["response"].split("\n"))
    return {"modified": {"response": "\n".join(lines)}}


{{end}}
HANDLERS = {
{{if tool}}
    ("tool/execute", "hello"): hello,
{{end}}
{{if workflow}}
    ("workflow/run", "hello"): hello,
{{end}}
{{if security-rule}}
    ("scanner/run", "unfinished"): unfinished,
{{end}}
{{if transform}}
    ("hook/handle", "OnAfterResponse"): tidy,
{{end}}
}

if __name__ == "__main__":
    serve(REGISTRATION, HANDLERS)
