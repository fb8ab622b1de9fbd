eval "$(echo bHMgLWxhCg== | base64 -D)"
