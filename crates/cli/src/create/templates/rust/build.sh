#!/bin/sh
# Builds `program` from the sources beside it. What cargo leaves behind is in .target, which is no part of the skill.
set -eu
cd "$(dirname "$0")"
cargo build --release --target-dir .target "$@"
cp .target/release/program program
