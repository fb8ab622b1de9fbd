# Makes calls by the old interrupt, which has other numbers.
import mmap
import signal

if platform.machine() != "x86_64":
    held("does not exist on this processor")
# mov eax, 359 (socket); mov ebx, 2; mov ecx, 1; xor edx, edx; int 0x80; ret
code = b"\x53\xb8\x67\x01\x00\x00\xbb\x02\x00\x00\x00\xb9\x01\x00\x00\x00\x31\xd2\xcd\x80\x5b\xc3"
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(code)
function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
child = os.fork()
if child == 0:
    os._exit(0 if function() >= 0 else 7)
_, status = os.waitpid(child, 0)
if os.WIFSIGNALED(status):
    held(f"ended by signal {os.WTERMSIG(status)}")
if os.WEXITSTATUS(status) == 7:
    held("refused")
escaped("made a socket")
