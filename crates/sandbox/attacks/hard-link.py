# Makes a hard link to a file that may only be read, and writes to that.
held("; ".join(tries(os.link, FACTS["project"] + "/file", path) for path in ("/tmp/hard", FACTS["project"] + "/hard")))
