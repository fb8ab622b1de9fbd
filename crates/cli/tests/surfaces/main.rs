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
use std::thread;

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

#[test]
fn every_surface_gives_the_same() {
    let scenes = Scene::all();
    let results: Vec<_> = thread::scope(|scope| {
        let (first, second) = scenes.split_at(scenes.len() / 2);
        let halves = [first, second].map(|scenes| {
            scope.spawn(move || {
                scenes
                    .iter()
                    .map(|it| (it, compare(it)))
                    .collect::<Vec<_>>()
            })
        });
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap())
            .collect()
    });
    print!("{:34}", "");
    for surface in Surface::ALL {
        print!(" {:9}", surface.short());
    }
    println!();
    let mut problems = Vec::new();
    for (scene, (found, cells)) in results {
        print!("{:34}", scene.name);
        for surface in Surface::ALL {
            print!(" {:9}", cells.get(&surface).unwrap_or(&"-"));
        }
        println!();
        problems.extend(found);
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
