#!/bin/sh
set -e
rm -rf build/ dist node_modules ./target "$TMPDIR/work" /tmp/prowess-build
rm -f ~/.cache/tool/lock
find . -name "*.pyc" -delete
