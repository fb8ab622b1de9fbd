//! `prowess audit --self-test`: attacks of our own, hidden in many ways.

use std::collections::BTreeMap;

use prowess_scan::self_test::{attacks, audit, audit_variants, near_misses};
use prowess_scan::{Severity, Verdict};
use rayon::prelude::*;
use serde::Serialize;

use super::arguments::AuditFormat;
use crate::error::Result;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::{code_skills, terminal};

#[derive(Serialize)]
struct SelfTest {
    version: u32,
    attacks: usize,
    transformations: usize,
    variants: usize,
    verdicts: BTreeMap<String, usize>,
    /// Variants that nothing was found in.
    missed: Vec<Missed>,
    near_misses: usize,
    /// Near misses that something of medium severity or worse was found in.
    false_alarms: Vec<String>,
}

#[derive(Serialize)]
struct Missed {
    attack: String,
    transformation: String,
}

pub(super) fn run(format: AuditFormat) -> Result<Exit> {
    let result = test();
    match format {
        AuditFormat::Json | AuditFormat::Sarif => terminal::print_json(&result)?,
        AuditFormat::Human => terminal::print(&report(&result))?,
    }
    Ok(if result.missed.is_empty() {
        Exit::Success
    } else {
        Exit::Findings
    })
}

fn test() -> SelfTest {
    let rules = code_skills::base_rules();
    let attacks = attacks();
    let progress = Progress::new("attacks");
    let results: Vec<_> = attacks
        .par_iter()
        .map(|attack| {
            let results = audit_variants(&rules, attack);
            progress.step();
            results
        })
        .flatten()
        .collect();
    let near = near_misses();
    let false_alarms = near
        .par_iter()
        .filter(|miss| {
            let worst = audit(&rules, &miss.files).worst();
            worst.is_some_and(|worst| worst <= Severity::Medium)
        })
        .map(|miss| miss.name.clone())
        .collect();
    progress.finish();
    let mut verdicts = BTreeMap::new();
    let mut transformations: Vec<&str> = Vec::new();
    for result in &results {
        *verdicts.entry(result.verdict.to_string()).or_default() += 1;
        transformations.push(result.variant.transformation);
    }
    transformations.sort_unstable();
    transformations.dedup();
    SelfTest {
        version: 1,
        attacks: attacks.len(),
        transformations: transformations.len(),
        variants: results.len(),
        verdicts,
        missed: results
            .into_iter()
            .filter(|result| result.verdict == Verdict::Clean)
            .map(|result| Missed {
                attack: result.variant.attack,
                transformation: result.variant.transformation.to_owned(),
            })
            .collect(),
        near_misses: near.len(),
        false_alarms,
    }
}

fn report(result: &SelfTest) -> String {
    let verdicts: Vec<String> = result
        .verdicts
        .iter()
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    let mut lines = vec![format!(
        "{} variants of {} attacks by {} transformations: {}",
        result.variants,
        result.attacks,
        result.transformations,
        verdicts.join(", ")
    )];
    let missed = result.missed.iter();
    lines.extend(missed.map(|it| format!("missed: {} by {}", it.attack, it.transformation)));
    lines.push(format!(
        "{} near misses: {} with a finding of medium severity or worse",
        result.near_misses,
        result.false_alarms.len()
    ));
    let alarms = result.false_alarms.iter();
    lines.extend(alarms.map(|name| format!("false alarm: {name}")));
    lines.push(
        "these attacks are ours and vary the disguise, not the wording; docs/audit.md has figures on what others wrote"
            .to_owned(),
    );
    lines.join("\n") + "\n"
}
