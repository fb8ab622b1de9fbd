# Switches the machine off.
# The harmless request of that call, which needs the same privilege.
held(refused("reboot", 0xFEE1DEAD, 672274793, 0, 0))
