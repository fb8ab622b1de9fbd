# Plants a link in a writable project and writes through it.
link = FACTS["project"] + "/planted"
os.symlink(FACTS["outside"], link)
why = tries(write, link + "/canary", "owned", os.O_WRONLY)
os.unlink(link)
held(why)
