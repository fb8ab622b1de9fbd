# Reads a message queue of the host.
refused_all(("mq_open", FACTS["queue"].lstrip("/").encode(), os.O_RDWR, 0, 0), ("mq_open", b"own", os.O_RDWR | os.O_CREAT, 0o600, 0))
