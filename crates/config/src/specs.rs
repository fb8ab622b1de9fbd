//! The keys of each repository type.

use prowess_spec::SkillPath;
use semver::VersionReq;
use toml::de::DeValue;

use crate::git_location::GitLocation;
use crate::keywords::RepositoryType;
use crate::limits;
use crate::places;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::repository::{
    Git, GitAuth, GitRef, Http, HttpAuth, Mcp, Package, Param, RepositorySpec, Sql,
};
use crate::secret::Secret;
use crate::shape::{Field, FieldType, Need};
use crate::show::Shown;
use crate::texts;
use crate::values::{self, Flaw, ValueContext};

/// The place that a repository of `kind` describes.
pub(crate) fn spec(t: &mut Reader<'_, '_>, kind: RepositoryType) -> Option<RepositorySpec> {
    match kind {
        RepositoryType::Filesystem => {
            let about = ("path", "Directory, relative to this file.");
            let path = t.text(about, Need::Required, Shown::Plain, places::path)?;
            Some(RepositorySpec::Filesystem { path })
        }
        RepositoryType::Archive => {
            let about = ("path", "Zip or tar.gz file, relative to this file.");
            let path = t.text(about, Need::Required, Shown::Plain, places::path)?;
            Some(RepositorySpec::Archive { path })
        }
        RepositoryType::Git => git(t).map(RepositorySpec::Git),
        RepositoryType::Http => http(t).map(RepositorySpec::Http),
        RepositoryType::Sql => sql(t).map(RepositorySpec::Sql),
        RepositoryType::Registry => package(t).map(RepositorySpec::Registry),
        RepositoryType::Mcp => mcp(t).map(RepositorySpec::Mcp),
    }
}

fn git(t: &mut Reader<'_, '_>) -> Option<Git> {
    let about = (
        "url",
        "A URL, `user@host:path`, or a path relative to this file.",
    );
    let url = t.text(about, Need::Required, Shown::Url, places::git);
    let reference = t.table("ref", "Branch, tag or commit.", |t| {
        let about = ("branch", "A branch; updates are fetched.");
        let branch = t.text(about, Need::Optional, Shown::Plain, texts::reference);
        let tag = ("tag", "A tag.");
        let tag = t.text(tag, Need::Optional, Shown::Plain, texts::reference);
        let commit = ("commit", "The hash of a commit.");
        let commit = t.text(commit, Need::Optional, Shown::Plain, texts::commit);
        t.one_of(&["branch", "tag", "commit"]);
        branch
            .map(GitRef::Branch)
            .or(tag.map(GitRef::Tag))
            .or(commit.map(GitRef::Commit))
    });
    let about = ("skills_root", "Directory of the skills in the repository.");
    let root = t.text(
        about,
        Need::Optional,
        Shown::Plain,
        |_, written| match written.text.as_ref() {
            "." | "./" => Ok(None),
            text => SkillPath::parse(text).map(Some).map_err(ProblemKind::Path),
        },
    );
    let auth = t.table("auth", "Credentials.", |t| {
        let about = ("bearer", "A token, for https.");
        let bearer = t.text(about, Need::Optional, Shown::Secret, texts::secret);
        let about = ("ssh_key", "Private key file, for ssh.");
        let key = t.text(about, Need::Optional, Shown::Plain, places::path);
        t.one_of(&["bearer", "ssh_key"]);
        bearer.map(GitAuth::Bearer).or(key.map(GitAuth::SshKey))
    });
    if let (Some(url), Some(auth)) = (&url, &auth)
        && let Some(kind) = mismatch(url, auth)
    {
        for stated in t.stated("auth") {
            t.fault("auth", &stated, kind.clone());
        }
    }
    let about = "Seconds until a branch is fetched again.";
    let refresh = t.seconds("refresh_seconds", about, &limits::REFRESH_SECONDS);
    let depth = t.number("depth", "Number of commits to fetch.", &limits::DEPTH);
    Some(Git {
        url: url?,
        reference,
        skills_root: root.flatten(),
        auth,
        refresh,
        depth,
    })
}

/// Credentials that the scheme does not support or would expose.
fn mismatch(url: &GitLocation, auth: &GitAuth) -> Option<ProblemKind> {
    let (rule, help) = match (url, auth) {
        (GitLocation::Http(url), GitAuth::Bearer(_)) if url.is_https() => {
            return None;
        }
        (GitLocation::Ssh(_), GitAuth::SshKey(_)) => return None,
        (GitLocation::Http(_), GitAuth::Bearer(_)) => (
            "would send a token without encryption",
            "use an `https://` URL",
        ),
        (_, GitAuth::Bearer(_)) => ("has a token, which requires https", "remove it"),
        (_, GitAuth::SshKey(_)) => ("has a key, which requires ssh", "remove it"),
    };
    Some(ProblemKind::Unfit { rule, help })
}

fn http(t: &mut Reader<'_, '_>) -> Option<Http> {
    let about = ("url", "Root of the API; `/skills` is appended.");
    let url = t.text(about, Need::Required, Shown::Url, places::base_url);
    let auth = http_auth(t);
    let about = "Seconds until a response expires.";
    let refresh = t.seconds("refresh_seconds", about, &limits::REFRESH_SECONDS);
    let about = "Timeout of a request in seconds.";
    let timeout = t.seconds("timeout_seconds", about, &limits::TIMEOUT_SECONDS);
    Some(Http {
        url: url?,
        auth,
        refresh,
        timeout,
    })
}

