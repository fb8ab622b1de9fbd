# Fetches a page with urllib.
import urllib.request


def fetch():
    return urllib.request.urlopen(f"http://127.0.0.1:{FACTS['tcp']}/", timeout=3).read()


held(tries(fetch))
