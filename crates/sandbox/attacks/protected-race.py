# Changes a path between the moment it is looked at and the moment it is used.
import threading

project = FACTS["project"].encode()
harmless, wanted = project + b"/.gut\0", project + b"/.hg\0\0"
text = ctypes.create_string_buffer(harmless)
end = False


def flip():
    while not end:
        ctypes.memmove(text, wanted, len(wanted))
        ctypes.memmove(text, harmless, len(harmless))


threads = [threading.Thread(target=flip) for _ in range(2)]
for thread in threads:
    thread.start()
made = refused_calls = 0
for _ in range(3000):
    result, error = call("mkdirat", -100, text, 0o755)
    if os.path.lexists(project + b"/.hg"):
        end = True
        escaped("a directory .hg")
    if result == 0:
        made += 1
        os.rmdir(project + b"/.gut")
    else:
        refused_calls += 1
end = True
for thread in threads:
    thread.join()
held(f"{made} times the harmless one, {refused_calls} times refused" if made and refused_calls else "the race was not run")
