eval "$x$y$z"