fn http_auth(t: &mut Reader<'_, '_>) -> Option<HttpAuth> {
    t.table("auth", "Credentials.", |t| {
        let about = ("bearer", "A token.");
        let bearer = t.text(about, Need::Optional, Shown::Secret, texts::secret);
        let header = t.table("header", "A custom header.", |t| {
            let about = ("name", "Its name.");
            let name = t.text(about, Need::Required, Shown::Plain, texts::header);
            let about = ("value", "Its value.");
            let value = t.text(about, Need::Required, Shown::Secret, texts::secret);
            Some(HttpAuth::Header {
                name: name?,
                value: value?,
            })
        });
        t.one_of(&["bearer", "header"]);
        bearer.map(HttpAuth::Bearer).or(header)
    })
}

fn sql(t: &mut Reader<'_, '_>) -> Option<Sql> {
    let about = (
        "url",
        "`sqlite:` and a path, `postgres://...` or `mysql://...`.",
    );
    let url = t.text(about, Need::Required, Shown::Url, places::database);
    let about = (
        "query",
        "Returns `id`, `name`, `description` and `content` or `data`.",
    );
    let query = t.text(about, Need::Required, Shown::Plain, texts::lines);
    let params = Field {
        name: "params",
        about: "Parameters of the query, in order.",
        kind: FieldType::List(Box::new(FieldType::Scalar)),
        need: Need::Optional,
    };
    let params = t.read(params, Shown::Plain, None, |context, value| {
        values::each(value, |item| param(context, item))
    });
    let about = "Seconds until a response expires.";
    let refresh = t.seconds("refresh_seconds", about, &limits::REFRESH_SECONDS);
    Some(Sql {
        url: url?,
        query: query?,
        params: params.unwrap_or_default(),
        refresh,
    })
}

fn param(context: &ValueContext<'_>, value: &DeValue<'_>) -> Result<Param, Flaw> {
    const EXPECTED: &str = "a string, a number, `true` or `false`";
    match value {
        DeValue::String(_) => Ok(Param::Text(Secret::new(context.text(value)?.text))),
        DeValue::Boolean(flag) => Ok(Param::Boolean(*flag)),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(Param::Integer)
            .map_err(|_| unbindable()),
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Param::Float(number)),
            _ => Err(unbindable()),
        },
        _ => Err(values::wrong_type(value, EXPECTED)),
    }
}

fn unbindable() -> Flaw {
    let (rule, help) = (
        "has a number that is too large for a database",
        "write a smaller one",
    );
    ProblemKind::Unfit { rule, help }.into()
}

fn package(t: &mut Reader<'_, '_>) -> Option<Package> {
    let about = (
        "url",
        "URL of the registry, if it differs from `[registry]`.",
    );
    let url = t.text(about, Need::Optional, Shown::Url, places::base_url);
    let about = ("package", "Name of the package.");
    let package = t.text(about, Need::Required, Shown::Plain, |_, written| {
        texts::id(&written.text)
    });
    let about = ("version", "Version range, such as `^1.2`.");
    let version = t.text(about, Need::Optional, Shown::Plain, |_, written| {
        VersionReq::parse(&written.text).map_err(|error| ProblemKind::Version {
            message: error.to_string(),
        })
    });
    Some(Package {
        url,
        package: package?,
        version,
    })
}

fn mcp(t: &mut Reader<'_, '_>) -> Option<Mcp> {
    let command = Field {
        name: "command",
        about: "Program and arguments.",
        kind: FieldType::List(Box::new(FieldType::Text)),
        need: Need::Optional,
    };
    let command = t.read(command, Shown::Plain, None, |context, value| {
        let command = values::each(value, |item| Ok(Secret::new(context.text(item)?.text)))?;
        let program = command
            .first()
            .is_some_and(|program| !program.expose().is_empty());
        if program && !command.iter().any(|part| part.expose().contains('\0')) {
            return Ok(command);
        }
        let (rule, help) = (
            "is missing a program",
            "write `[\"program\", \"argument\"]`",
        );
        Err(ProblemKind::Unfit { rule, help }.into())
    });
    let about = ("url", "URL of the server.");
    let url = t.text(about, Need::Optional, Shown::Url, places::http_url);
    t.one_of(&["command", "url"]);
    let about = ("env", "Environment variables of the program.");
    let env = t.map(
        about,
        FieldType::Text,
        Shown::Secret,
        |context, name, value| {
            texts::variable(name)?;
            Ok(Secret::new(context.text(value)?.text))
        },
    );
    t.only_with("env", "command");
    let auth = http_auth(t);
    t.only_with("auth", "url");
    match (command, url) {
        (Some(command), _) => Some(Mcp::Command {
            command,
            directory: t.project_base(),
            env: env
                .into_iter()
                .map(|(name, value, _)| (name, value))
                .collect(),
        }),
        (None, Some(url)) => Some(Mcp::Http { url, auth }),
        (None, None) => None,
    }
}
