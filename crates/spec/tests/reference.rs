//! Our verdict beside the reference validator's, over thousands of generated skills.
//!
//! Where the two differ, each complaint of the stricter one has exactly one entry in a table of reasons.
#![cfg(test)]
#![allow(clippy::string_slice, reason = "tests may panic")]

#[path = "reference/cases.rs"]
mod cases;
#[path = "reference/differences.rs"]
mod differences;
#[path = "reference/ingredients/mod.rs"]
mod ingredients;
#[path = "reference/oracle.rs"]
mod oracle;
#[path = "reference/seen.rs"]
mod seen;

use std::collections::BTreeMap;

use prowess_spec::{Context, Parsed, Profile, Severity, SkillName, parse};

use cases::Case;
use differences::DIFFERENCES;
use seen::{Complaint, Cut, Seen};

/// How many cases both must judge alike, of each verdict.
const BOTH_ACCEPT: usize = 1_000;
const BOTH_REFUSE: usize = 1_000;

/// How many unexplained differences are printed.
const SHOWN: usize = 20;

#[derive(Default)]
struct Tally {
    both_accept: usize,
    both_refuse: usize,
    differ: usize,
    /// How many differences each reason explains.
    reasons: BTreeMap<&'static str, usize>,
    unexplained: Vec<String>,
}

#[test]
fn verdicts_differ_only_for_known_reasons() {
    let cases = cases::all();
    let answers = oracle::ask(&cases);
    let mut tally = Tally::default();
    for (case, answer) in cases.iter().zip(&answers) {
        let context = Context {
            directory: Some(&case.directory),
            exists: None,
        };
        let parsed = parse(&case.content, &context);
        let seen = Seen {
            case,
            parsed: &parsed,
            answer,
        };
        match (
            parsed.is_valid(Profile::Check),
            answer.complaints.is_empty(),
        ) {
            (true, true) => {
                tally.both_accept += 1;
                tally.unexplained.extend(misread(&seen));
            }
            (false, false) => tally.both_refuse += 1,
            (true, false) => {
                let complaints = answer.complaints.iter().map(|text| Complaint::Theirs(text));
                tally.difference(&seen, complaints);
            }
            (false, true) => tally.difference(&seen, errors(&parsed).map(Complaint::Ours)),
        }
    }
    tally.print(cases.len());
    tally.check();
}

fn errors<'a>(parsed: &'a Parsed<'_>) -> impl Iterator<Item = &'a prowess_spec::Diagnostic> {
    let is_error = |severity| severity == Some(Severity::Error);
    let found = parsed.diagnostics.iter();
    found.filter(move |found| is_error(found.severity(Profile::Check)))
}

/// What both accept must also read the same.
fn misread(seen: &Seen<'_>) -> Option<String> {
    let skill = seen.parsed.skill.as_ref().unwrap();
    let name = SkillName::parse(seen.answer.name.as_ref().unwrap()).ok();
    let description = seen.answer.description.as_ref().unwrap().trim();
    let alike = name.as_ref() == Some(&skill.name) && description == skill.description;
    (!alike && seen.cut() == Cut::Alike).then(|| {
        let ours = (skill.name.as_str(), &skill.description);
        format!(
            "{}we read {ours:?}\nthey read {:?}",
            show(seen.case),
            seen.answer
        )
    })
}

impl Tally {
    fn difference<'a>(&mut self, seen: &Seen<'_>, complaints: impl Iterator<Item = Complaint<'a>>) {
        self.differ += 1;
        let mut used = Vec::new();
        for complaint in complaints {
            let reasons: Vec<&str> = DIFFERENCES
                .iter()
                .filter(|reason| (reason.explains)(seen, complaint))
                .map(|reason| reason.id)
                .collect();
            match reasons.as_slice() {
                [reason] => used.push(*reason),
                _ => self.unexplained.push(format!(
                    "{}complaint: {complaint:?}\nreasons: {reasons:?}",
                    show(seen.case)
                )),
            }
        }
        used.sort_unstable();
        used.dedup();
        for reason in used {
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    fn print(&self, cases: usize) {
        println!(
            "{cases} skills: both accept {}, both refuse {}, {} differ",
            self.both_accept, self.both_refuse, self.differ
        );
        for reason in DIFFERENCES {
            let count = self.reasons.get(reason.id).copied().unwrap_or_default();
            println!("{count:>5}  {:<26} {}", reason.id, reason.why);
        }
    }

    fn check(&self) {
        assert!(
            self.unexplained.is_empty(),
            "{} differences have no reason, or more than one:\n\n{}",
            self.unexplained.len(),
            self.unexplained[..self.unexplained.len().min(SHOWN)].join("\n\n")
        );
        for reason in DIFFERENCES {
            assert!(
                self.reasons.contains_key(reason.id),
                "{} explains no difference any more: remove it",
                reason.id
            );
        }
        assert!(self.both_accept >= BOTH_ACCEPT, "{}", self.both_accept);
        assert!(self.both_refuse >= BOTH_REFUSE, "{}", self.both_refuse);
    }
}

fn show(case: &Case) -> String {
    format!(
        "directory: {:?}\nfile: \"{}\"\n",
        case.directory,
        case.content.escape_ascii()
    )
}
