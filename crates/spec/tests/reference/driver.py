"""Asks the reference validator about many skills in one process.

Reads cases from stdin, one JSON object a line: `directory`, and `content` as a list of bytes. Writes the
answers to stdout in the same order, one JSON object a line:

- `errors`: the messages of the validator, or null when it crashed
- `crash`: the class of the exception, or null
- `name`, `description`: what it read, or null when it did not get that far
"""

import json
import sys
import tempfile
from pathlib import Path

from skills_ref import validator

parse_frontmatter = validator.parse_frontmatter


def answer(skill, content):
    """The verdict on one skill, and the two fields that the validator read on the way to it."""
    read = {}

    def watched(text):
        metadata, body = parse_frontmatter(text)
        read.update(metadata)
        return metadata, body

    validator.parse_frontmatter = watched
    skill.mkdir(exist_ok=True)
    (skill / "SKILL.md").write_bytes(content)
    try:
        errors, crash = validator.validate(skill), None
    except Exception as exception:
        errors, crash = None, type(exception).__name__
    return {
        "errors": errors,
        "crash": crash,
        "name": text_or_none(read.get("name")),
        "description": text_or_none(read.get("description")),
    }


def text_or_none(value):
    return value if isinstance(value, str) else None


def main():
    # Read whole before the first answer, so that neither side waits for the other.
    cases = [json.loads(line) for line in sys.stdin]
    with tempfile.TemporaryDirectory() as root:
        for case in cases:
            # Cases of one directory follow each other in it: the file is replaced, not added to.
            skill = Path(root, case["directory"])
            line = json.dumps(answer(skill, bytes(case["content"])), ensure_ascii=False)
            # An escape can stand for half a character, which has no encoding.
            sys.stdout.buffer.write(line.encode(errors="replace") + b"\n")


main()
