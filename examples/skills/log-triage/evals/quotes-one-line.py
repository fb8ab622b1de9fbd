#!/usr/bin/env python3
"""Accepts an answer that quotes a line of the log, and not the whole log."""

import pathlib
import sys

answer = sys.argv[1]
log = pathlib.Path(__file__).with_name("files") / "deploy.log"
lines = [line for line in log.read_text().splitlines() if line in answer]
print(f"{len(lines)} lines of the log are quoted")
sys.exit(0 if 1 <= len(lines) <= 3 else 1)
