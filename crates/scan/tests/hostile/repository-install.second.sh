npm install git+https://example.net/helper.git
