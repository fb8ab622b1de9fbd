sudo cat /etc/shadow
