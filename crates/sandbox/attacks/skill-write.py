# Changes its own skill.
skill = FACTS["skill"]
file = skill + "/main.py"
held("; ".join([
    tries(write, file), tries(write, skill + "/new"), tries(os.unlink, file), tries(os.rename, file, skill + "/x"),
    tries(os.mkdir, skill + "/d"), tries(os.symlink, "/", skill + "/l"),
]))
