"""Extracts the archives named on standard input, one a line: archive, tab, directory.

Answers each with a line: `ok`, or what went wrong.
"""
import sys
import tarfile
import zipfile

# Python 3.11.4 and later; what it refuses or changes, our archives do not have.
FILTER = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}

for line in sys.stdin:
    archive, directory = line.rstrip("\n").split("\t")
    try:
        if archive.endswith(".zip"):
            with zipfile.ZipFile(archive) as opened:
                opened.extractall(directory)
        else:
            with tarfile.open(archive) as opened:
                opened.extractall(directory, **FILTER)
        print("ok")
    except Exception as error:
        print(f"{type(error).__name__}: {error}".replace("\n", " "))
