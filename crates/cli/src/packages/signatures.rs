//! Signatures of packages: verified where there is one, required where the user says so, with keys pinned at first use.

use std::path::{Path, PathBuf};

use prowess_registry::{
    KeyPins, LockedSkill, Package, PackageReference, Pin, PublicKey, signer, verify,
};
use prowess_spec::SkillName;

use super::session::Session;
use crate::error::{CommandError, Context, Result};

/// What the user says about signatures.
pub(super) struct SignatureRules {
    pins: KeyPins,
    /// Where relative paths are from.
    root: PathBuf,
    required: Vec<String>,
    /// The key that the user named.
    key: Option<PublicKey>,
}

/// The signature of a package.
pub(super) enum Signature {
    /// It is not signed, and need not be.
    None,
    /// It is signed by a key, which is pinned for a source.
    Valid {
        source: String,
        key: PublicKey,
        is_new: bool,
    },
}

impl Signature {
    /// The key, as the lock file has it.
    pub(super) fn key(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Valid { key, .. } => Some(key.to_string()),
        }
    }

    pub(super) fn note(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Valid { key, is_new, .. } => Some(if *is_new {
                format!("signed by {key}, which is remembered for this source")
            } else {
                format!("signed by {key}, as before")
            }),
        }
    }
}

impl SignatureRules {
    pub(super) fn new(session: &Session<'_>, key: Option<&str>) -> Result<Self> {
        let parse = |text: &str| {
            let key: Result<PublicKey, _> = text.parse();
            key.map_err(|error| CommandError::usage(format!("invalid --key: {error}")))
        };
        Ok(Self {
            pins: KeyPins::new(session.store.directory().join("keys")),
            root: session.place.root().to_owned(),
            required: session.config.packages.require_signature.clone(),
            key: key.map(parse).transpose()?,
        })
    }

    /// Verifies the signature of a package. `name` is the name of the skill at its source.
    pub(super) fn check(
        &self,
        package: &Package,
        reference: &PackageReference,
        name: &SkillName,
        locked: Option<&LockedSkill>,
    ) -> Result<Signature> {
        let shown = reference.to_string();
        let source = pinned_source(reference, name, &self.root);
        // The key of the lock file counts for everyone who has the lock file.
        let locked = locked.and_then(|it| it.signed_by.clone());
        let pinned = self.pins.get(&source)?.map(|it| it.to_string()).or(locked);
        let Some((bytes, signature)) = package.signed_bytes() else {
            let required = |beginning: &String| beginning == "*" || shown.starts_with(beginning);
            let reason = if self.key.is_some() {
                "`--key` was given"
            } else if pinned.is_some() {
                "it was signed before"
            } else if self.required.iter().any(required) {
                "`require_signature` covers it"
            } else {
                return Ok(Signature::None);
            };
            let message = format!("{shown} is not signed, but {reason}");
            return Err(CommandError::permission(message));
        };
        let cannot = || format!("invalid signature of {shown}");
        let key = signer(signature).with_context(cannot)?;
        verify(bytes, signature, &key).with_context(cannot)?;
        match (&self.key, pinned) {
            (Some(expected), _) if *expected != key => Err(CommandError::permission(format!(
                "{shown} is signed by {key}, not by {expected}"
            ))),
            (None, Some(pinned)) if pinned != key.to_string() => Err(CommandError::permission(
                format!("{shown} is signed by {key}, but it was signed by {pinned} before"),
            )
            .hint(format!(
                "if its authors announced the new key, run `prowess add {shown} --key {key}`"
            ))),
            _ => Ok(Signature::Valid {
                is_new: self.pins.check(&source, &key)? != Pin::Same,
                source,
                key,
            }),
        }
    }

    /// Remembers the key of a package that is installed.
    pub(super) fn pin(&self, signature: &Signature) -> Result<()> {
        if let Signature::Valid {
            source,
            key,
            is_new,
        } = signature
            && *is_new
        {
            if self.key.is_some() {
                self.pins.replace(source, key)?;
            } else {
                self.pins.pin(source, key)?;
            }
        }
        Ok(())
    }
}

/// What a key is pinned for: a skill in the directory of its packages, because the names of files have versions.
fn pinned_source(reference: &PackageReference, name: &SkillName, root: &Path) -> String {
    let text = match reference {
        PackageReference::ArchiveUrl(url) => {
            let mut url = url.clone();
            url.set_fragment(None);
            url.set_query(None);
            url.to_string()
        }
        // The key is that of the package, whatever versions were asked for.
        PackageReference::Registry { registry, name, .. } => {
            return PackageReference::Registry {
                registry: registry.clone(),
                name: name.clone(),
                versions: None,
            }
            .to_string();
        }
        PackageReference::Archive(path, _) => root.join(path).display().to_string(),
        other => return other.to_string(),
    };
    let (scheme, path) = text.split_once("://").unwrap_or(("", &text));
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    // Servers do not tell `a//b` from `a/b`.
    let parts = directory.split('/').filter(|part| !part.is_empty());
    format!("{scheme}://{}/{name}", parts.collect::<Vec<_>>().join("/"))
}
