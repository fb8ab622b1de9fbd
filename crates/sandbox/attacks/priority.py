# Puts itself before others.
ctypes.set_errno(0)
why = [refused("setpriority", 0, 0, -20)]
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    escaped("real time")
except OSError as error:
    why.append(name(error.errno))
held("; ".join(why))
