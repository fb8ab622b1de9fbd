//! The surface matrix: what a model, a person or a program gets does not depend on the road.
//!
//! Each file of `scenarios` is one scene; a driver runs it on each surface that has the feature, and what comes out is compared with
//! what the library gives. A surface that differs in a field has a reason in the scene, or the test fails; a reason for a
//! difference that is no longer there fails, too.
#![cfg(test)]
#![cfg(unix)]

mod chat;
mod http;
mod library;
mod mcp;
mod scene;
#[path = "../serve_chats/server.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod server;
#[path = "../support/mod.rs"]
mod support;
mod transcript;

use std::collections::BTreeMap;

use scene::{Scene, Surface};
use transcript::Transcript;

fn run(surface: Surface, scene: &Scene) -> Transcript {
    let project = scene.project();
    let transcript = match surface {
        Surface::Library => library::run(&project, scene),
        Surface::Chat => chat::run(&project, scene),
        Surface::WebChat => http::web_chat(&project, scene),
        Surface::Session => http::session(&project, scene),
        Surface::McpStdio => mcp::stdio(&project, scene),
        Surface::McpHttp => mcp::http(&project, scene),
    };
    transcript.normalised(&project)
}

/// The problems of a scene, and one word for each surface.
fn compare(scene: &Scene) -> (Vec<String>, BTreeMap<Surface, &'static str>) {
    let expected = run(Surface::Library, scene);
    let mut problems = Vec::new();
    let mut cells = BTreeMap::new();
    for surface in [Surface::Library].iter().chain(&scene.surfaces) {
        let found = if *surface == Surface::Library {
            expected.clone()
        } else {
            run(*surface, scene)
        };
        let known = scene.differs.get(surface);
        let mut word = "same";
        let mut differences = expected.differences(&found, *surface);
        differences.extend(found.unmet(&scene.expect, *surface));
        for (field, expected, found) in &differences {
            let is_known = known.is_some_and(|known| known.fields.iter().any(|it| it == *field));
            word = if is_known { "differs" } else { "FAILED" };
            if !is_known {
                problems.push(format!(
                    "{}: {surface:?}: {field} differs\n  expected: {expected}\n  found:    {found}",
                    scene.name
                ));
            }
        }
        for field in known.into_iter().flat_map(|known| &known.fields) {
            if !differences.iter().any(|(differing, ..)| differing == field) {
                word = "FAILED";
                problems.push(format!(
                    "{}: {surface:?}: {field} is the same now: remove the exception",
                    scene.name
                ));
            }
        }
        cells.insert(*surface, word);
    }
    (problems, cells)
}

/// Runs the scenes of a row, and prints what became of each on each surface.
fn row(id: &str) {
    let scenes = Scene::all().into_iter();
    let scenes: Vec<Scene> = scenes
        .filter(|scene| scene.name.starts_with(&format!("{id}-")))
        .collect();
    assert!(!scenes.is_empty(), "no scenes of {id}");
    print!("{:34}", "");
    for surface in Surface::ALL {
        print!(" {:9}", surface.short());
    }
    println!();
    let mut problems = Vec::new();
    for scene in &scenes {
        let (found, cells) = compare(scene);
        print!("{:34}", scene.name);
        for surface in Surface::ALL {
            print!(" {:9}", cells.get(&surface).unwrap_or(&"-"));
        }
        println!();
        problems.extend(found);
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn su1_catalogs_under_every_dialect() {
    row("su1");
}

#[test]
fn su2_preload() {
    row("su2");
}

#[test]
fn su3_references() {
    row("su3");
}

#[test]
fn su4_load_browse_and_read() {
    row("su4");
}

#[test]
fn su5_names_of_tools() {
    row("su5");
}

#[test]
fn every_scene_belongs_to_a_row() {
    for scene in Scene::all() {
        let known = ["su1", "su2", "su3", "su4", "su5"];
        let is_known = known
            .iter()
            .any(|id| scene.name.starts_with(&format!("{id}-")));
        assert!(is_known, "{}", scene.name);
    }
}
