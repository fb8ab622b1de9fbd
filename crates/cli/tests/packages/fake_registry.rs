//! A registry in memory that records its requests, and answers wrongly on request.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use prowess_core::wire::Problem;
use prowess_registry::wire::{
    AuditVerdict, FoundPackage, PackageInfo, PublishReceipt, SIGNATURE_HEADER, TOTAL_HEADER,
    VersionDiff, VersionInfo, Yank,
};
use prowess_registry::{PackageFile, PackageTree, pack, package_digest};
use prowess_spec::SkillPath;
use semver::Version;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::workshop::Workshop;

/// The token that may write.
pub(crate) const TOKEN: &str = "prowess-token-4711";

#[derive(Default)]
pub(crate) struct Shelf {
    pub(crate) packages: BTreeMap<String, PackageInfo>,
    pub(crate) bytes: BTreeMap<(String, String), Vec<u8>>,
    signatures: BTreeMap<(String, String), String>,
    requests: Vec<Recorded>,
    /// Answers to the next requests, whatever they ask.
    pub(crate) next: VecDeque<Fault>,
    /// The answer to every request.
    pub(crate) always: Option<Fault>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) line: String,
    pub(crate) token: Option<String>,
}

/// An answer that is none of a registry.
#[derive(Clone)]
pub(crate) struct Fault {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Fault {
    pub(crate) fn new(status: u16, body: &str) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

pub(crate) struct FakeRegistry {
    pub(crate) url: String,
    shelf: Arc<Mutex<Shelf>>,
    _runtime: Runtime,
}

/// The files of a skill.
pub(crate) fn skill(name: &str, body: &str) -> PackageTree {
    let text = format!(
        "---\nname: {name}\ndescription: Does {name}. Use for {name} files.\n---\n\n{body}\n"
    );
    let file = PackageFile {
        bytes: text.into_bytes(),
        executable: false,
    };
    PackageTree::new([(SkillPath::parse("SKILL.md").unwrap(), file)]).unwrap()
}

impl FakeRegistry {
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let shelf = Arc::new(Mutex::new(Shelf::default()));
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&shelf));
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = runtime.block_on(TcpListener::bind(address)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            shelf,
            _runtime: runtime,
        }
    }

    pub(crate) fn edit<T>(&self, change: impl FnOnce(&mut Shelf) -> T) -> T {
        change(&mut self.shelf.lock().unwrap())
    }

    /// Publishes a version of a skill with this text.
    pub(crate) fn publish(&self, name: &str, version: &str, body: &str) {
        let skill = skill(name.rsplit('/').next().unwrap(), body);
        let bytes = pack(&skill).unwrap();
        self.edit(|shelf| shelf.publish(name, version, bytes, None));
    }

    pub(crate) fn version(&self, name: &str, version: &str, change: impl FnOnce(&mut VersionInfo)) {
        self.edit(|shelf| {
            let package = shelf.packages.get_mut(name).unwrap();
            let mut versions = package.versions.iter_mut();
            change(
                versions
                    .find(|it| it.version.to_string() == version)
                    .unwrap(),
            );
        });
    }

    pub(crate) fn yank(&self, name: &str, version: &str, reason: &str) {
        self.version(name, version, |it| {
            it.yanked = Some(Yank {
                reason: reason.to_owned(),
                at: "2026-02-03T00:00:00Z".to_owned(),
            });
        });
    }

    /// Answers so once.
    pub(crate) fn fail_once(&self, fault: Fault) {
        self.edit(|shelf| shelf.next.push_back(fault));
    }

    /// The requests since the last call, without the scheme.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.edit(|shelf| std::mem::take(&mut shelf.requests))
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().into_iter().map(|it| it.line).collect()
    }

    /// Makes it the registry of the user.
    pub(crate) fn configure(&self, workshop: &Workshop) {
        let text = format!("[registry]\nurl = \"{}\"\n", self.url);
        workshop.write("home/.config/prowess/prowess.toml", text);
    }

    /// Logs the user in.
    pub(crate) fn log_in(&self, workshop: &Workshop) {
        self.configure(workshop);
        let text = format!("[registry.\"{}\"]\ntoken = \"{TOKEN}\"\n", self.url);
        workshop.write("home/.config/prowess/credentials.toml", text);
        prowess_testing::run(
            std::process::Command::new("chmod")
                .arg("600")
                .arg(workshop.path("home/.config/prowess/credentials.toml")),
        );
    }
}

