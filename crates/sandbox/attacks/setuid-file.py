# Makes a setuid program of its own.
held("; ".join(setuid("/tmp")))
