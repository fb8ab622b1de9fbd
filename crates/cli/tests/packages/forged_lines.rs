//! Row Q46: what a registry says is shown on one line, and obeyed by no terminal.

use prowess_core::wire::Problem;
use prowess_registry::wire::PackageInfo;
use serde_json::Value;

use crate::fake_registry::{FakeRegistry, Fault};
use crate::support::Run;
use crate::workshop::Workshop;

/// What every text of the registry ends with: lines that look like ours, and what terminals obey.
const FORGED: &str = " x\nFORGED by one\r\nFORGED by two\rFORGED by three\u{2028}FORGED\u{1b}[31m\u{1b}]0;t\u{7}\u{9b}2J\u{202e}";

/// Ends every text of a value with that, but for those that have a form of their own.
fn forge(value: &mut Value) {
    match value {
        Value::String(text) => text.push_str(FORGED),
        Value::Array(items) => items.iter_mut().for_each(forge),
        Value::Object(members) => {
            let typed = [
                "name",
                "version",
                "latest",
                "verdict",
                "digest",
                "signed_by",
            ];
            let free = members.iter_mut();
            let free = free.filter(|(key, _)| !typed.contains(&key.as_str()));
            free.for_each(|(_, value)| forge(value));
        }
        _ => {}
    }
}

fn check(run: &Run, what: &[&str]) {
    let all = format!("{}{}", run.stdout, run.stderr);
    for line in all.split(['\n', '\r', '\u{2028}', '\u{2029}']) {
        assert!(
            !line.trim_start().starts_with("FORGED"),
            "{what:?}: {run:?}"
        );
    }
    let obeyed = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    assert!(!all.contains(obeyed), "{what:?}: {run:?}");
}

#[test]
fn q46_no_text_of_a_registry_forges_a_line() {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.log_in(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    workshop.expect(0, &["add", "pdf-forms"]);
    registry.publish("pdf-forms", "1.1.0", "two");
    registry.yank("pdf-forms", "1.0.0", "leaks");
    registry.edit(|shelf| {
        let info = shelf.packages.get_mut("pdf-forms").unwrap();
        for version in &mut info.versions {
            version.types = vec!["tool".to_owned()];
            version.permissions = vec!["net:fetch".to_owned()];
            version.findings = vec!["high: SKILL.md:1: sends a secret".to_owned()];
        }
        let mut value = serde_json::to_value(&*info).unwrap();
        forge(&mut value);
        *info = serde_json::from_value::<PackageInfo>(value).unwrap();
        shelf.warnings = vec![format!("the name looks like another{FORGED}")];
    });
    workshop.write(
        "project/made/SKILL.md",
        "---\nname: made\ndescription: Makes it. Use when it is made.\nmetadata:\n  version: 1.0.0\n---\nMake.\n",
    );
    // Some must show the text, so that the test looks at something.
    for (shows, arguments) in [
        (true, &["info", "pdf-forms@1.0.0", "--refresh"][..]),
        (true, &["info", "pdf-forms@1.1.0", "--diff"]),
        (false, &["search", "pdf-forms"]),
        (false, &["list", "--available"]),
        (true, &["registry", "owners", "pdf-forms"]),
        (true, &["outdated"]),
        (true, &["verify"]),
        (true, &["publish", "made", "--yes"]),
        (false, &["add", "pdf-forms", "--dry-run"]),
        (false, &["update", "--dry-run"]),
        (false, &["list"]),
        (false, &["doctor"]),
        (false, &["info", "pdf-forms"]),
        (
            true,
            &["add", "pdf-forms@1.0.0", "--as", "other", "--dry-run"],
        ),
    ] {
        let run = workshop.run(arguments);
        check(&run, arguments);
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(
            all.contains("FORGED by one") || !shows,
            "{arguments:?}: {run:?}"
        );
    }
    // Refusals.
    let mut problem = Problem::new("refused", 409, format!("not now{FORGED}"));
    let line = serde_json::json!({"file": format!("a{FORGED}"), "message": format!("b{FORGED}")});
    problem.diagnostics = vec![line];
    let refused = serde_json::to_string(&problem).unwrap();
    for fault in [
        Fault::new(409, &refused),
        Fault::new(200, &format!("{{\"name\": \"a{}\"}}", "\\nFORGED by one")),
        Fault::new(200, &format!("FORGED{FORGED}")),
    ] {
        registry.edit(|shelf| shelf.always = Some(fault));
        for arguments in [
            &["info", "pdf-forms@1.0.0", "--refresh"][..],
            &["search", "pdf", "--refresh"],
            &["list", "--available", "--refresh"],
            &["registry", "owners", "pdf-forms"],
            &["registry", "owners", "pdf-forms", "--add", "bob"],
            &["outdated", "--refresh"],
            &["update", "--refresh"],
            &["add", "other", "--refresh"],
            &["yank", "pdf-forms@1.0.0", "--reason", "x"],
            &["publish", "made", "--yes"],
        ] {
            check(&workshop.run(arguments), arguments);
        }
    }
}
