//! Skills inside the program itself.
//!
//! `cargo run -p prowess --example embedded_skills`
#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use include_dir::{Dir, include_dir};
use prowess::{Skills, embedded};

static SKILLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../examples/skills");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let builder = Skills::builder().source("built-in", embedded(&SKILLS));
    let skills = pollster::block_on(builder.build())?;
    for skill in skills.catalog().skills() {
        println!("{}", skill.descriptor.id);
    }
    Ok(())
}
