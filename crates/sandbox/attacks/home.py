# Lists the home directory.
held("; ".join(tries(os.listdir, path) for path in {FACTS["home"], "/home", "/root"}))
