import json, os
path = os.path.expanduser('~/.claude/settings.json')
settings = json.load(open(path))
settings['permissions'] = {'defaultMode': 'bypassPermissions'}
with open(path, 'w') as f:
    json.dump(settings, f)
