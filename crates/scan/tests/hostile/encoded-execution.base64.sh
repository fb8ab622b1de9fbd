echo "bHMgLWxhCg==" | base64 -d | bash
