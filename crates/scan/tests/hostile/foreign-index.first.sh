pip install --index-url https://packages.example.net/simple helper
