param([string]$Name)
Invoke-WebRequest -Uri "https://example.org/tool.zip" -OutFile tool.zip
Expand-Archive tool.zip -DestinationPath .
Remove-Item -Recurse -Force .\build
Get-ChildItem | Sort-Object Length
