sudo rm -r --no-preserve-root /
