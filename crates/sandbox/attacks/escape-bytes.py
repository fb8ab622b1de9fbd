# Prints sequences that would steer a terminal.
# Whoever shows them is who must escape them: here they must only come out as the bytes that they are.
os.write(1, b"\x1b]0;owned\x07\x1b[2J\x9b31m\x00\n")
held("printed as bytes")
