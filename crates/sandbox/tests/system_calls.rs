//! The filter of system calls: a list of what is allowed, with which programs work and nothing else does.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::path::Path;

use prowess_sandbox::{Command, Confinement, Limits, Network, View};
use support::{finish, mount, python, sandbox, ways};

/// A jail as commands of developers have it: connections to itself, and room for a compiler.
fn roomy(programs: &Path) -> Confinement {
    Confinement {
        read_only: vec![mount(programs, "/programs")],
        view: View::Machine { hidden: Vec::new() },
        network: Network::Loopback,
        limits: Limits {
            address_space: u64::MAX,
            cpu_seconds: 600,
            processes: 512,
            file_size: 1 << 30,
            open_files: 1024,
            memory: 4 << 30,
            disk: 4 << 30,
            ..Limits::default()
        },
        scratch: 1 << 30,
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        ..support::confinement()
    }
}

/// Programs of the system and what they run, as they were measured; those that this machine does not have are named.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("python3", &["-I", "/programs/files.py"]),
    ("node", &["/programs/files.js"]),
    ("dash", &["/programs/files.sh"]),
    ("bash", &["/programs/files.sh"]),
    ("zsh", &["/programs/files.sh"]),
    (
        "fish",
        &["-N", "-c", "echo a | cat; true & wait; echo done"],
    ),
    ("git", &["/programs/git.sh"]),
    ("gcc", &["/programs/make.sh"]),
    ("go", &["/programs/go.sh"]),
    ("javac", &["/programs/Files.java"]),
    ("ruby", &["/programs/files.rb"]),
    ("php", &["/programs/files.php"]),
    ("perl", &["/programs/files.pl"]),
    ("lua5.4", &["/programs/files.lua"]),
];

#[test]
fn q49_programs_work_under_the_filter() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let programs = programs.canonicalize().unwrap();
    let mut missing = Vec::new();
    for way in ways() {
        for (name, arguments) in PROGRAMS {
            let program = Path::new("/usr/bin").join(name);
            // Its directories are elsewhere than those of the system, or it is not there.
            let system = program
                .canonicalize()
                .is_ok_and(|real| real.starts_with("/usr"));
            if !system {
                missing.push(*name);
                continue;
            }
            let started = match Path::new(arguments[0]).extension() {
                // Of several programs, of which the named one is the reason to run it.
                Some(kind) if kind == "sh" && !name.ends_with("sh") => Path::new("/bin/sh"),
                // A source, which the compiler has to be there for.
                Some(kind) if kind == "java" => Path::new("/usr/bin/java"),
                _ => &program,
            };
            let command = Command::new(started).arguments(arguments.iter().copied());
            let child = sandbox(way).spawn(&command, &roomy(&programs)).unwrap();
            let done = finish(child);
            let is_done = done.status.success() && done.text().ends_with("done\n");
            assert!(is_done, "{way}, {name}: {done:?}");
        }
    }
    println!(
        "not on this machine, and so not run: {}",
        missing.join(", ")
    );
}

/// What every answer has to be: the number is not known here.
const ASK: &str = "
import ctypes, errno, os, platform
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def ask(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(one) for one in arguments or (0,) * 6])
    return result, errno.errorcode.get(ctypes.get_errno())
def refused(numbers):
    answers = {number: ask(number) for number in numbers}
    wrong = {number: answer for number, answer in answers.items() if answer != (-1, 'ENOSYS')}
    assert not wrong, wrong
";

fn ask(text: &str) {
    for way in ways() {
        for network in [Network::None, Network::Loopback, Network::Host] {
            let own = Confinement {
                network,
                ..support::confinement()
            };
            let done = python(way, &own, &format!("{ASK}{text}"));
            assert!(done.status.success(), "{way}, {network:?}: {done:?}");
        }
    }
}

#[test]
fn q49_numbers_without_a_call_are_refused() {
    // A gap in the numbers of both processors, what comes after the newest call, and the ends of the range.
    ask("
refused(range(400, 424))
refused(range(470, 1200))
refused([0x3fffffff, 0x7fffffff, -1, -2, 0xffff0000])
");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn q49_numbers_of_the_second_set_are_refused() {
    // Files, processes and namespaces with the bit of 32-bit pointers, and all that only exists there.
    ask("
refused(0x40000000 + number for number in (0, 1, 2, 9, 39, 41, 56, 57, 59, 165, 257, 272, 425))
refused(range(0x40000000 + 512, 0x40000000 + 548))
");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn q49_calls_that_no_program_needs_are_refused() {
    ask("
names = {
    'ptrace': 101, 'kexec_load': 246, 'kexec_file_load': 320, 'bpf': 321, 'perf_event_open': 298, 'keyctl': 250,
    'add_key': 248, 'request_key': 249, 'userfaultfd': 323, 'io_uring_setup': 425, 'io_uring_enter': 426,
    'io_uring_register': 427, 'io_setup': 206, 'io_submit': 209, 'unshare': 272, 'setns': 308, 'mount': 165, 'umount2': 166,
    'pivot_root': 155, 'chroot': 161, 'open_tree': 428, 'move_mount': 429, 'fsopen': 430, 'fsconfig': 431, 'fsmount': 432,
    'fspick': 433, 'mount_setattr': 442, 'statmount': 457, 'listmount': 458, 'open_tree_attr': 467, 'quotactl': 179,
    'quotactl_fd': 443, 'process_vm_readv': 310, 'process_vm_writev': 311, 'process_madvise': 440, 'process_mrelease': 448,
    'pidfd_getfd': 438, 'kcmp': 312, 'memfd_create': 319, 'memfd_secret': 447, 'open_by_handle_at': 304,
    'name_to_handle_at': 303, 'fanotify_init': 300, 'init_module': 175, 'finit_module': 313, 'delete_module': 176,
    'iopl': 172, 'ioperm': 173, 'modify_ldt': 154, 'vmsplice': 278, 'remap_file_pages': 216, 'cachestat': 451,
    'map_shadow_stack': 453, 'futex_wake': 454, 'futex_wait': 455, 'futex_requeue': 456, 'lsm_get_self_attr': 459,
    'lsm_set_self_attr': 460, 'mseal': 462, 'clone3': 435, 'openat2': 437, 'shmget': 29, 'msgget': 68, 'semget': 64,
    'mq_open': 240, 'reboot': 169, 'syslog': 103, 'acct': 163, 'settimeofday': 164, 'clock_settime': 227, 'uselib': 134,
}
answers = {name: ask(number) for name, number in names.items()}
wrong = {name: answer for name, answer in answers.items() if answer != (-1, 'ENOSYS')}
assert not wrong, wrong
");
}

#[test]
fn q49_the_same_as_nobody() {
    for test in [
        "q49_numbers_without_a_call_are_refused",
        #[cfg(target_arch = "x86_64")]
        "q49_calls_that_no_program_needs_are_refused",
    ] {
        support::again_as_nobody(test);
    }
}
