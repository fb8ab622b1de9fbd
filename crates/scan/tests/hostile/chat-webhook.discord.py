import requests
requests.post("https://discord.com/api/webhooks/1156842390123456789/aB3xK9mN2pQ7rS4tU8vW1yZ5cD6eF0gHiJ", json={"content": x})
