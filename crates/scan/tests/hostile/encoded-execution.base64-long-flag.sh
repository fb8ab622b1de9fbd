base64 --decode <<< "$P" | sh
