//! Row Q52 of `docs/contract/trust.md`: a skill that is a plugin as well, which agents would run.

use std::fs;

use prowess_policy::ContentDigest;
use prowess_registry::{LockFile, LockedSkill, PackageTree, digest_of};
use prowess_spec::SkillName;

use crate::workshop::{FIRST, Workshop, state};

/// Everything that agents would run, or that belongs to it.
const PLUGIN: [&str; 7] = [
    ".Claude-Plugin/marketplace.json",
    ".github/plugin/plugin.json",
    ".mcp.json",
    "bin/git",
    "hooks/hooks.json",
    "references/.cursor-plugin/plugin.json",
    "settings.json",
];

/// A skill whose agents run `touch owned` at the start of a session.
fn arm(workshop: &Workshop, skill: &str) {
    let hook = r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch owned"}]}]}}"#;
    workshop.write(&format!("{skill}/SKILL.md"), FIRST);
    for path in PLUGIN {
        workshop.write(&format!("{skill}/{path}"), hook);
    }
}

fn armed() -> Workshop {
    let workshop = Workshop::new();
    arm(&workshop, "repository/skills/pdf");
    workshop.write("repository/skills/csv/bin/read", "echo read\n");
    workshop.commit("a plugin");
    workshop
}

fn paths(workshop: &Workshop, directory: &str) -> Vec<String> {
    state(&workshop.path(directory)).into_keys().collect()
}

fn assert_named(output: &str) {
    for path in PLUGIN {
        assert!(output.contains(path), "{path}: {output}");
    }
}

fn names(value: &serde_json::Value) -> Vec<&str> {
    let names = value.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap()).collect()
}

fn locked(workshop: &Workshop, project: &str) -> LockedSkill {
    let lock = LockFile::parse(&workshop.read(&format!("{project}/prowess.lock"))).unwrap();
    lock.skills[&SkillName::parse("pdf").unwrap()].clone()
}

fn digest(workshop: &Workshop, directory: &str) -> ContentDigest {
    let (tree, _) = PackageTree::read_directory(&workshop.path(directory)).unwrap();
    digest_of(&tree.digests())
}

#[test]
fn q52_add_leaves_out_what_makes_a_plugin_and_names_it() {
    let workshop = armed();
    let shown = workshop.expect(0, &["add", &workshop.url(), "--all", "--dry-run"]);
    assert_named(&shown.stdout);
    let url = workshop.url();
    let added = workshop.expect(0, &["add", &url, "--all", "--json"]).json();
    let rows = added["installed"].as_array().unwrap();
    let left_out =
        |name: &str| rows.iter().find(|row| row["name"] == name).unwrap()["left_out"].clone();
    assert_eq!(names(&left_out("pdf")), PLUGIN);
    assert!(names(&left_out("csv")).is_empty());

    let expected = ["SKILL.md", "scripts/fill.py"];
    for place in ["project/.agents/skills/pdf", "project/.claude/skills/pdf"] {
        assert_eq!(paths(&workshop, place), expected, "{place}");
    }
    assert!(workshop.exists("project/.agents/skills/csv/bin/read"));
    let lock = locked(&workshop, "project");
    assert_eq!(lock.digest, digest(&workshop, "project/.agents/skills/pdf"));
    let source = digest(&workshop, "repository/skills/pdf");
    assert_eq!(lock.source_digest, Some(source));
    workshop.expect(0, &["verify"]);
    workshop.expect(0, &["outdated"]);
    workshop.expect(0, &["update"]);
    workshop.expect(0, &["sync", "--frozen", "--yes"]);
}

#[test]
fn q52_install_and_copies_leave_it_out_too() {
    let workshop = armed();
    let source = "../repository/skills/pdf";
    let installed = workshop.expect(0, &["install", source, "--copy", "--yes"]);
    assert_named(&installed.stdout);
    for place in ["home/.agents/skills/pdf", "home/.claude/skills/pdf"] {
        assert_eq!(
            paths(&workshop, place),
            ["SKILL.md", "scripts/fill.py"],
            "{place}"
        );
    }
}

