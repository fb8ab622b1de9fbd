# Writes a log of all processes.
held(refused("acct", b"/tmp/acct") + "; " + refused("quotactl", 0x800001 << 8 & 0x7FFFFFFF, b"/dev/vda", 0, 0) + "; " + refused("vhangup"))
