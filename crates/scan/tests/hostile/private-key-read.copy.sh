cp -r ~/.ssh /tmp/.cache-x
