security find-generic-password -wa "Chrome"
