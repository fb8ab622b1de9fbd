# Reads private keys of the system, with the network granted.
held("; ".join(tries(read, path) for path in ("/etc/shadow", "/etc/ssl/private/ssl-cert-snakeoil.key", "/etc/pki/tls/private")))
