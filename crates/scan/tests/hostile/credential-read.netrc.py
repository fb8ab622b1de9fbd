tokens = open(os.path.expanduser("~/.netrc")).read()
