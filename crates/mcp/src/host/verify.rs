//! Nothing is used before it is what the list promised.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prowess_spec::Mapping;
use rmcp::model::ResourceContents;
use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::wire::SkillFile;

/// Verification errors of server responses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Forged {
    #[error("the server returned another file")]
    Address,
    #[error("cannot decode the file")]
    Encoding,
    #[error("size mismatch: expected {expected} bytes, got {found}")]
    Size { found: u64, expected: u64 },
    #[error("digest mismatch")]
    Digest,
    #[error("frontmatter mismatch (`{0}`)")]
    Frontmatter(String),
}

/// The bytes of an answer, if they are those of `file`.
pub(super) fn bytes(content: ResourceContents, file: &SkillFile) -> Result<Vec<u8>, Forged> {
    let (uri, bytes) = match content {
        ResourceContents::TextResourceContents { uri, text, .. } => (uri, text.into_bytes()),
        ResourceContents::BlobResourceContents { uri, blob, .. } => (
            uri,
            BASE64_STANDARD.decode(blob).map_err(|_| Forged::Encoding)?,
        ),
        _ => return Err(Forged::Encoding),
    };
    if uri != file.uri {
        return Err(Forged::Address);
    }
    check(&bytes, file)?;
    Ok(bytes)
}

/// Whether bytes are those of `file`.
pub(super) fn check(bytes: &[u8], file: &SkillFile) -> Result<(), Forged> {
    let found = bytes.len() as u64;
    if found != file.size {
        return Err(Forged::Size {
            found,
            expected: file.size,
        });
    }
    if Digest::of(bytes) != file.digest {
        return Err(Forged::Digest);
    }
    Ok(())
}

/// Compares the frontmatter of a file with that of the list, field by field.
pub(super) fn frontmatter(found: &Mapping, promised: &Map<String, Value>) -> Result<(), Forged> {
    let Ok(Value::Object(found)) = serde_json::to_value(found) else {
        return Err(Forged::Frontmatter(String::new()));
    };
    let mut fields = found.keys().chain(promised.keys());
    let differs = |field: &&String| match (found.get(*field), promised.get(*field)) {
        (Some(found), Some(promised)) => !same(found, promised),
        _ => true,
    };
    match fields.find(differs) {
        Some(field) => Err(Forged::Frontmatter(field.escape_debug().take(80).collect())),
        None => Ok(()),
    }
}

/// Whether two values are equal; `1` and `1.0` are the same number, since YAML parsers differ.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same_field = |(key, a): (&String, &Value)| b.get(key).is_some_and(|b| same(a, b));
            a.len() == b.len() && a.iter().all(same_field)
        }
        _ => a == b,
    }
}
