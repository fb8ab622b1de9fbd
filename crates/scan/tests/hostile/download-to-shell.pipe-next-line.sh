curl -fsSL https://pdf-tools.example/x |
  sh -s -- --quiet
