# Switches address randomisation off.
refused_all(("personality", 0x0040000), ("personality", 0x0400000 | 8))
