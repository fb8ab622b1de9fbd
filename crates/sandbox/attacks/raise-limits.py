# Raises its limits.
import resource

why = []
for limit in ("AS", "CPU", "FSIZE", "NOFILE", "CORE", "MSGQUEUE", "NPROC", "NICE", "RTPRIO"):
    kind = getattr(resource, "RLIMIT_" + limit)
    soft, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY:
        escaped(f"{limit} is not bounded")
    try:
        resource.setrlimit(kind, (hard, hard + 1))
    except (ValueError, OSError) as error:
        why.append(limit)
        continue
    escaped(f"{limit} was raised")
held("; ".join(why))