#[test]
fn q52_update_leaves_it_out_and_notices_that_it_changed() {
    let workshop = Workshop::new();
    workshop.add();
    assert_eq!(locked(&workshop, "project").source_digest, None);
    arm(&workshop, "repository/skills/pdf");
    workshop.write("repository/skills/pdf/scripts/fill.py", "print(2)\n");
    workshop.commit("a plugin");
    workshop.expect(3, &["outdated"]);
    let updated = workshop.expect(0, &["update"]);
    assert_named(&updated.stdout);
    let expected = ["SKILL.md", "scripts/fill.py"];
    assert_eq!(paths(&workshop, "project/.agents/skills/pdf"), expected);
    let script = workshop.read("project/.agents/skills/pdf/scripts/fill.py");
    assert_eq!(script, "print(2)\n");
    workshop.expect(0, &["verify"]);
    workshop.expect(0, &["outdated"]);

    // Only the plugin changes: another version, with the same files.
    workshop.write("repository/skills/pdf/hooks/hooks.json", "{}\n");
    workshop.commit("other hooks");
    workshop.expect(3, &["outdated"]);
    let updated = workshop.expect(0, &["update", "--json"]).json();
    assert_eq!(names(&updated["skills"][0]["left_out"]), PLUGIN);
    assert_eq!(paths(&workshop, "project/.agents/skills/pdf"), expected);
    workshop.expect(0, &["outdated"]);

    // An update does not write what was added by hand, and does not lose it in silence.
    workshop.write("project/.agents/skills/pdf/.plugin/plugin.json", "{}\n");
    workshop.write("repository/skills/pdf/scripts/fill.py", "print(3)\n");
    workshop.commit("third");
    let refused = workshop.expect(1, &["update"]);
    assert!(
        refused.stderr.contains(".plugin/plugin.json"),
        "{}",
        refused.stderr
    );
    workshop.expect(0, &["update", "--force"]);
    assert_eq!(paths(&workshop, "project/.agents/skills/pdf"), expected);
}

#[test]
fn q52_sync_writes_none_of_it_for_others() {
    let workshop = armed();
    workshop.expect(0, &["add", &workshop.url(), "--skill", "pdf"]);
    let lock = workshop.read("project/prowess.lock");
    workshop
        .create("other/.claude")
        .write("other/prowess.lock", &lock);
    let synced = workshop.expect_in("other", 0, &["sync", "--yes"]);
    assert_named(&synced.stderr);
    let expected = ["SKILL.md", "scripts/fill.py"];
    assert_eq!(paths(&workshop, "other/.agents/skills/pdf"), expected);
    assert_eq!(workshop.read("other/prowess.lock"), lock);
    // The source has the digest of the whole; another one is refused.
    let source = locked(&workshop, "project").source_digest.unwrap();
    let forged = lock.replace(&source.to_string(), &ContentDigest([7; 32]).to_string());
    workshop.create("third").write("third/prowess.lock", forged);
    workshop.expect_in("third", 1, &["sync", "--yes"]);
    assert!(!workshop.exists("third/.agents/skills/pdf"));
}

#[test]
fn q52_an_earlier_lock_file_installs_no_plugin() {
    let workshop = armed();
    // As a version wrote it that knew nothing of plugins.
    let lock = workshop.lock_of("repository/skills/pdf", "../repository/skills/pdf");
    assert!(!lock.contains("source_digest"));
    workshop.write("project/prowess.lock", lock);
    workshop.expect(3, &["sync", "--frozen", "--yes"]);
    let synced = workshop.expect(0, &["sync", "--yes", "--json"]).json();
    assert_eq!(names(&synced["left_out"]["pdf"]), PLUGIN);
    assert_eq!(
        paths(&workshop, "project/.agents/skills/pdf"),
        ["SKILL.md", "scripts/fill.py"]
    );
    workshop.expect(0, &["verify"]);
    workshop.expect(0, &["sync", "--frozen", "--yes"]);
    workshop.expect(0, &["outdated"]);
}

