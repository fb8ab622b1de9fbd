//! Search with a static model: the second part of `cargo xtask bench search`.
//!
//! The model is the table inside of the package `wordllama` of the Python Package Index, installed for the run.
#![cfg(test)]
#![allow(
    clippy::string_slice,
    clippy::cast_precision_loss,
    dead_code,
    reason = "figures are rounded, and the modules are those of the first part"
)]

#[path = "../../core/benches/search/labelled.rs"]
mod labelled;
#[path = "../../core/benches/search/own.rs"]
mod own;
#[path = "../../core/benches/search/packages.rs"]
mod packages;
#[path = "../../core/benches/search/quality.rs"]
mod quality;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use labelled::{Half, Skill};
use pollster::block_on;
use prowess_core::{MemorySource, Scope, Skills};
use prowess_embeddings::{MeaningSignal, StaticModel};

const PACKAGE: &str = "wordllama==0.4.0.post1";

fn main() {
    let mut all = own::skills();
    all.extend(packages::skills());
    let tasks = labelled::tasks(&all);
    let skills = engine(&all);
    let ranker = |queries: &[&str]| {
        let found = block_on(skills.find(queries, |_| true));
        let found = found.iter().take(quality::DEPTH);
        found.map(|it| it.id.to_string()).collect::<Vec<_>>()
    };
    quality::report("search", &tasks, Half::Test, &ranker);
    let report = Arc::new(|text: &str| panic!("{text}"));
    let cache = tempfile::tempdir().unwrap();
    let cache = Some(cache.path().to_owned());
    let signal = MeaningSignal::new(Arc::new(StaticModel::new(model())), cache, report);
    skills.set_signals(vec![Arc::new(signal)]);
    let start = Instant::now();
    ranker(&["warm up"]);
    println!(
        "vectors of {} skills: {:.2} s\n",
        all.len(),
        start.elapsed().as_secs_f64()
    );
    quality::report("search and meaning", &tasks, Half::Tune, &ranker);
    quality::report("search and meaning", &tasks, Half::Test, &ranker);
}

fn engine(all: &[Skill]) -> Skills {
    let mut source = MemorySource::new(Scope::Project);
    for skill in all {
        let name = skill.id.rsplit('/').next().unwrap();
        let description = serde_json::to_string(&skill.description).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: {description}\n---\n{}\n",
            skill.body
        );
        assert!(source.add_owned(&skill.id, text).is_some(), "{}", skill.id);
    }
    block_on(Skills::builder().source("labelled", source).build()).unwrap()
}

/// A directory with `tokenizer.json` and the table of the package.
fn model() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wordllama");
    let ready = directory.join("ready");
    if ready.is_dir() {
        return ready;
    }
    eprintln!("installing {PACKAGE}");
    fs::create_dir_all(&directory).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program)
            .args(arguments)
            .current_dir(&directory)
            .status();
        assert!(status.unwrap().success(), "{program} {arguments:?}");
    };
    run(
        "python3",
        &["-m", "pip", "download", "--quiet", "--no-deps", PACKAGE],
    );
    let wheel = fs::read_dir(&directory)
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let wheel = wheel
        .into_iter()
        .find(|path| path.extension().is_some_and(|it| it == "whl"))
        .unwrap();
    run(
        "python3",
        &["-m", "zipfile", "-e", wheel.to_str().unwrap(), "unpacked"],
    );
    let part = directory.join("part");
    fs::create_dir_all(&part).unwrap();
    let root = directory.join("unpacked/wordllama");
    fs::copy(
        root.join("tokenizers/l2_supercat_tokenizer_config.json"),
        part.join("tokenizer.json"),
    )
    .unwrap();
    fs::copy(
        root.join("weights/l2_supercat_256.safetensors"),
        part.join("model.safetensors"),
    )
    .unwrap();
    fs::rename(part, &ready).unwrap();
    ready
}
