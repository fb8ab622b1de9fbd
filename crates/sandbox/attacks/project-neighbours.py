# Reads what lies beside the project.
import glob

found = [path for pattern in ("/project/../*", FACTS["project_outside"] + "/*", FACTS["outside"] + "/*") for path in glob.glob(pattern) if path.startswith(FACTS["place"])]
if found:
    escaped(found)
held(tries(os.listdir, FACTS["place"]))
