# Makes a hard link to the skill in a writable project, and writes to that.
held("; ".join(tries(os.link, FACTS["skill"] + "/" + file, FACTS["project"] + "/hard") for file in os.listdir(FACTS["skill"])))
