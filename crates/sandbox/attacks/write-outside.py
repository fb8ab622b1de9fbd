# Writes to a file of the host by its path.
held("; ".join([tries(write, FACTS["canary"]), tries(write, FACTS["outside"] + "/new"), tries(os.unlink, FACTS["canary"])]))
