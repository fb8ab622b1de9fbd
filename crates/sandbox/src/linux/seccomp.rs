//! The third layer: system calls that programs do not need, and sockets that they were not given.

use std::collections::BTreeMap;

use libc::{c_int, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Compare,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

use super::calls::{self, SYS_FCHMODAT2};
use crate::confinement::Network;
use crate::error::{Refusal, Step};

/// Requests that put text into a terminal as if it had been typed.
const TERMINAL: &[u64] = &[0x5412, 0x541c];

/// What `personality` may be asked for: nothing, and what it is.
const PERSONALITIES: &[u64] = &[0, 0xffff_ffff];

/// Calls whose arguments no filter can read, and what they answer: as if the kernel or the file system did not have
/// them, so that programs fall back to calls that can be looked at, or do without. `clone3` could make namespaces,
/// `openat2` could make a setuid file, and an attribute can carry capabilities.
const UNREADABLE: &[(c_long, c_int)] = &[
    (libc::SYS_clone3, libc::ENOSYS),
    (libc::SYS_openat2, libc::ENOSYS),
    (libc::SYS_setxattr, libc::EOPNOTSUPP),
    (libc::SYS_lsetxattr, libc::EOPNOTSUPP),
    (libc::SYS_fsetxattr, libc::EOPNOTSUPP),
    (SYS_SETXATTRAT, libc::EOPNOTSUPP),
];
/// The same number on every processor.
const SYS_SETXATTRAT: c_long = 463;

/// Bits of a mode with which a file gives its owner's rights to the user who runs it. The jail's mounts ignore them, but the
/// file is still there when the jail is gone.
const LENDING: [u32; 2] = [libc::S_ISUID, libc::S_ISGID];
/// Calls that take a mode, and which argument it is.
const MODES: &[(c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    (libc::SYS_mkdirat, 2),
];
#[cfg(target_arch = "x86_64")]
const MODES_HERE: &[(c_long, u8)] = &[
    (libc::SYS_chmod, 1),
    (libc::SYS_creat, 1),
    (libc::SYS_mkdir, 1),
];
#[cfg(not(target_arch = "x86_64"))]
const MODES_HERE: &[(c_long, u8)] = &[];

/// Low bits of the type of a socket, without the flags.
const SOCKET_TYPE: u64 = 0xf;
/// Protocols of TCP and UDP: the default one, their own numbers, and multipath TCP.
const PROTOCOLS: &[u64] = &[0, 6, 17, 262];

/// From here on, numbers belong to a second set of calls with 32-bit pointers, which no rule below would know.
#[cfg(target_arch = "x86_64")]
const SECOND_SET: u32 = 0x4000_0000;

/// Refuses what programs do not need, and every socket that `network` does not give.
pub(super) fn refuse(network: Network) -> Result<(), Refusal> {
    let answered = UNREADABLE.iter().map(|(call, _)| *call);
    seccompiler::apply_filter(&calls::known(answered)).step("filter system calls")?;
    let program = program(network).step("compile the system call filter")?;
    seccompiler::apply_filter(&program).step("filter system calls")
}

fn program(network: Network) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules = BTreeMap::new();
    rules.insert(libc::SYS_clone, namespaces()?);
    rules.insert(libc::SYS_ioctl, equal(1, TERMINAL)?);
    rules.insert(libc::SYS_personality, vec![other(0, PERSONALITIES)?]);
    rules.insert(libc::SYS_socketpair, pairs()?);
    if network == Network::None {
        rules.insert(libc::SYS_connect, Vec::new());
        rules.insert(libc::SYS_bind, Vec::new());
    }
    rules.insert(libc::SYS_socket, sockets(network)?);
    for (call, argument) in MODES.iter().chain(MODES_HERE) {
        rules.insert(*call, lending(*argument)?);
    }
    rules.insert(libc::SYS_openat, created(2)?);
    rules.insert(libc::SYS_mknodat, nodes(2)?);
    #[cfg(target_arch = "x86_64")]
    {
        rules.insert(libc::SYS_open, created(1)?);
        rules.insert(libc::SYS_mknod, nodes(1)?);
    }
    let mut program = first_of_all();
    let rest: BpfProgram = compile(rules, SeccompAction::Allow, refusal())?;
    program.extend(rest);
    Ok(program)
}

pub(super) fn compile(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    listed: SeccompAction,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, otherwise, listed, arch)?.try_into()
}

/// What a refused call answers. Not the end of the process: an honest one asks, is refused, and does without.
pub(super) fn refusal() -> SeccompAction {
    SeccompAction::Errno(libc::EPERM.unsigned_abs())
}

