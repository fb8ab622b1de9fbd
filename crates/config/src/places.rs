//! Where things lie: paths and URLs, as the file that states them means them.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use crate::address::{Url, scheme};
use crate::git_location::{GitLocation, GitLocationError, scp};
use crate::problem::ProblemKind;
use crate::values::{TextValue, ValueContext, Variables};

/// The database to query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Database {
    /// A file.
    Sqlite(PathBuf),
    /// A `PostgreSQL` server.
    Postgres(Url),
    /// A `MySQL` server.
    MySql(Url),
}

/// A path; relative ones begin at the file that states them.
pub(crate) fn path(
    context: &ValueContext<'_>,
    written: &TextValue<'_>,
) -> Result<PathBuf, ProblemKind> {
    resolve(context, &written.text)
}

/// A directory, or a bucket of an S3-compatible store.
pub(crate) fn storage(
    context: &ValueContext<'_>,
    written: &TextValue<'_>,
) -> Result<String, ProblemKind> {
    if written.text.starts_with("s3://") {
        return Ok(written.text.to_string());
    }
    if written.text.contains("://") {
        return Err(ProblemKind::Scheme {
            allowed: "a directory or `s3://BUCKET/PREFIX`",
        });
    }
    let path = resolve(context, &written.text)?;
    let text = path.into_os_string().into_string();
    text.map_err(|_| ProblemKind::Unfit {
        rule: "is not UTF-8",
        help: "use another directory",
    })
}

fn resolve(context: &ValueContext<'_>, text: &str) -> Result<PathBuf, ProblemKind> {
    if text.is_empty() || text.contains(char::is_control) {
        return Err(ProblemKind::Unfit {
            rule: "is not a valid path",
            help: "write a path, relative to this file or absolute",
        });
    }
    let whole = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let home = context.lookup.home.ok_or(ProblemKind::NoHome)?;
            home.join(rest.trim_start_matches('/'))
        }
        _ => context.base.join(text),
    };
    // `..` is preserved: after a link it has another meaning.
    let parts = whole.components().filter(|part| *part != Component::CurDir);
    Ok(parts.collect())
}

/// The address of a server, to which paths are appended.
pub(crate) fn base_url(
    context: &ValueContext<'_>,
    written: &TextValue<'_>,
) -> Result<Url, ProblemKind> {
    if written.text.contains(['?', '#']) {
        return Err(ProblemKind::Unfit {
            rule: "contains a query or a fragment",
            help: "write the base URL only",
        });
    }
    http_url(context, written)
}

/// Any address of the web.
pub(crate) fn http_url(
    context: &ValueContext<'_>,
    written: &TextValue<'_>,
) -> Result<Url, ProblemKind> {
    let parsed = parse(context, written)?;
    let whole = scheme(&written.text).is_some();
    if whole && matches!(parsed.scheme(), "http" | "https") {
        Ok(Url::new(&written.text, written.raw))
    } else {
        Err(ProblemKind::Scheme {
            allowed: "`https://` or `http://`",
        })
    }
}

fn parse(context: &ValueContext<'_>, written: &TextValue<'_>) -> Result<url::Url, ProblemKind> {
    variables_are_replaced(context, written)?;
    if written
        .text
        .contains(|c: char| c.is_control() || c.is_whitespace())
    {
        return Err(ProblemKind::Unfit {
            rule: "contains a space or a control character",
            help: "write a URL",
        });
    }
    url::Url::parse(&written.text).map_err(ProblemKind::Url)
}

fn variables_are_replaced(
    context: &ValueContext<'_>,
    written: &TextValue<'_>,
) -> Result<(), ProblemKind> {
    if context.variables == Variables::Literal && written.raw.contains("${") {
        return Err(ProblemKind::Unfit {
            rule: "contains `${`, but variables are replaced only in repositories and in `store.url` of your own file",
            help: "write the value itself",
        });
    }
    Ok(())
}

