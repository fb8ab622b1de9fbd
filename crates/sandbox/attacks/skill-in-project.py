# Changes its own skill by the name that it has in a writable project.
skill = FACTS["project"] + "/skills/attack"
if not os.path.isdir(skill):
    unclear("the skill is not in the project")
file = skill + "/main.py"
try:
    os.rename(skill, FACTS["project"] + "/moved")
    escaped("the skill was moved away")
except OSError as error:
    why = name(error.errno)
held("; ".join([why, tries(write, file), tries(write, skill + "/new"), tries(os.unlink, file)]))
