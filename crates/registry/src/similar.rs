//! Names that people take for others.

use crate::package_name::PackageName;

/// Names shorter than this differ by one letter too often to say anything.
const SHORT: usize = 5;

/// How a name looks: names with the same outline are taken for each other. Letters in a row that look like others in many
/// fonts count as those.
fn outline(name: &str) -> impl Iterator<Item = u8> {
    let mut rest = name.as_bytes();
    std::iter::from_fn(move || {
        loop {
            let (letter, after) = match rest {
                [b'r', b'n', after @ ..] => (b'm', after),
                [b'v', b'v', after @ ..] => (b'w', after),
                [b'c', b'l', after @ ..] => (b'd', after),
                [b'0', after @ ..] => (b'o', after),
                [b'1' | b'i', after @ ..] => (b'l', after),
                [b'5', after @ ..] => (b's', after),
                [letter, after @ ..] => (*letter, after),
                [] => return None,
            };
            rest = after;
            if letter != b'-' {
                return Some(letter);
            }
        }
    })
}

/// Whether one of two names of skills is easily taken for the other: they look alike, differ by one letter or by two
/// letters that changed places, or by an `s` at the end.
///
/// ```
/// use prowess_registry::is_similar;
///
/// assert!(is_similar("pdf-forms", "pdf-fomrs"));
/// assert!(is_similar("pdf-forms", "pdf-forrns"));
/// assert!(!is_similar("pdf-forms", "csv-forms"));
/// ```
pub fn is_similar(a: &str, b: &str) -> bool {
    a != b && (is_one_edit(a, b) || outline(a).eq(outline(b)))
}

/// The packages that one is easily taken for, out of others. Packages of the same owner do not count.
///
/// This takes about a microsecond for each of the others.
pub fn similar_packages<'a>(
    name: &PackageName,
    others: impl IntoIterator<Item = &'a PackageName>,
) -> Vec<&'a PackageName> {
    let is_like = |other: &&PackageName| {
        let same_owner = name.owner().is_some() && name.owner() == other.owner();
        let (skill, other_skill) = (name.skill().as_str(), other.skill().as_str());
        let owners = name.owner().zip(other.owner());
        *other != name
            && !same_owner
            && (is_similar(skill, other_skill)
                || skill == other_skill && owners.is_some_and(|(a, b)| is_similar(a, b)))
    };
    others.into_iter().filter(is_like).collect()
}

fn is_one_edit(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().min(b.len()) < SHORT || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (
        a.get(same..).unwrap_or_default(),
        b.get(same..).unwrap_or_default(),
    );
    match (a, b) {
        ([_, left @ ..], [_, right @ ..]) if a.len() == b.len() => {
            left == right || is_swapped(a, b)
        }
        ([_, left @ ..], _) if a.len() > b.len() => left == b,
        (_, [_, right @ ..]) => a == right,
        _ => false,
    }
}

fn is_swapped(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([a0, a1, left @ ..], [b0, b1, right @ ..]) => a0 == b1 && a1 == b0 && left == right,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_for_each_other() {
        for (a, b, expected) in [
            ("release-notes", "release-note", true),
            ("release-notes", "releasenotes", true),
            ("terraform", "terrafonn", false),
            ("terraform", "terraforrn", true),
            ("kubernetes", "kubernetse", true),
            ("kubernetes", "kubemetes", true),
            ("log-triage", "1og-triage", true),
            ("pdf", "pdg", false),
            ("pdf", "pdf", false),
            ("github", "gitlab", false),
        ] {
            assert_eq!(is_similar(a, b), expected, "{a} {b}");
            assert_eq!(is_similar(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn packages_of_one_owner_may_be_alike() {
        let name = |text: &str| text.parse::<PackageName>().unwrap();
        let others = [
            "acme/log-triages",
            "acrne/log-triage",
            "log-triagee",
            "acme/log-triage",
        ]
        .map(name);
        let found = |of: &str| -> Vec<String> {
            let name = name(of);
            let found = similar_packages(&name, &others);
            found.into_iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            found("acme/log-triage"),
            ["acrne/log-triage", "log-triagee"]
        );
        assert_eq!(found("other/csv-tools"), [""; 0]);
    }
}
