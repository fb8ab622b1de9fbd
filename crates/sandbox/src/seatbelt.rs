//! The profile of a child on macOS, as text. A pure function, so that it is tested on every system.

use std::fmt::Write;
use std::path::Path;

use crate::confinement::{Confinement, Network};

/// What a program of the system needs to start at all.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library/Apple",
    "/Library/Frameworks",
    "/opt/homebrew",
    "/private/etc/ssl",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/dev",
];
/// Devices that may be written.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero"];

/// The text for `sandbox-exec -p`: nothing is allowed but what follows. `scratch` is the child's private directory.
pub fn profile(confinement: &Confinement, scratch: &Path) -> String {
    let mut text = String::from(
        "(version 1)\n(deny default)\n(allow process-fork)\n(allow sysctl-read)\n(allow file-read-metadata)\n\
         (allow signal (target same-sandbox))\n(allow mach-lookup (global-name \"com.apple.system.logger\"))\n",
    );
    let mut allow = |operation: &str, path: &Path| {
        let _ = writeln!(text, "(allow {operation} (subpath {}))", quoted(path));
    };
    let read_only = confinement
        .read_only
        .iter()
        .map(|mount| mount.outside.as_path());
    for path in SYSTEM.iter().map(Path::new).chain(read_only) {
        allow("file-read* process-exec", path);
    }
    let read_write = confinement
        .read_write
        .iter()
        .map(|mount| mount.outside.as_path());
    for path in read_write.chain([scratch]) {
        allow("file-read* file-write* process-exec", path);
    }
    for path in DEVICES.iter().map(Path::new) {
        allow("file-write-data", path);
    }
    // The last rule that matches counts: what is read-only stays so below something writable.
    for mount in &confinement.read_only {
        let _ = writeln!(
            text,
            "(deny file-write* (subpath {}))",
            quoted(&mount.outside)
        );
    }
    if confinement.network == Network::Host {
        text.push_str("(allow network-outbound (remote ip))\n(allow network-bind (local ip))\n(allow network-inbound (local ip))\n(allow system-socket)\n");
    }
    text
}

/// A path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confinement::Mount;

    fn confinement(network: Network) -> Confinement {
        Confinement {
            read_only: vec![Mount::new("/Users/me/p/skill \"x\"", "/skill")],
            read_write: vec![Mount::new("/Users/me/p", "/project")],
            network,
            ..Confinement::default()
        }
    }

    #[test]
    fn nothing_is_allowed_by_default() {
        let text = profile(&confinement(Network::None), Path::new("/private/tmp/s"));
        assert!(text.starts_with("(version 1)\n(deny default)\n"), "{text}");
        assert!(!text.contains("network"), "{text}");
        assert!(!text.contains("(subpath \"/Users\")"), "{text}");
    }

    #[test]
    fn grants_become_rules() {
        let text = profile(&confinement(Network::Host), Path::new("/private/tmp/s"));
        assert!(
            text.contains("(allow file-read* file-write* process-exec (subpath \"/Users/me/p\"))"),
            "{text}"
        );
        assert!(
            text.contains("(allow network-outbound (remote ip))"),
            "{text}"
        );
        let allowed = text.find("(subpath \"/Users/me/p\"))");
        let denied = text.find("(deny file-write* (subpath \"/Users/me/p/skill \\\"x\\\"\"))");
        assert!(allowed < denied, "{text}");
    }

    #[test]
    fn a_path_cannot_close_its_string() {
        assert_eq!(
            quoted(Path::new(r#"/a") (allow default) ("\"#)),
            r#""/a\") (allow default) (\"\\""#
        );
    }
}
