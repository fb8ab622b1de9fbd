//! Findings in skills that others made.

use std::collections::{BTreeMap, HashMap};

use crate::rules::audit;
use prowess_scan::{Finding, Severity, Verdict};
use prowess_spec::manifest::Keyword as _;

use super::packages::{PublicSkill, skills};

/// What a person said about findings of high severity: `right` or `wrong`, the rule, and where.
const JUDGED: &str = include_str!("judged.txt");

fn judged() -> HashMap<(String, String), bool> {
    JUDGED
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.splitn(3, ' ');
            let (word, rule, place) = (words.next()?, words.next()?, words.next()?);
            Some(((rule.to_owned(), place.to_owned()), word == "right"))
        })
        .collect()
}

fn place(skill: &PublicSkill, finding: &Finding) -> String {
    format!("{}/{}:{}", skill.name, finding.file, finding.start.line)
}

/// Prints every finding of high severity with what was said about it.
pub(crate) fn print_highs() {
    let judged = judged();
    for skill in skills() {
        for finding in audit(&skill.files).findings {
            if finding.severity > Severity::High {
                continue;
            }
            let rule = finding.rule.as_str().to_owned();
            let place = place(&skill, &finding);
            let said = match judged.get(&(rule.clone(), place.clone())) {
                Some(true) => "right",
                Some(false) => "wrong",
                None => "new",
            };
            println!("{said} {rule} {place} {}", finding.excerpt);
        }
    }
}

/// Prints how many skills have which verdict, and how many high findings are wrong.
pub(crate) fn run() {
    let skills = skills();
    let judged = judged();
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut rules: BTreeMap<(Severity, String), usize> = BTreeMap::new();
    let (mut right, mut wrong, mut new) = (0, 0, 0);
    let (mut skills_wrong, mut skills_high) = (0, 0);
    for skill in &skills {
        let report = audit(&skill.files);
        *verdicts.entry(report.verdict()).or_default() += 1;
        let mut seen = Vec::new();
        let mut any_right = false;
        for finding in &report.findings {
            let rule = finding.rule.as_str().to_owned();
            if finding.severity <= Severity::High {
                match judged.get(&(rule.clone(), place(skill, finding))) {
                    Some(true) => {
                        right += 1;
                        any_right = true;
                    }
                    Some(false) => wrong += 1,
                    None => new += 1,
                }
            }
            if !seen.contains(&rule) {
                *rules.entry((finding.severity, rule.clone())).or_default() += 1;
                seen.push(rule);
            }
        }
        if report.verdict() == Verdict::Dangerous {
            skills_high += 1;
            skills_wrong += usize::from(!any_right);
        }
    }
    println!("\n{} public skills:", skills.len());
    for (verdict, count) in verdicts.iter().rev() {
        println!(
            "  {count} {verdict} ({:.1}%)",
            percent(*count, skills.len())
        );
    }
    println!("  findings of high severity: {right} right, {wrong} wrong, {new} not looked at yet");
    println!(
        "  dangerous without a right finding: {skills_wrong} of {skills_high} skills ({:.1}% of all)",
        percent(skills_wrong, skills.len())
    );
    for ((severity, rule), count) in rules {
        println!("  {} {rule}: {count} skills", severity.as_str());
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts are small")]
pub(crate) fn percent(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}
