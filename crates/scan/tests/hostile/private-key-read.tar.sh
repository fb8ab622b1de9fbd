tar czf /tmp/a.tgz -C "$HOME" .ssh
