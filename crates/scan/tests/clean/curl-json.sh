#!/usr/bin/env bash
set -euo pipefail
curl -fsS "https://api.example.org/v1/items?page=$1" | jq -r '.items[].name' | sort -u
curl -s https://api.example.org/v1/x | python3 -m json.tool
curl -s https://api.example.org/v1/x | python3 -c "import json,sys; print(json.load(sys.stdin)['a'])"
