# Asks to be another user.
# The other numbers do not exist in its namespace, which is what the kernel answers.
REFUSALS.add(errno.EINVAL)
held("; ".join(tries(action, *words) for action, words in ((os.setuid, (1,)), (os.setgid, (1,)), (os.setgroups, ([0],)), (os.setresuid, (0, 0, 0)), (os.seteuid, (0,)))) if os.getuid() else "is root")
