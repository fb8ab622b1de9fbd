//! Skills that change while the agent runs.
//!
//! `cargo run -p prowess --example hot_reload`
#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use prowess::{Skills, directory, watch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = tempfile::tempdir()?;
    let builder = Skills::builder().source("here", directory(root.path()));
    let skills = pollster::block_on(builder.build())?;
    let (sender, receiver) = mpsc::channel();
    let _watch = watch(&skills, move |catalog| {
        let _ = sender.send(catalog.len());
    })?;
    fs::create_dir(root.path().join("haiku"))?;
    let text = "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n";
    fs::write(root.path().join("haiku/SKILL.md"), text)?;
    // A file may be seen before it is written; then there is nothing in it yet.
    let mut count = 0;
    while count == 0 {
        count = receiver.recv_timeout(Duration::from_secs(10))?;
    }
    println!("{count} skill");
    Ok(())
}