/// What [`UNREADABLE`] calls answer. Stands before everything else.
pub(super) fn first_of_all() -> BpfProgram {
    let statement = |code: u32, k: u32| sock_filter {
        code: u16::try_from(code).unwrap_or_default(),
        jt: 0,
        jf: 0,
        k,
    };
    let answer = |error: c_int| {
        let k = libc::SECCOMP_RET_ERRNO | error.unsigned_abs();
        statement(libc::BPF_RET | libc::BPF_K, k)
    };
    let unless = |test: u32, k: u32| sock_filter {
        jf: 1,
        ..statement(libc::BPF_JMP | test | libc::BPF_K, k)
    };
    // The number of the call is the first word of what a filter sees.
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    #[cfg(target_arch = "x86_64")]
    program.extend([unless(libc::BPF_JGE, SECOND_SET), answer(libc::ENOSYS)]);
    for (call, error) in UNREADABLE {
        let call = u32::try_from(*call).unwrap_or(u32::MAX);
        program.extend([unless(libc::BPF_JEQ, call), answer(*error)]);
    }
    program
}

fn sockets(network: Network) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    if network == Network::None {
        return Ok(Vec::new());
    }
    let mut rules = vec![
        other(0, &[number(libc::AF_INET), number(libc::AF_INET6)])?,
        other(2, PROTOCOLS)?,
    ];
    let usual = [number(libc::SOCK_STREAM), number(libc::SOCK_DGRAM)];
    for kind in (0..=SOCKET_TYPE).filter(|kind| !usual.contains(kind)) {
        rules.push(masked(1, SOCKET_TYPE, kind)?);
    }
    Ok(rules)
}

/// Two ends that are connected to each other only. An end of datagrams can be turned to any socket that has a
/// path, and the kernel makes one of a raw end as well; so only the two kinds that stay connected are allowed.
fn pairs() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let connected = [number(libc::SOCK_STREAM), number(libc::SOCK_SEQPACKET)];
    let mut rules = vec![other(0, &[number(libc::AF_UNIX)])?];
    for kind in (0..=SOCKET_TYPE).filter(|kind| !connected.contains(kind)) {
        rules.push(masked(1, SOCKET_TYPE, kind)?);
    }
    Ok(rules)
}

/// A mode with one of the [`LENDING`] bits.
fn lending(argument: u8) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let bits = LENDING.into_iter().map(u64::from);
    bits.map(|bit| masked(argument, bit, bit)).collect()
}

/// The same for a file that is opened: without a flag to create it, its mode is whatever was in the register.
fn created(flags: u8) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let making = [
        number(libc::O_CREAT),
        number(libc::O_TMPFILE & !libc::O_DIRECTORY),
    ];
    let mut rules = Vec::new();
    for bit in LENDING.into_iter().map(u64::from) {
        for flag in making {
            rules.push(SeccompRule::new(vec![
                condition(flags, Compare::MaskedEq(flag), flag)?,
                condition(flags + 1, Compare::MaskedEq(bit), bit)?,
            ])?);
        }
    }
    Ok(rules)
}

fn nodes(argument: u8) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let mut rules = devices(argument)?;
    rules.extend(lending(argument)?);
    Ok(rules)
}

fn namespaces() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let flags = [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ];
    flags
        .into_iter()
        .map(|flag| masked(0, number(flag), number(flag)))
        .collect()
}

fn devices(argument: u8) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let kinds = [libc::S_IFCHR, libc::S_IFBLK];
    let mask = u64::from(libc::S_IFMT);
    kinds
        .into_iter()
        .map(|kind| masked(argument, mask, kind.into()))
        .collect()
}

/// One rule for each of the values of an argument.
pub(super) fn equal(
    argument: u8,
    values: &[u64],
) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let rule = |value: &u64| {
        condition(argument, Compare::Eq, *value).and_then(|one| SeccompRule::new(vec![one]))
    };
    values.iter().map(rule).collect()
}

/// A rule for every other value than these.
fn other(argument: u8, values: &[u64]) -> Result<SeccompRule, seccompiler::BackendError> {
    let each = values
        .iter()
        .map(|value| condition(argument, Compare::Ne, *value));
    SeccompRule::new(each.collect::<Result<_, _>>()?)
}

pub(super) fn masked(
    argument: u8,
    mask: u64,
    value: u64,
) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![condition(argument, Compare::MaskedEq(mask), value)?])
}

/// The kernel looks at the lower half of these arguments only, so we must not look at more.
fn condition(
    argument: u8,
    compare: Compare,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, Width::Dword, compare, value)
}

fn number(flag: c_int) -> u64 {
    u64::from(flag.unsigned_abs())
}
