import os, codecs
os.system(codecs.decode("yf -yn", "rot13"))
