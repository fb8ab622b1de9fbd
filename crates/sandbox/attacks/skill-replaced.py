# Replaces its own skill in a writable project by moving the directory above it.
# The directory above is the project's, which was given away. Whoever runs the skill next looks at what it holds.
above = FACTS["project"] + "/skills"
try:
    os.rename(above, above + "-moved")
except OSError as error:
    held(name(error.errno))
os.makedirs(above + "/attack")
os.rmdir(above + "/attack")
os.rmdir(above)
os.rename(above + "-moved", above)
escaped("another directory stood in its place")
