# Writes to a project that it may only read.
project = FACTS["project"]
held("; ".join([
    tries(write, project + "/file"), tries(write, project + "/new"), tries(os.unlink, project + "/file"),
    tries(os.rename, project + "/file", project + "/other"), tries(os.mkdir, project + "/d"),
    tries(os.truncate, project + "/file", 0), tries(os.mkfifo, project + "/pipe"),
]))
