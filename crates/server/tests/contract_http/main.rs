//! The contract of the HTTP source, against our server and against one that misbehaves.
#![cfg(test)]

#[path = "../support/mod.rs"]
mod support;

mod asking;
mod bad_answers;
mod down;
mod falling_through;
mod origins;
mod reading;
mod secrets;

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_config::{HttpAuth, Secret};
use prowess_core::{
    CatalogOptions, Composite, Filter, Health, MemorySource, Scope, Skills, Source, SourceError,
};
use prowess_server::ApiOptions;
use prowess_sources::{HttpSource, Network, RemoteOptions};
use support::ours::Ours;
use support::scripted::{Reply, Request, Scripted, answer, exchange, json, list, missing};
use support::{HOUR, bearer, id, keeping, options, path, skill, some_skills, source};
use tokio::net::TcpListener;

fn ids(snapshot: &prowess_core::Snapshot) -> Vec<&str> {
    snapshot
        .skills
        .iter()
        .map(|skill| skill.id.as_str())
        .collect()
}

fn reason(error: SourceError) -> String {
    match error {
        SourceError::Unavailable(reason) => reason,
        other => panic!("{other:?}"),
    }
}

/// Sources as a host has them, the most important first.
fn composite(sources: Vec<(&str, Arc<dyn Source>)>) -> Composite {
    let mut composite = Composite::new(CatalogOptions::default());
    for (name, source) in sources {
        composite.push(name, source);
    }
    composite
}

fn local() -> Arc<dyn Source> {
    let mut source = MemorySource::new(Scope::Project);
    source.add("local", &skill("local", "Is here", "Here.\n"));
    source.add(
        "extraction/email",
        &skill("email", "The local one", "Local.\n"),
    );
    Arc::new(source)
}

fn credentials() -> [Option<HttpAuth>; 2] {
    let (name, value) = ("x-api-key".to_owned(), Secret::new("s3cr3t"));
    [bearer("s3cr3t"), HttpAuth::Header { name, value }].map(Some)
}
