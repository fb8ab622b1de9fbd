//! The registries of a user, and which of them is asked about a package.

use url::Url;

use crate::package_name::PackageName;

/// The path of the packages below the URL of a registry.
pub(crate) const PACKAGES_PATH: &str = "/api/v1/skills/";

/// A registry of the user's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    /// Its name, for people.
    pub name: String,
    /// Its URL.
    pub url: Url,
    /// The owners whose packages are in this registry and in no other; none: it has all other packages.
    pub namespaces: Vec<String>,
}

impl Registry {
    fn claims(&self, owner: &str) -> bool {
        self.namespaces.iter().any(|it| it == owner)
    }
}

/// The registries that may be asked about a package, in order.
///
/// A name with an owner that a registry claims is asked for only there, so that a package of the same name elsewhere is
/// never installed instead. A registry that claims namespaces learns of no other names. All other names are
/// asked of the registries that claim none.
///
/// ```
/// use prowess_registry::{Registry, registries_for};
///
/// let registry = |name: &str, namespaces: &[&str]| Registry {
///     name: name.to_owned(),
///     url: format!("https://{name}.example").parse().unwrap(),
///     namespaces: namespaces.iter().map(ToString::to_string).collect(),
/// };
/// let all = [registry("public", &[]), registry("private", &["acme"])];
/// let asked = |name: &str| registries_for(&name.parse().unwrap(), &all)[0].name.clone();
/// assert_eq!(asked("acme/pdf"), "private");
/// assert_eq!(asked("pdf"), "public");
/// ```
pub fn registries_for<'r>(name: &PackageName, registries: &'r [Registry]) -> Vec<&'r Registry> {
    let owner = name.owner();
    let claimed = |it: &&Registry| owner.is_some_and(|owner| it.claims(owner));
    let claiming: Vec<&Registry> = registries.iter().filter(claimed).collect();
    if !claiming.is_empty() {
        return claiming;
    }
    let is_open = |it: &&Registry| it.namespaces.is_empty();
    registries.iter().filter(is_open).collect()
}

/// Whether two URLs are those of one registry.
pub fn is_same_registry(a: &Url, b: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    a.origin() == b.origin() && path(a) == path(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registries with their namespaces, a name, and the registries that are asked about it.
    type Case<'c> = (&'c [(&'c str, &'c [&'c str])], &'c str, &'c [&'c str]);

    #[test]
    fn every_name_is_asked_only_where_it_may_be() {
        let registry = |(name, namespaces): (&str, &[&str])| Registry {
            name: name.to_owned(),
            url: format!("https://{name}.example").parse().unwrap(),
            namespaces: namespaces.iter().map(ToString::to_string).collect(),
        };
        let table: [Case<'_>; 9] = [
            (&[], "pdf", &[]),
            (&[("a", &[])], "pdf", &["a"]),
            (&[("a", &[])], "acme/pdf", &["a"]),
            (&[("a", &[]), ("b", &[])], "pdf", &["a", "b"]),
            (&[("a", &[]), ("b", &["acme"])], "acme/pdf", &["b"]),
            (&[("a", &[]), ("b", &["acme"])], "pdf", &["a"]),
            (&[("a", &[]), ("b", &["acme"])], "other/pdf", &["a"]),
            // A package that has the name of a namespace is not in it.
            (&[("b", &["acme"])], "acme", &[]),
            (
                &[("b", &["acme", "x"]), ("a", &[]), ("c", &["acme"])],
                "acme/pdf",
                &["b", "c"],
            ),
        ];
        for (registries, name, expected) in table {
            let registries: Vec<Registry> = registries.iter().copied().map(registry).collect();
            let found = registries_for(&name.parse().unwrap(), &registries);
            let found: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
            assert_eq!(found, expected, "{name} {registries:?}");
        }
    }
}
