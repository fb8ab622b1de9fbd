//! Prints the variants of the self-test that are clean.
#![allow(clippy::print_stdout)]
use prowess_scan::Verdict;
use prowess_scan::self_test::{attacks, audit, audit_variants, near_misses};
fn main() {
    let mut count = 0;
    let mut missed = 0;
    for attack in attacks() {
        for result in audit_variants(&attack) {
            count += 1;
            if result.verdict == Verdict::Clean {
                missed += 1;
                println!(
                    "missed: {} by {}",
                    attack.name, result.variant.transformation
                );
            }
        }
    }
    println!(
        "{missed} of {count} variants of {} attacks missed",
        attacks().len()
    );
    let near = near_misses();
    for miss in &near {
        let report = audit(&miss.files);
        if report.verdict() >= Verdict::Suspicious {
            println!(
                "alarm: {}: {:?}",
                miss.name,
                report
                    .findings
                    .first()
                    .map(|it| (it.rule.to_string(), it.excerpt.clone()))
            );
        }
    }
    println!("{} near misses", near.len());
}
