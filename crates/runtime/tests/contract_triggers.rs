//! The trigger table of the runtime contract.
#![cfg(test)]

use std::fs;
use std::sync::Arc;

use prowess_runtime::{Activation, Cause, Project, ProjectLimits, Situation, Triggers};
use prowess_spec::manifest::{Mode, Triggers as Declared};

fn declared(files: &[&str], keywords: &[&str], languages: &[&str], modes: &[Mode]) -> Declared {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Declared {
        files: owned(files),
        keywords: owned(keywords),
        languages: owned(languages),
        modes: modes.to_vec(),
    }
}

fn evaluate(
    skills: &[(&str, Declared)],
    files: &[&str],
    message: &str,
    mode: Mode,
    explicit: &[&str],
) -> Vec<Activation> {
    let skills = skills
        .iter()
        .map(|(id, declared)| (id.parse().unwrap(), declared));
    let (triggers, errors) = Triggers::new(skills);
    assert_eq!(errors, []);
    let explicit: Vec<String> = explicit.iter().map(|name| (*name).to_owned()).collect();
    let situation = Situation {
        project: &Arc::new(Project::new(files.iter().copied())),
        message,
        mode,
        explicit: &explicit,
    };
    triggers.evaluate(&situation).unwrap()
}

fn is_active(declared: &Declared, files: &[&str], message: &str, mode: Mode) -> bool {
    !evaluate(&[("x", declared.clone())], files, message, mode, &[]).is_empty()
}

#[test]
fn tr1_tr2_tr3_tr4_tr5_the_table() {
    let here = Mode::Interactive;
    let none = declared(&[], &[], &[], &[]);
    assert!(!is_active(&none, &["Dockerfile"], "anything", here));
    let docker = declared(&["Dockerfile", "docker-compose*.yml"], &[], &[], &[]);
    assert!(is_active(&docker, &["README.md", "Dockerfile"], "", here));
    assert!(is_active(
        &docker,
        &["deploy/docker-compose.prod.yml"],
        "",
        here
    ));
    assert!(!is_active(&docker, &["README.md"], "", here));
    let go = declared(&["*.go"], &[], &[], &[]);
    assert!(is_active(&go, &["cmd/x/main.go"], "", here));
    let rust = declared(&["src/**/*.rs"], &[], &[], &[]);
    assert!(is_active(&rust, &["src/a/b.rs"], "", here));
    assert!(is_active(&rust, &["src/b.rs"], "", here));
    assert!(!is_active(&rust, &["lib/a.rs"], "", here));
    let lower = declared(&["dockerfile"], &[], &[], &[]);
    assert!(!is_active(&lower, &["Dockerfile"], "", here));
    let kubernetes = declared(&[], &["kubernetes"], &[], &[]);
    assert!(is_active(
        &kubernetes,
        &[],
        "Deploy to Kubernetes, please",
        here
    ));
    let pod = declared(&[], &["pod"], &[], &[]);
    assert!(!is_active(&pod, &[], "a podcast", here));
    assert!(is_active(&pod, &[], "the pod died", here));
    let phrase = declared(&[], &["pull request"], &[], &[]);
    assert!(is_active(&phrase, &[], "Review my pull-request!", here));
    assert!(!is_active(&phrase, &[], "pull the request", here));
    let greek = declared(&[], &["ΟΔΟΣ"], &[], &[]);
    assert!(is_active(&greek, &[], "η οδοσ", here));
    let by_language = declared(&[], &[], &["rust"], &[]);
    assert!(is_active(&by_language, &["Cargo.toml"], "", here));
    assert!(is_active(&by_language, &["a/b.rs"], "", here));
    assert!(!is_active(&by_language, &["a.py"], "", here));
    let headless = declared(&[], &[], &[], &[Mode::Headless]);
    assert!(is_active(&headless, &[], "", Mode::Headless));
    assert!(!is_active(&headless, &[], "", here));
}

#[test]
fn tr6_an_explicit_skill_needs_no_trigger() {
    let skills = [
        ("x", declared(&["*.go"], &[], &[], &[])),
        ("y", declared(&[], &[], &[], &[])),
    ];
    let found = evaluate(&skills, &[], "", Mode::Interactive, &["y"]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].id.as_str(), found[0].score), ("y", 1_000));
    assert_eq!(found[0].causes, [Cause::Explicit]);
}

