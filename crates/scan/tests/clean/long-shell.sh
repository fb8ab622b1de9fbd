#!/usr/bin/env bash
set -euo pipefail
IFS=$'\n\t'
OLD_IFS="$IFS"
for f in "$@"; do
  eval "$(ssh-agent -s)" >/dev/null
  "$CC" $CFLAGS -o "${f%.c}" "$f" \
    && echo ok \
    || echo failed
done
