npx -y quick-helper-tool
