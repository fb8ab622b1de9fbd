//! Where the storage is.

use std::path::{Path, PathBuf};

use prowess_config::Secret;

use super::error::StorageError;

/// How a bucket is reached.
#[derive(Clone, Debug, Default)]
pub struct S3Options {
    /// The URL of the store, such as `https://minio.example.com:9000`; that of Amazon by default.
    pub endpoint: Option<String>,
    /// The region; `us-east-1` by default.
    pub region: Option<String>,
    /// The id of the key. Without one, the role of the machine is used.
    pub access_key: Option<Secret>,
    /// The secret of the key.
    pub secret_key: Option<Secret>,
    /// Whether the endpoint may be one without encryption.
    pub allow_http: bool,
}

/// A directory, or a bucket of an S3-compatible store.
///
/// ```
/// use prowess_registry::{S3Options, StorageLocation};
///
/// let directory = StorageLocation::parse("/var/lib/prowess/packages", S3Options::default());
/// assert!(matches!(directory, Ok(StorageLocation::Directory(_))));
/// let bucket = StorageLocation::parse("s3://skills/registry", S3Options::default());
/// assert!(matches!(bucket, Ok(StorageLocation::Bucket { .. })));
/// assert!(StorageLocation::parse("packages", S3Options::default()).is_err());
/// ```
#[derive(Clone, Debug)]
pub enum StorageLocation {
    /// A directory, with an absolute path.
    Directory(PathBuf),
    /// A bucket.
    Bucket {
        /// Its name.
        bucket: String,
        /// What the names of all objects begin with, without slashes around; may be empty.
        prefix: String,
        /// How it is reached.
        options: S3Options,
    },
}

impl StorageLocation {
    /// Reads an absolute path, or `s3://BUCKET[/PREFIX]`.
    pub fn parse(text: &str, options: S3Options) -> Result<Self, StorageError> {
        let invalid = |reason: &str| StorageError::InvalidLocation {
            location: text.to_owned(),
            reason: reason.to_owned(),
        };
        let Some(rest) = text.strip_prefix("s3://") else {
            let path = Path::new(text);
            return if path.is_absolute() {
                Ok(Self::Directory(path.to_owned()))
            } else {
                Err(invalid("expected an absolute path or s3://BUCKET/PREFIX"))
            };
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_bucket(bucket) {
            return Err(invalid(
                "expected a bucket name of 3 to 63 lower-case letters, digits, `.` and `-`",
            ));
        }
        let prefix = prefix.trim_end_matches('/');
        let is_word = |word: &str| {
            !matches!(word, "" | "." | "..")
                && word
                    .bytes()
                    .all(|it| it.is_ascii_alphanumeric() || b"-_.".contains(&it))
        };
        if !prefix.is_empty() && !prefix.split('/').all(is_word) {
            return Err(invalid(
                "expected a prefix of letters, digits, `.`, `_`, `-` and `/`",
            ));
        }
        if options.access_key.is_some() != options.secret_key.is_some() {
            return Err(invalid(
                "expected both an access key and a secret key, or none",
            ));
        }
        if let Some(endpoint) = &options.endpoint {
            // The endpoint itself is not shown: a user may have written a password into it.
            let url = endpoint
                .parse::<url::Url>()
                .map_err(|_| invalid("invalid endpoint: expected a URL"))?;
            match url.scheme() {
                "https" => {}
                "http" if options.allow_http => {}
                "http" => return Err(invalid("the endpoint is not encrypted: expected https")),
                _ => return Err(invalid("invalid endpoint: expected https")),
            }
            if !url.username().is_empty() || url.password().is_some() {
                return Err(invalid(
                    "invalid endpoint: credentials are options of their own",
                ));
            }
        }
        Ok(Self::Bucket {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
            options,
        })
    }
}

fn is_bucket(name: &str) -> bool {
    (3..=63).contains(&name.len())
        && !name.contains("..")
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read() {
        let read = |text| match StorageLocation::parse(text, S3Options::default()) {
            Ok(StorageLocation::Directory(path)) => path.display().to_string(),
            Ok(StorageLocation::Bucket { bucket, prefix, .. }) => format!("{bucket} {prefix}"),
            Err(error) => error.to_string().split(": ").last().unwrap().to_owned(),
        };
        let name = "expected a bucket name of 3 to 63 lower-case letters, digits, `.` and `-`";
        let prefix = "expected a prefix of letters, digits, `.`, `_`, `-` and `/`";
        for (text, expected) in [
            ("/srv/packages", "/srv/packages"),
            ("s3://skills", "skills "),
            ("s3://skills/", "skills "),
            ("s3://skills/a/b/", "skills a/b"),
            (
                "packages",
                "expected an absolute path or s3://BUCKET/PREFIX",
            ),
            ("", "expected an absolute path or s3://BUCKET/PREFIX"),
            ("s3://", name),
            ("s3://Skills", name),
            ("s3://a..b", name),
            ("s3://skills/../other", prefix),
            ("s3://skills//a", prefix),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn options_are_checked_and_secrets_are_not_shown() {
        let parse = |options| StorageLocation::parse("s3://skills", options);
        let plain = S3Options {
            endpoint: Some("http://127.0.0.1:9000".to_owned()),
            ..S3Options::default()
        };
        assert!(parse(plain.clone()).is_err());
        let half = S3Options {
            access_key: Some(Secret::new("id")),
            ..S3Options::default()
        };
        assert!(parse(half).is_err());
        let password = S3Options {
            endpoint: Some("https://me:s3cr3t@example.com".to_owned()),
            ..S3Options::default()
        };
        assert!(!parse(password).unwrap_err().to_string().contains("s3cr3t"));
        let location = parse(S3Options {
            access_key: Some(Secret::new("the-key")),
            secret_key: Some(Secret::new("s3cr3t")),
            allow_http: true,
            ..plain
        });
        let shown = format!("{:?}", location.unwrap());
        assert!(!shown.contains("s3cr3t") && !shown.contains("the-key"));
    }
}
