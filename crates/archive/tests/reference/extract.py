"""Extracts the archives named on standard input, one a line: archive, tab, directory.

Answers each with a line: `ok`, or what went wrong.
"""
import sys
import tarfile
import zipfile

for line in sys.stdin:
    archive, directory = line.rstrip("\n").split("\t")
    try:
        if archive.endswith(".zip"):
            with zipfile.ZipFile(archive) as opened:
                opened.extractall(directory)
        else:
            with tarfile.open(archive) as opened:
                opened.extractall(directory, filter="tar")
        print("ok")
    except Exception as error:
        print(f"{type(error).__name__}: {error}".replace("\n", " "))
