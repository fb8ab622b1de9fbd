import requests
requests.post("https://eo1x2y3z.m.pipedream.net", json={"a": 1})