#[test]
fn tr7_an_unknown_explicit_skill_is_an_error() {
    let declared = declared(&[], &[], &[], &[]);
    let (triggers, _) = Triggers::new([("kubernetes".parse().unwrap(), &declared)]);
    let explicit = ["kubernets".to_owned()];
    let situation = Situation {
        project: &Arc::default(),
        message: "",
        mode: Mode::Interactive,
        explicit: &explicit,
    };
    let error = triggers.evaluate(&situation).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown skill `kubernets`; did you mean kubernetes?"
    );
}

#[test]
fn tr8_by_score_then_by_id() {
    let skills = [
        ("mode", declared(&[], &[], &[], &[Mode::Interactive])),
        ("language", declared(&[], &[], &["Rust"], &[])),
        ("keyword", declared(&[], &["deploy"], &[], &[])),
        ("file", declared(&["Cargo.toml"], &[], &[], &[])),
        (
            "two-files",
            declared(&["Cargo.toml", "src/*.rs", "*.go"], &[], &[], &[]),
        ),
        ("also-mode", declared(&[], &[], &[], &[Mode::Interactive])),
        ("named", declared(&[], &[], &[], &[])),
    ];
    let files = ["Cargo.toml", "src/lib.rs", "src/main.rs"];
    let found = evaluate(&skills, &files, "deploy it", Mode::Interactive, &["named"]);
    let order: Vec<(&str, u32)> = found
        .iter()
        .map(|found| (found.id.as_str(), found.score))
        .collect();
    assert_eq!(
        order,
        [
            ("named", 1_000),
            ("two-files", 200),
            ("file", 100),
            ("keyword", 80),
            ("language", 60),
            ("also-mode", 40),
            ("mode", 40)
        ]
    );
    assert_eq!(
        found[1].causes[1],
        Cause::File {
            pattern: "src/*.rs".to_owned(),
            file: "src/lib.rs".to_owned()
        }
    );
}

#[test]
fn invalid_pattern_disables_only_itself() {
    let broken = declared(&["a[", "*.rs"], &[], &[], &[]);
    let (triggers, errors) = Triggers::new([("x".parse().unwrap(), &broken)]);
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0]
            .to_string()
            .starts_with("invalid file pattern `a[` of `x`: ")
    );
    let situation = Situation {
        project: &Arc::new(Project::new(["a.rs"])),
        message: "",
        mode: Mode::Interactive,
        explicit: &[],
    };
    assert_eq!(triggers.evaluate(&situation).unwrap().len(), 1);
}

#[test]
fn tr10_patterns_as_people_write_them() {
    let files = [
        ".github/workflows/ci.yml",
        "deploy/k8s/pod.yaml",
        "src/a.rs",
    ];
    for (pattern, expected) in [
        (".github/**", true),
        (".github/", true),
        ("./src/*.rs", true),
        ("/src/*.rs", true),
        ("k8s/", true),
        ("./k8s/", false),
        ("/a.rs", false),
        // `*` matches no hidden name.
        ("*.yml", false),
        ("**/*.yml", false),
    ] {
        let declared = declared(&[pattern], &[], &[], &[]);
        let active = is_active(&declared, &files, "", Mode::Interactive);
        assert_eq!(active, expected, "{pattern}");
    }
}

#[test]
fn tr9_ignored_files_are_not_scanned() {
    let place = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(".gitignore", "target/\n*.log\n");
    write("src/main.rs", "");
    write("target/debug/x.rs", "");
    write("a.log", "");
    write(".hidden/b.rs", "");
    write(".git/HEAD", "");
    write("deep/er/ä.txt", "");
    let project = Project::scan(place.path(), &ProjectLimits::default());
    assert_eq!(
        project.files().collect::<Vec<_>>(),
        [".gitignore", ".hidden/b.rs", "deep/er/ä.txt", "src/main.rs"]
    );
    assert!(project.is_complete());
    assert_eq!(
        project.languages().into_iter().collect::<Vec<_>>(),
        ["rust"]
    );
    let little = ProjectLimits {
        files: 1,
        ..ProjectLimits::default()
    };
    let some = Project::scan(place.path(), &little);
    assert_eq!((some.files().len(), some.is_complete()), (1, false));
    let nothing = Project::scan(&place.path().join("nowhere"), &ProjectLimits::default());
    assert_eq!(nothing.files().len(), 0);
}
