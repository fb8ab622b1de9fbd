# Loads another kernel.
held(refused("kexec_load", 0, 0, 0, 0))
