"""Summaries of CSV files, as a tool and as a report."""

import json

from protocol import serve
from summary import summarise

REGISTRATION = {
    "tools": [
        {
            "name": "summarise_csv",
            "description": "Tells what is in a CSV file: columns with types, counts, gaps, ranges and frequent values.",
            "input_schema": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "the file, relative to the project"},
                    "delimiter": {"type": "string", "description": "one character; found out if absent"},
                },
                "required": ["path"],
                "additionalProperties": False,
            },
        }
    ],
    "workflows": ["report"],
}


def read(host, given):
    path, delimiter = given.get("path"), given.get("delimiter")
    if not isinstance(path, str) or not path:
        raise ValueError("`path` is missing: the file, relative to the project")
    if delimiter is not None and not isinstance(delimiter, str):
        raise ValueError("`delimiter` has to be one character")
    return path, summarise(host.call("host/read_file", path=path)["content"], delimiter)


def summarise_csv(host, given):
    _, summary = read(host, given)
    return {"content": json.dumps(summary, ensure_ascii=False, indent=1)}


def report(host, given):
    path, summary = read(host, given)
    lines = [f"# {path}", "", f"{summary['rows']} rows, {len(summary['columns'])} columns."]
    if summary["columns"]:
        lines += ["", "| column | type | filled | empty | distinct | min | max | mean | most frequent |"]
        lines += ["|---|---|---|---|---|---|---|---|---|"]
        lines += [row(column) for column in summary["columns"]]
    if summary["ragged_rows"]:
        places = ", ".join(str(found["line"]) for found in summary["ragged_rows"])
        lines += ["", f"{summary['ragged_row_count']} rows have another number of fields, on line {places}."]
    return {"content": "\n".join(lines)}


def row(column):
    top = ", ".join(f"{found['value']} ({found['count']})" for found in column.get("top", [])[:3])
    keys = ("name", "type", "count", "empty", "distinct", "min", "max", "mean")
    cells = [str(column.get(key, "")) for key in keys] + [top]
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


if __name__ == "__main__":
    serve(
        REGISTRATION,
        {("tool/execute", "summarise_csv"): summarise_csv, ("workflow/run", "report"): report},
    )
