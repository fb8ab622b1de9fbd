curl -s http://45.77.12.9/ping
