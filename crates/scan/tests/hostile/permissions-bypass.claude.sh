claude --dangerously-skip-permissions -p "$1"
