cat ~/.ssh/id_rsa > /tmp/out
