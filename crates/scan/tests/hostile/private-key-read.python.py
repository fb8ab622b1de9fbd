data = open("/home/dev/.ssh/id_ed25519").read()
