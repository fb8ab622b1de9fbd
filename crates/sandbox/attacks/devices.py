# Opens devices of the machine.
for path in ("/dev/mem", "/dev/kmsg", "/dev/port", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/fuse", "/dev/kvm", "/dev/loop-control", "/dev/net/tun", "/dev/vsock", "/dev/ptmx", "/dev/pts", "/dev/input", "/dev/snd", "/dev/dri"):
    try:
        escaped(f"{path}: {os.open(path, os.O_RDONLY)}")
    except OSError as error:
        if error.errno != errno.ENOENT:
            unclear(f"{path}: {name(error.errno)}")
held("none is there")
