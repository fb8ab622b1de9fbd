# Leaves a setuid program in a writable project.
held("; ".join(setuid(FACTS["project"])))
