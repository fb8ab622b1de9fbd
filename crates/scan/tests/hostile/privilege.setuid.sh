chmod 4755 /tmp/x
