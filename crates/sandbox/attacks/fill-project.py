# Fills a writable project with many files.
# Nothing counts the files of a project together: the user gave it away.
place = FACTS["project"] + "/many"
os.mkdir(place)
try:
    for number in range(2000):
        write(f"{place}/{number}")
except OSError as error:
    held(f"{name(error.errno)} after {number}")
finally:
    for file in os.listdir(place):
        os.unlink(f"{place}/{file}")
    os.rmdir(place)
escaped("2,000 files")
