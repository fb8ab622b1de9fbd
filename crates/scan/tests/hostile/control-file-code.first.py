import os
command = open('/tmp/agent-task.txt').read()
os.system(command)
