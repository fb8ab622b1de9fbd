# Reads a file of the host by its path.
held(tries(read, FACTS["canary"]))
