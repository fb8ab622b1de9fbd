# Makes each other kind of namespace.
kinds = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x20000000, 0x40000000, 0x00000080)
held("; ".join(refused("unshare", kind) for kind in kinds))
