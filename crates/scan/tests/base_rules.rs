//! Every base rule finds its bad examples and leaves its good ones alone.

use std::collections::BTreeSet;

use prowess_scan::{File, Report, RuleId, Rules, Sample, Severity, base_rules};

fn scan(sample: &Sample) -> Report {
    let parsed = prowess_spec::parse(sample.text.as_bytes(), &prowess_spec::Context::default());
    let file = File {
        path: sample.path,
        bytes: sample.text.as_bytes(),
    };
    Rules::base().scan([file], parsed.skill.as_ref())
}

#[test]
fn examples_hold() {
    let mut wrong = Vec::new();
    for rule in base_rules() {
        for bad in rule.bad {
            let report = scan(bad);
            let found = report
                .findings
                .iter()
                .any(|found| found.rule.as_str() == rule.id && found.severity != Severity::Info);
            if !found {
                wrong.push(format!(
                    "{} is not found in {:?}: {:?}",
                    rule.id, bad.text, report.findings
                ));
            }
        }
        for good in rule.good {
            for found in scan(good).findings {
                if found.severity != Severity::Info {
                    wrong.push(format!(
                        "{} is found in {:?}, a good example of {}",
                        found.rule, good.text, rule.id
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_are_stable_and_texts_are_complete() {
    let mut seen = BTreeSet::new();
    for rule in base_rules() {
        assert!(RuleId::parse(rule.id).is_some(), "{}", rule.id);
        assert!(seen.insert(rule.id), "{} twice", rule.id);
        assert!(
            !rule.bad.is_empty() && !rule.good.is_empty(),
            "{} has no examples",
            rule.id
        );
        for text in [rule.message, rule.help] {
            assert!(
                !text.is_empty() && !text.ends_with('.') && !text.starts_with(char::is_uppercase),
                "{text}"
            );
        }
    }
}
