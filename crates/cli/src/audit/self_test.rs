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
use crate::terminal;

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
    let attacks = attacks();
    let progress = Progress::new("attacks");
    let results: Vec<_> = attacks
        .par_iter()
        .map(|attack| {
            let results = audit_variants(attack);
            progress.step();
            results
        })
        .flatten()
        .collect();
    let near = near_misses();
    let false_alarms = near
        .par_iter()
        .filter(|miss| {
            audit(&miss.files).worst() <= Some(Severity::Medium)
                && audit(&miss.files).worst().is_some()
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
    let mut out = format!(
        "{} variants of {} attacks by {} transformations: {}\n",
        result.variants,
        result.attacks,
        result.transformations,
        verdicts.join(", ")
    );
    for missed in &result.missed {
        out.push_str(&format!(
            "missed: {} by {}\n",
            missed.attack, missed.transformation
        ));
    }
    out.push_str(&format!(
        "{} near misses: {} with a finding of medium severity or worse\n",
        result.near_misses,
        result.false_alarms.len()
    ));
    out.push_str("these attacks are ours and vary the disguise, not the wording: `docs/audit.md` has figures on what others wrote\n");
    for name in &result.false_alarms {
        out.push_str(&format!("false alarm: {name}\n"));
    }
    out
}