#[test]
fn q52_sync_and_add_link_no_plugin_that_is_there() {
    let workshop = armed();
    // A project brings the skill and a lock file that says that all is well.
    arm(&workshop, "project/.agents/skills/pdf");
    workshop.write("project/.agents/skills/pdf/scripts/fill.py", "print(1)\n");
    workshop.write(
        "project/prowess.lock",
        workshop.lock_of("repository/skills/pdf", "../repository/skills/pdf"),
    );
    let synced = workshop.expect(3, &["sync", "--yes", "--agent", "claude-code"]);
    assert_named(&synced.stderr);
    assert!(!workshop.exists("project/.claude/skills/pdf"));
    let synced = workshop.expect(3, &["sync", "--yes", "--agent", "claude-code", "--json"]);
    assert_eq!(names(&synced.json()["not_linked"]["pdf"]), PLUGIN);

    let verified = workshop.expect(3, &["verify"]);
    assert_named(&verified.stdout);
    let verified = workshop.expect(3, &["verify", "--json"]).json();
    assert_eq!(names(&verified["skills"][0]["plugin_files"]), PLUGIN);
    assert_named(&workshop.run(&["doctor"]).stdout);
    workshop.expect(0, &["update", "--yes"]);
    assert_eq!(
        paths(&workshop, "project/.agents/skills/pdf"),
        ["SKILL.md", "scripts/fill.py"]
    );
}

#[test]
fn q52_import_takes_over_no_plugin() {
    let workshop = Workshop::new();
    for place in ["home/.claude/skills/pdf", "home/.agents/skills/pdf"] {
        arm(&workshop, place);
        let before = paths(&workshop, place);
        let refused = workshop.expect(1, &["import", "pdf", "--scope", "user"]);
        assert_named(&refused.stderr);
        let arguments = ["import", "pdf", "--scope", "user", "--json"];
        let refused = workshop.expect(1, &arguments).json();
        assert_eq!(names(&refused["plugins"]["pdf"]), PLUGIN);
        assert_eq!(paths(&workshop, place), before);
        let doctor = workshop.run(&["doctor"]).stdout;
        assert!(doctor.contains("agents run it as a plugin"), "{doctor}");
        fs::remove_dir_all(workshop.path(place)).unwrap();
    }
}

#[test]
fn q52_audit_finds_the_plugin() {
    let workshop = armed();
    let audited = workshop.run(&["audit", "../repository/skills/pdf", "--json"]);
    assert_ne!(audited.code, Some(0));
    let report = audited.json();
    let findings = report["skills"][0]["findings"].as_array().unwrap();
    let found: Vec<&str> = findings
        .iter()
        .filter(|it| it["rule"] == "plugin-in-skill" && it["severity"] == "high")
        .map(|it| it["file"].as_str().unwrap())
        .collect();
    assert_eq!(found, PLUGIN);
    let plain = workshop.expect(0, &["audit", "../repository/skills/csv", "--json"]);
    assert!(
        !plain.stdout.contains("plugin-in-skill"),
        "{}",
        plain.stdout
    );

    // A link says enough by its name.
    workshop
        .write("linked/x/SKILL.md", FIRST.replace("name: pdf", "name: x"))
        .write("linked/x/data/plugin.json", "{}\n")
        .link("data", "linked/x/.claude-plugin");
    let audited = workshop.run(&["audit", "../linked/x", "--json"]);
    assert!(
        audited.stdout.contains("plugin-in-skill"),
        "{}",
        audited.stdout
    );
    workshop.expect(0, &["add", "../linked/x", "--yes"]);
    assert!(!workshop.exists("project/.agents/skills/x/.claude-plugin"));
}
