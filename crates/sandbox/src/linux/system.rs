//! What this machine has.

use std::fs;
use std::path::PathBuf;

use crate::layers::ProcessBound;

/// Where bubblewrap is. The search path is not used, because a project may change it.
const BUBBLEWRAP: &[&str] = &["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];

pub(super) fn bubblewrap() -> Option<PathBuf> {
    let places = BUBBLEWRAP.iter().map(PathBuf::from);
    places.into_iter().find(|place| place.is_file())
}

/// Whether a process namespace has a highest number of its own. Before Linux 6.14 there was one for the whole machine,
/// which the superuser could lower from inside: it must not be touched there.
pub(super) fn own_process_numbers() -> bool {
    let system = rustix::system::uname();
    let release = system.release().to_string_lossy();
    let mut numbers = release.split(|other: char| !other.is_ascii_digit());
    let mut next = || numbers.next().and_then(|number| number.parse::<u32>().ok());
    (next(), next()) >= (Some(6), Some(14))
}

/// How the kernel would count the processes of a child in a namespace of users that we make. It does not count those
/// of the superuser of the whole machine.
pub(super) fn process_bound() -> ProcessBound {
    if !rustix::process::geteuid().is_root() {
        return ProcessBound::Exact;
    }
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mut numbers = map.split_ascii_whitespace();
    match (numbers.next(), numbers.next()) {
        (Some("0"), Some("0")) | (None, _) => ProcessBound::Unbounded,
        _ => ProcessBound::Exact,
    }
}
