exec(chr(112)+chr(114)+chr(105)+chr(110)+chr(116))
