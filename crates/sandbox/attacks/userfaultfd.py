# Handles page faults by itself.
refused_all(("userfaultfd", 0), ("userfaultfd", 1))