impl Shelf {
    pub(crate) fn publish(
        &mut self,
        name: &str,
        version: &str,
        bytes: Vec<u8>,
        signature: Option<String>,
    ) {
        let info = VersionInfo {
            version: version.parse().unwrap(),
            description: format!("Does {name}."),
            digest: package_digest(&bytes).to_string(),
            size: bytes.len() as u64,
            files: 1,
            published_at: "2026-01-02T03:04:05Z".to_owned(),
            published_by: "alice".to_owned(),
            types: Vec::new(),
            permissions: Vec::new(),
            licence: Some("MIT".to_owned()),
            has_code: false,
            verdict: AuditVerdict::Clean,
            findings: Vec::new(),
            signed_by: signature.as_ref().map(|_| "a key".to_owned()),
            yanked: None,
            downloads: 7,
        };
        let package = self.packages.entry(name.to_owned());
        let package = package.or_insert_with(|| PackageInfo {
            name: name.parse().unwrap(),
            description: info.description.clone(),
            latest: None,
            owners: vec!["alice".to_owned()],
            downloads: 7,
            versions: Vec::new(),
        });
        package.versions.push(info);
        package.versions.sort_by(|a, b| b.version.cmp(&a.version));
        let key = (name.to_owned(), version.to_owned());
        if let Some(signature) = signature {
            self.signatures.insert(key.clone(), signature);
        }
        self.bytes.insert(key, bytes);
    }
}

fn respond(status: u16, body: impl Into<Body>) -> Response {
    Response::builder()
        .status(status)
        .body(body.into())
        .unwrap()
}

fn json(value: &impl Serialize) -> Response {
    respond(200, serde_json::to_string(value).unwrap())
}

fn problem(status: u16, detail: &str) -> Response {
    let problem = Problem::new("refused", status, detail);
    respond(status, serde_json::to_string(&problem).unwrap())
}

async fn answer(State(shelf): State<Arc<Mutex<Shelf>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
    let header = |name: &str| {
        let value = parts.headers.get(name)?;
        Some(value.to_str().unwrap().to_owned())
    };
    let token = header(header::AUTHORIZATION.as_str());
    let token = token.map(|it| it.strip_prefix("Bearer ").unwrap().to_owned());
    let mut shelf = shelf.lock().unwrap();
    shelf.requests.push(Recorded {
        line: format!("{} {}", parts.method, parts.uri),
        token: token.clone(),
    });
    let fault = shelf.next.pop_front().or_else(|| shelf.always.clone());
    if let Some(fault) = fault {
        let mut response = respond(fault.status, fault.body);
        for (name, value) in fault.headers {
            response.headers_mut().insert(name, value.parse().unwrap());
        }
        return response;
    }
    if token.is_some() && token.as_deref() != Some(TOKEN) {
        return problem(401, "the token is not valid");
    }
    if parts.method != Method::GET && token.is_none() {
        return problem(401, "a token is needed");
    }
    let query: BTreeMap<String, String> =
        url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect();
    let path = parts.uri.path().strip_prefix("/api/v1/").unwrap();
    if path == "search" {
        return search(&shelf, &query);
    }
    let segments: Vec<&str> = path.strip_prefix("skills/").unwrap().split('/').collect();
    // A version or a word of the API ends the name.
    let is_word = |it: &&str| *it == "owners" || Version::parse(it).is_ok();
    let end = segments.iter().position(is_word).unwrap_or(segments.len());
    let name = segments[..end].join("/");
    let rest = &segments[end..];
    package(
        &mut shelf,
        &parts.method,
        &name,
        rest,
        &query,
        body,
        header(SIGNATURE_HEADER),
    )
}

