//! What a child finds at its root. One list for every way to build it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::confinement::{Access, Confinement, Mount, Network, View};

/// The user inside: without privileges, and the same on every machine.
pub(super) const USER: u32 = 1000;
/// The name of the machine inside.
pub(super) const HOST: &str = "sandbox";

/// Programs and libraries of the system. Where one is a link, the link is made again.
const SYSTEM: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
];
/// What programs and libraries of the system look for in `/etc`. Nothing here may hold a secret: where we run as the
/// superuser, the child reads what the superuser may read.
const ETC: &[&str] = &["/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"];
/// The same for the network: whom to trust. The directories beside these have private keys.
const TRUST: &[&str] = &[
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates/extracted",
];
/// The same for the network, and so often a link to somewhere that only their text is taken over.
const NAMES: &[&str] = &["/etc/resolv.conf", "/etc/hosts", "/etc/services"];
/// Bytes of such a text.
const TEXT_BYTES: u64 = 256 * 1024;

/// Devices that hold nothing and lead nowhere.
pub(super) const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];

const STREAMS: &[(&str, &str)] = &[
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

/// An entry of the root file system of a child.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LayoutEntry {
    Directory(PathBuf),
    Link {
        place: PathBuf,
        target: PathBuf,
    },
    Text {
        place: PathBuf,
        text: Vec<u8>,
    },
    Mount {
        mount: Mount,
        access: Access,
    },
    /// A place with nothing in it.
    Hidden(PathBuf),
}

/// Places of the machine that a child has its own of, or none.
const OWN: &[&str] = &["/dev", "/proc", "/run", "/sys", "/tmp"];

/// Everything but `/proc`, `/tmp` and the devices, in the order in which it has to be made.
pub(super) fn layout(confinement: &Confinement) -> Vec<LayoutEntry> {
    let mut entries = match &confinement.view {
        View::System => system(confinement.network),
        View::Machine { .. } => machine(confinement.network),
    };
    for (place, target) in STREAMS {
        entries.push(LayoutEntry::Link {
            place: PathBuf::from(place),
            target: PathBuf::from(target),
        });
    }
    let mounts = confinement.mounts().into_iter();
    let mut given: Vec<(PathBuf, LayoutEntry)> = mounts
        .map(|(mount, access)| (mount.inside.clone(), LayoutEntry::Mount { mount, access }))
        .collect();
    if let View::Machine { hidden } = &confinement.view {
        given.extend(
            hidden
                .iter()
                .map(|path| (path.clone(), LayoutEntry::Hidden(path.clone()))),
        );
    }
    // Outer ones first; what is hidden after what is mounted at the same place.
    given.sort_by_key(|(place, _)| place.components().count());
    entries.extend(given.into_iter().map(|(_, entry)| entry));
    entries
}

/// Everything at the root but [`OWN`].
fn machine(network: Network) -> Vec<LayoutEntry> {
    let listed = fs::read_dir("/").into_iter().flatten().flatten();
    let paths = listed.map(|entry| entry.path());
    let paths = paths.filter(|path| !OWN.iter().any(|own| path == Path::new(own)));
    let mut entries: Vec<LayoutEntry> = paths.filter_map(|path| entry(path.to_str()?)).collect();
    entries.push(LayoutEntry::Directory(PathBuf::from("/run")));
    // The list of name servers is often a link to what a service wrote.
    let servers = Path::new("/etc/resolv.conf").canonicalize();
    if network == Network::Host
        && let Ok(place) = servers
        && place.starts_with("/run")
        && let Some(text) = read(&place)
    {
        entries.push(LayoutEntry::Text { place, text });
    }
    entries
}

/// What programs and libraries of the system need.
fn system(network: Network) -> Vec<LayoutEntry> {
    let mut entries: Vec<LayoutEntry> = SYSTEM.iter().filter_map(|path| entry(path)).collect();
    entries.push(text(
        "/etc/passwd",
        format!("skill:x:{USER}:{USER}::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"),
    ));
    entries.push(text(
        "/etc/group",
        format!("skill:x:{USER}:\nnogroup:x:65534:\n"),
    ));
    entries.push(text(
        "/etc/nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files dns\n",
    ));
    entries.extend(ETC.iter().filter_map(|path| entry(path)));
    match network {
        Network::None | Network::Loopback => {
            let own = format!("127.0.0.1 localhost {HOST}\n::1 localhost\n");
            entries.push(text("/etc/hosts", own));
        }
        Network::Host => {
            entries.extend(TRUST.iter().filter_map(|path| entry(path)));
            for path in NAMES {
                entries.extend(read(Path::new(path)).map(|bytes| text(path, bytes)));
            }
        }
    }
    // Landlock and programs ask for these, whether something is mounted there or not.
    entries.push(LayoutEntry::Directory(PathBuf::from("/run")));
    entries.push(LayoutEntry::Directory(PathBuf::from("/var")));
    entries.push(LayoutEntry::Link {
        place: PathBuf::from("/var/tmp"),
        target: PathBuf::from("/tmp"),
    });
    entries
}

/// Something of the system, if it is there: a link as a link, anything else read-only.
fn entry(path: &str) -> Option<LayoutEntry> {
    let path = PathBuf::from(path);
    let kind = fs::symlink_metadata(&path).ok()?.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(&path).ok()?;
        return Some(LayoutEntry::Link {
            place: path,
            target,
        });
    }
    Some(LayoutEntry::Mount {
        mount: Mount::same(path),
        access: Access::ReadOnly,
    })
}

fn text(place: &str, text: impl Into<Vec<u8>>) -> LayoutEntry {
    LayoutEntry::Text {
        place: PathBuf::from(place),
        text: text.into(),
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    use std::io::Read;
    let mut text = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(TEXT_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}