/// A git repository: a URL, git's `user@host:path`, or a path.
pub(crate) fn git(
    context: &ValueContext<'_>,
    written: &TextValue<'_>,
) -> Result<GitLocation, ProblemKind> {
    const ALLOWED: &str = "`https://`, `http://`, `ssh://` or `file://`, or be a path";
    let text = written.text.as_ref();
    if text.contains("://") {
        variables_are_replaced(context, written)?;
    }
    match GitLocation::parse_written(text, written.raw) {
        Ok(GitLocation::Local(path)) if text.contains("://") => {
            return Ok(GitLocation::Local(path));
        }
        Ok(GitLocation::Local(_)) | Err(GitLocationError::Empty) => {}
        Ok(GitLocation::Daemon(_)) => return Err(ProblemKind::Scheme { allowed: ALLOWED }),
        Ok(location) => return Ok(location),
        Err(GitLocationError::FileHost) => {
            return Err(ProblemKind::Unfit {
                rule: "has a host name",
                help: "write `file:///` and an absolute path",
            });
        }
        Err(GitLocationError::Url(error)) => return Err(ProblemKind::Url(error)),
        Err(GitLocationError::Characters) if text.contains("://") => {
            return Err(ProblemKind::Unfit {
                rule: "contains a space or a control character",
                help: "write a URL",
            });
        }
        // A path says so itself.
        Err(GitLocationError::Characters) if scp(text).is_none() => {}
        Err(_) => return Err(ProblemKind::Scheme { allowed: ALLOWED }),
    }
    let path = resolve(context, text)?;
    if is_short_form(text) && !path.exists() {
        return Err(ProblemKind::Unfit {
            rule: "is a path to a directory that does not exist",
            help: "write the whole URL, such as `https://github.com/owner/repository`",
        });
    }
    Ok(GitLocation::Local(path))
}

/// Whether a text looks like the `owner/repository` that other tools take.
fn is_short_form(text: &str) -> bool {
    let part = |part: &str| {
        let mut characters = part.chars();
        characters.next().is_some_and(|c| c.is_ascii_alphanumeric())
            && characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let mut parts = text.split('/');
    let is_pair = parts.next().is_some_and(part) && parts.next().is_some_and(part);
    // `made/x.git` is how people call a repository on their machine.
    is_pair && parts.next().is_none() && text.strip_suffix(".git").is_none()
}

/// A database, by URL.
pub(crate) fn database(
    context: &ValueContext<'_>,
    written: &TextValue<'_>,
) -> Result<Database, ProblemKind> {
    const ALLOWED: &str = "`sqlite:`, `postgres://` or `mysql://`";
    if let Some(path) = sqlite(context, &written.text)? {
        return Ok(Database::Sqlite(path));
    }
    let own_url = || Url::new(&written.text, written.raw);
    match scheme(&written.text).map(|(scheme, _)| scheme) {
        Some("postgres" | "postgresql") => {
            parse(context, written).map(|_| Database::Postgres(own_url()))
        }
        Some("mysql") => parse(context, written).map(|_| Database::MySql(own_url())),
        _ => Err(ProblemKind::Scheme { allowed: ALLOWED }),
    }
}

/// The file of a `sqlite:` URL, if it is one.
fn sqlite(context: &ValueContext<'_>, text: &str) -> Result<Option<PathBuf>, ProblemKind> {
    let Some(rest) = text.strip_prefix("sqlite:") else {
        return Ok(None);
    };
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    if rest.is_empty() || rest == ":memory:" || rest.contains(['?', '#']) {
        return Err(ProblemKind::Unfit {
            rule: "does not name a file",
            help: "write `sqlite:` and a path only",
        });
    }
    resolve(context, rest).map(Some)
}

/// The directory of a file; of a bare name, the one that it is opened in.
pub(crate) fn directory_of(file: &Path) -> PathBuf {
    file.parent().unwrap_or(file).to_owned()
}
