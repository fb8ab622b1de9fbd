//! Attacks of our own by every transformation, and near misses.

use std::collections::BTreeMap;

use prowess_scan::self_test::{attacks, near_misses};

use crate::rules::{audit, audit_variants};
use prowess_scan::{Severity, Verdict};

use super::public::percent;

pub(crate) fn run() {
    let attacks = attacks();
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut transformations: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut variants = 0;
    for attack in &attacks {
        for result in audit_variants(attack) {
            variants += 1;
            *verdicts.entry(result.verdict).or_default() += 1;
            let (all, clean) = transformations
                .entry(result.variant.transformation)
                .or_default();
            *all += 1;
            if result.verdict == Verdict::Clean {
                *clean += 1;
                println!(
                    "missed: {} by {}",
                    attack.name, result.variant.transformation
                );
            }
        }
    }
    println!(
        "{variants} variants of {} attacks by {} transformations:",
        attacks.len(),
        transformations.len()
    );
    for (verdict, count) in verdicts.iter().rev() {
        println!("  {count} {verdict} ({:.1}%)", percent(*count, variants));
    }
    let near = near_misses();
    let alarms = |limit: Severity| {
        let worse = |worst: Option<Severity>| worst.is_some_and(|worst| worst <= limit);
        near.iter()
            .filter(|miss| worse(audit(&miss.files).worst()))
            .count()
    };
    println!(
        "{} near misses: {} at high, {} at medium or higher",
        near.len(),
        alarms(Severity::High),
        alarms(Severity::Medium)
    );
}
