#!/bin/sh
# Makes an archive, a git repository and a database out of what lies here.
set -eu
cd "$(dirname "$0")"
rm -rf made
mkdir made
python3 - <<'PYTHON'
import os, sqlite3, zipfile
with zipfile.ZipFile("made/packed.zip", "w") as archive:
    for directory, _, names in sorted(os.walk("packed")):
        for name in sorted(names):
            path = os.path.join(directory, name)
            archive.write(path, os.path.relpath(path, "packed"))
with sqlite3.connect("made/skills.db") as database:
    database.execute("CREATE TABLE skills (id TEXT, description TEXT, content TEXT, author TEXT)")
    database.executemany("INSERT INTO skills VALUES (?, ?, ?, ?)", [
        ("greeting", "Greets people in their own language", "Ask which language, then greet.", "ada"),
        ("farewell", "Says goodbye", "Say goodbye.", "bob"),
    ])
PYTHON
git init --quiet --initial-branch main made/work
cp -R repository/. made/work
git -C made/work add --all
git -C made/work -c user.name=Ada -c user.email=ada@example.com commit --quiet --message "first"
git clone --quiet --bare made/work made/repository.git
rm -rf made/work