fn search(shelf: &Shelf, query: &BTreeMap<String, String>) -> Response {
    let number = |key: &str| query[key].parse::<usize>().unwrap();
    let words: Vec<&str> = query["q"].split(' ').collect();
    let owner = query.get("owner");
    let fits = |it: &&PackageInfo| {
        let name = it.name.to_string();
        // As loose as a search by letters.
        let near = words
            .iter()
            .any(|word| name.contains(word.get(..3).unwrap_or(word)));
        near && owner.is_none_or(|owner| it.name.owner() == Some(owner))
    };
    let found: Vec<&PackageInfo> = shelf.packages.values().filter(fits).collect();
    let rows: Vec<FoundPackage> = found
        .iter()
        .skip(number("offset"))
        .take(number("limit"))
        .map(|it| FoundPackage {
            name: it.name.clone(),
            version: it.versions[0].version.clone(),
            description: it.description.clone(),
            downloads: it.downloads,
            published_at: it.versions[0].published_at.clone(),
            score: 1.0,
        })
        .collect();
    let mut response = json(&rows);
    let total = found.len().to_string().parse().unwrap();
    response.headers_mut().insert(TOTAL_HEADER, total);
    response
}

fn package(
    shelf: &mut Shelf,
    method: &Method,
    name: &str,
    rest: &[&str],
    query: &BTreeMap<String, String>,
    body: Vec<u8>,
    signature: Option<String>,
) -> Response {
    let key = |version: &str| (name.to_owned(), version.to_owned());
    if let (&Method::PUT, [version]) = (method, rest) {
        let digest = package_digest(&body).to_string();
        let before = shelf.bytes.get(&key(version));
        let status = match before {
            Some(bytes) if *bytes == body => StatusCode::OK,
            Some(_) => return problem(409, &format!("{name} {version} exists with other bytes")),
            None => StatusCode::CREATED,
        };
        if status == StatusCode::CREATED {
            shelf.publish(name, version, body, signature);
        }
        let receipt = PublishReceipt {
            name: name.parse().unwrap(),
            version: version.parse().unwrap(),
            digest,
            warnings: shelf.warnings.clone(),
        };
        return respond(status.as_u16(), serde_json::to_string(&receipt).unwrap());
    }
    let Some(info) = shelf.packages.get_mut(name) else {
        return problem(404, &format!("unknown package `{name}`"));
    };
    match (method, rest) {
        (&Method::GET, []) => json(info),
        (&Method::GET, ["owners"]) => json(&info.owners),
        (&Method::PUT, ["owners", who]) => {
            info.owners.push((*who).to_owned());
            respond(204, "")
        }
        (&Method::DELETE, ["owners", who]) => {
            info.owners.retain(|it| it != who);
            respond(204, "")
        }
        (&Method::GET, [version, "download"]) => match shelf.bytes.get(&key(version)) {
            Some(bytes) => respond(200, bytes.clone()),
            None => problem(404, "unknown version"),
        },
        (&Method::GET, [version, "signature"]) => match shelf.signatures.get(&key(version)) {
            Some(signature) => respond(200, signature.clone()),
            None => problem(404, "not signed"),
        },
        (&Method::GET, [version, "diff"]) => json(&VersionDiff {
            from: Some(query["from"].parse().unwrap()),
            to: version.parse().unwrap(),
            files: Vec::new(),
            permissions_added: vec!["net:fetch".to_owned()],
            permissions_removed: Vec::new(),
        }),
        (&Method::DELETE, [version]) => {
            let mut versions = info.versions.iter_mut();
            let found = versions.find(|it| it.version.to_string() == *version);
            let Some(found) = found else {
                return problem(404, &format!("{name} has no version {version}"));
            };
            found.yanked = Some(Yank {
                reason: query["reason"].clone(),
                at: "2026-02-03T00:00:00Z".to_owned(),
            });
            respond(204, "")
        }
        (&Method::PUT, [version, "unyank"]) => {
            let versions = info.versions.iter_mut();
            for found in versions.filter(|it| it.version.to_string() == *version) {
                found.yanked = None;
            }
            respond(204, "")
        }
        _ => problem(404, "unknown path"),
    }
}
