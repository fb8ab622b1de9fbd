//! Skills from a program's own table, another set for each user.
//!
//! `cargo run -p prowess --example per_user_records`
#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use prowess::{Scope, SkillRecord, Skills, records};

fn rows_of(user: &str) -> Vec<SkillRecord> {
    vec![SkillRecord {
        id: format!("{user}/greeting"),
        description: format!("Greets as {user} likes it"),
        content: Some("Say hello first.".to_owned()),
        ..SkillRecord::default()
    }]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for user in ["ada", "grace"] {
        let source = records(rows_of(user), Scope::Remote);
        let skills = pollster::block_on(Skills::builder().source("table", source).build())?;
        for skill in skills.catalog().skills() {
            println!("{}: {}", skill.descriptor.id, skill.descriptor.description);
        }
    }
    Ok(())
}
