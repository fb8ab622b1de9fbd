echo "$P" | base64 -d | gunzip | bash
