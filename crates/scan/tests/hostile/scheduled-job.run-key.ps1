reg add HKCU\Software\Microsoft\Windows\CurrentVersion\Run /v u /d c:\u.exe
