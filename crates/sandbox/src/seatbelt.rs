//! The profile of a child on macOS, as text. A pure function, so that it is tested on every system.

use std::fmt::Write;
use std::path::Path;

use crate::confinement::{Confinement, Network};
use crate::protection::{PROTECTED_ENDING, above_protected, protected_paths};

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
    let changed = confinement.read_write.iter().chain(&confinement.projects);
    let read_write = changed
        .chain(&confinement.copied)
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
    for project in &confinement.projects {
        let place = project.outside.to_string_lossy();
        let place: String = place.chars().map(literally).collect();
        // Every depth, and any case, as its file systems have it.
        let in_any_case = |path: &str| path.chars().map(either_case).collect::<String>();
        let whole = |path| format!("(.*/)?{}(/.*)?", in_any_case(path));
        let ending = format!(".*{}(/.*)?", in_any_case(PROTECTED_ENDING));
        // The directory itself, since no rule tells making it from giving its name to another one.
        let above = |path| format!("(.*/)?{}", in_any_case(path));
        let patterns = protected_paths().into_iter().map(whole);
        let patterns = patterns.chain(above_protected().map(above)).chain([ending]);
        for pattern in patterns {
            let _ = writeln!(text, "(deny file-write* (regex #\"^{place}/{pattern}$\"))");
        }
    }
    if confinement.network == Network::Host {
        text.push_str("(allow network-outbound (remote ip))\n(allow network-bind (local ip))\n(allow network-inbound (local ip))\n(allow system-socket)\n");
    }
    text
}

/// A letter as a pattern that is both of its cases.
fn either_case(letter: char) -> String {
    if letter.is_ascii_alphabetic() {
        return format!(
            "[{}{}]",
            letter.to_ascii_uppercase(),
            letter.to_ascii_lowercase()
        );
    }
    literally(letter)
}

/// A letter as a pattern that is nothing else.
fn literally(letter: char) -> String {
    match letter {
        '/' => letter.to_string(),
        letter if letter.is_alphanumeric() => letter.to_string(),
        // These mean something between brackets, or end the text: any letter, then.
        '^' | '"' | ']' | '\\' => ".".to_owned(),
        letter => format!("[{letter}]"),
    }
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
            projects: vec![Mount::new("/Users/me/p", "/project")],
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
    fn grants_are_written_as_rules() {
        let text = profile(&confinement(Network::Host), Path::new("/private/tmp/s"));
        assert!(
            text.contains("(allow file-read* file-write* process-exec (subpath \"/Users/me/p\"))"),
            "{text}"
        );
        assert!(
            text.contains("(allow network-outbound (remote ip))"),
            "{text}"
        );
        let git = "(deny file-write* (regex #\"^/Users/me/p/(.*/)?[.][Gg][Ii][Tt](/.*)?$\"))";
        assert!(text.contains(git), "{text}");
        for path in [
            "/(.*/)?[.][Gg][Ii][Tt][Hh][Uu][Bb]$",
            "[.][Cc][Oo][Dd][Ee][-][Ww]",
        ] {
            assert!(text.contains(path), "{path}");
        }
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
