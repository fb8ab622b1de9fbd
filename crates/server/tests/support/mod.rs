//! What the tests of the server and of its clients share.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod client;
pub mod ours;
pub mod scripted;

use std::sync::Arc;
use std::time::Duration;

use prowess_config::{Http, HttpAuth, Secret, Url};
use prowess_core::{MemorySource, Scope, SkillId};
use prowess_sources::{HttpSource, RemoteOptions};
use prowess_spec::SkillPath;

pub const HOUR: Duration = Duration::from_hours(1);

pub fn id(text: &str) -> SkillId {
    text.parse().unwrap()
}

pub fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

pub fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

/// A few skills in two collections and at the root.
pub fn some_skills() -> MemorySource {
    let mut source = MemorySource::new(Scope::Project);
    for (path, description) in [
        ("extraction/email", "Extracts entities from mail"),
        ("extraction/phone", "Extracts numbers of telephones"),
        ("list", "Writes lists"),
        ("writing/haiku", "Writes haiku"),
    ] {
        let name = path.rsplit('/').next().unwrap();
        source.add(path, &skill(name, description, "Do it well.\n"));
    }
    let email = id("extraction/email");
    source.add_file(&email, path("references/rules.md"), "0123456789");
    source.add_file(&email, path("empty"), "");
    source
}

/// A server at `url`, asked anew each time.
pub fn options(url: &str) -> Http {
    let mut options = Http::new(Url::parse(url).unwrap());
    options.refresh = Duration::ZERO;
    options.timeout = Duration::from_secs(20);
    options
}

pub fn bearer(token: &str) -> HttpAuth {
    HttpAuth::Bearer(Secret::new(token))
}

pub fn source(options: Http) -> Arc<HttpSource> {
    Arc::new(HttpSource::new(options, RemoteOptions::default()))
}

/// A source that keeps what it fetched.
pub fn keeping(options: Http, cache: &std::path::Path) -> Arc<HttpSource> {
    let remote = RemoteOptions {
        cache: Some(cache.to_owned()),
        ..RemoteOptions::default()
    };
    Arc::new(HttpSource::new(options, remote))
}
