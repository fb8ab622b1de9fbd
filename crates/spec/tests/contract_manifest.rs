//! The manifest contract, rows M1 to M15: each test is named after its row.
#![cfg(test)]

use prowess_spec::manifest::{Manifest, ParsedManifest, SkillType, check_dependencies, parse};
use prowess_spec::{Code, Context, Profile, Severity, is_valid};

const BASE: &str = "name: my-skill\nversion: 1.0.0\ndescription: d\ntypes: [tool]\nimplementation: {backend: starlark, entrypoint: skill.star}\n";
const PROMPT: &str = "name: my-skill\nversion: 1.0.0\ndescription: d\ntypes: [prompt]\n";

fn read(text: &str) -> ParsedManifest {
    let exists = |path: &str| path == "skill.star";
    let context = Context {
        exists: Some(&exists),
        ..Context::default()
    };
    parse(text.as_bytes(), &context, None)
}

fn manifest(text: &str) -> Manifest {
    let parsed = read(text);
    parsed
        .manifest
        .unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

/// Both profiles call it invalid; the messages of `code`.
fn invalid(text: &str, code: Code) -> Vec<String> {
    let parsed = read(text);
    assert!(parsed.manifest.is_none(), "{text}");
    let found: Vec<_> = parsed
        .diagnostics
        .iter()
        .filter(|found| found.code == code)
        .collect();
    assert!(!found.is_empty(), "no {code} in {:?}", parsed.diagnostics);
    for profile in [Profile::Load, Profile::Check] {
        assert_eq!(found[0].severity(profile), Some(Severity::Error));
        assert!(!is_valid(&parsed.diagnostics, profile));
    }
    found
        .iter()
        .map(|found| {
            format!(
                "{} ({})",
                found.message,
                found.help.as_deref().unwrap_or_default()
            )
        })
        .collect()
}

#[test]
fn m1_bases() {
    assert_eq!(read(BASE).diagnostics, []);
    assert_eq!(read(PROMPT).diagnostics, []);
    assert_eq!(manifest(BASE).types, [SkillType::Tool]);
}

#[test]
fn m2_required_fields() {
    for field in ["name", "version", "description", "types"] {
        let without: String = BASE
            .split_inclusive('\n')
            .filter(|line| !line.starts_with(field))
            .collect();
        let messages = invalid(&without, Code::MissingField);
        assert_eq!(messages.len(), 1);
        assert!(messages[0].contains(&format!("`{field}`")), "{messages:?}");
    }
    invalid(&BASE.replace("[tool]", "[]"), Code::MissingField);
    assert_eq!(invalid("", Code::MissingField).len(), 4);
}

#[test]
fn m3_names() {
    invalid(&BASE.replace("my-skill", "My-Skill"), Code::NameUppercase);
    invalid(&BASE.replace("my-skill", "my_skill"), Code::NameCharacters);
    invalid(
        &BASE.replace("my-skill", &"x".repeat(65)),
        Code::NameTooLong,
    );
    manifest(&BASE.replace("my-skill", &"x".repeat(64)));
    manifest(&BASE.replace("my-skill", "a"));
}

#[test]
fn m4_unknown_words() {
    let types = invalid(&BASE.replace("[tool]", "[tol]"), Code::UnknownValue);
    assert!(
        types[0].contains("`tol`") && types[0].contains("one of: tool, "),
        "{types:?}"
    );
    let bogus = invalid(&BASE.replace("[tool]", "[bogus]"), Code::UnknownValue);
    for word in ["tool", "prompt", "workflow", "security-rule", "transform"] {
        assert!(bogus[0].contains(word), "{bogus:?}");
    }
    let permission = invalid(
        &format!("{BASE}permissions: [\"bogus:x\"]\n"),
        Code::UnknownValue,
    );
    assert!(permission[0].contains("`bogus:x`") && permission[0].contains("file:read"));
    let backend = invalid(&BASE.replace("starlark", "proces"), Code::UnknownValue);
    assert!(backend[0].contains("one of: process, "), "{backend:?}");
}

#[test]
fn m5_versions() {
    invalid(&BASE.replace("1.0.0", "1.0"), Code::InvalidVersion);
    invalid(&BASE.replace("1.0.0", "not-semver"), Code::InvalidVersion);
    assert_eq!(
        manifest(&BASE.replace("1.0.0", "1.0.0-rc.1+x"))
            .version
            .to_string(),
        "1.0.0-rc.1+x"
    );
}

#[test]
fn m6_types_that_need_code() {
    for kind in [
        "tool",
        "workflow",
        "security-rule",
        "transform",
        "prompt, tool",
    ] {
        invalid(&PROMPT.replace("prompt", kind), Code::MissingBackend);
    }
    invalid(
        &format!("{PROMPT}implementation: {{backend: starlark}}\n"),
        Code::MissingBackend,
    );
    let process =
        format!("{PROMPT}implementation: {{backend: process, command: [python3, main.py]}}\n");
    assert_eq!(
        manifest(&process).implementation.unwrap().command,
        ["python3", "main.py"]
    );
}

#[test]
fn m7_paths_that_leave_the_skill() {
    for path in [
        "/etc/passwd",
        "../x.star",
        "a/../../x.star",
        r"'C:\x.star'",
        r"'..\x.star'",
    ] {
        invalid(&BASE.replace("skill.star", path), Code::PathEscapes);
        invalid(
            &format!("{PROMPT}prompt: {{system_prompt_file: {path}}}\n"),
            Code::PathEscapes,
        );
        invalid(
            &format!("{PROMPT}prompt: {{context_files: [{path}]}}\n"),
            Code::PathEscapes,
        );
        let tool = format!(
            "{BASE}tools:\n  - name: t\n    description: d\n    input_schema_file: {path}\n"
        );
        invalid(&tool, Code::PathEscapes);
    }
}

#[test]
fn m8_missing_entrypoint_file() {
    let messages = invalid(&BASE.replace("skill.star", "other.star"), Code::MissingFile);
    assert!(messages[0].contains("`other.star`"));
}

#[test]
fn m9_unknown_key() {
    let parsed = read(&format!("{BASE}permisions: [\"file:read\"]\n"));
    assert!(parsed.manifest.is_some());
    let found = &parsed.diagnostics[0];
    assert_eq!(found.code, Code::UnknownField);
    assert_eq!(found.severity(Profile::Load), Some(Severity::Warning));
    assert_eq!(found.severity(Profile::Check), Some(Severity::Error));
    assert_eq!(found.help.as_deref(), Some("did you mean `permissions`?"));
}

#[test]
fn m10_repeated_values() {
    let text = format!(
        "{}permissions: [\"file:read\", \"file:read\"]\n",
        BASE.replace("[tool]", "[tool, tool]")
    );
    let parsed = read(&text);
    let codes: Vec<_> = parsed
        .diagnostics
        .iter()
        .map(|found| (found.code, found.severity(Profile::Check)))
        .collect();
    assert_eq!(codes, [(Code::RepeatedValue, Some(Severity::Warning)); 2]);
    let manifest = parsed.manifest.unwrap();
    assert_eq!((manifest.types.len(), manifest.permissions.len()), (1, 1));
}

fn named(name: &str, version: &str, dependencies: &str) -> Manifest {
    let text = PROMPT.replace("my-skill", name).replace("1.0.0", version);
    manifest(&format!("{text}dependencies: [{dependencies}]\n"))
}

#[test]
fn m11_dependency_cycle() {
    let a = named("a", "1.0.0", "{name: b}");
    let b = named("b", "1.0.0", "{name: a}");
    let c = named("c", "1.0.0", "{name: a}");
    let found = check_dependencies(&[&a, &b, &c]);
    let cycles: Vec<_> = found
        .iter()
        .map(|(index, found)| (*index, found.code, found.message.as_str()))
        .collect();
    assert_eq!(
        cycles,
        [
            (0, Code::DependencyCycle, "cyclic dependency: a -> b -> a"),
            (1, Code::DependencyCycle, "cyclic dependency: b -> a -> b"),
        ]
    );
}

#[test]
fn m12_missing_dependency() {
    let a = named(
        "a",
        "1.0.0",
        "{name: b, version: ^2}, {name: absent}, {name: extra, optional: true}",
    );
    let b = named("b", "1.0.0", "");
    let found = check_dependencies(&[&a, &b]);
    let rows: Vec<_> = found
        .iter()
        .map(|(index, found)| (*index, found.code, found.severity(Profile::Load)))
        .collect();
    let missing = Code::MissingDependency;
    assert_eq!(
        rows,
        [
            (0, missing, Some(Severity::Error)),
            (0, missing, Some(Severity::Error)),
            (0, missing, Some(Severity::Warning)),
        ]
    );
    assert!(found[0].1.message.contains("^2") && found[0].1.message.contains("1.0.0"));
    assert_eq!(
        check_dependencies(&[&named("a", "1.0.0", "{name: b, version: ^1}"), &b]),
        []
    );
}

#[test]
fn m13_triggers() {
    invalid(
        &format!("{PROMPT}triggers: {{files: [\"src/{{a\"]}}\n"),
        Code::InvalidTrigger,
    );
    invalid(
        &format!("{PROMPT}triggers: {{keywords: [\"\"]}}\n"),
        Code::InvalidTrigger,
    );
    invalid(
        &format!("{PROMPT}triggers: {{keywords: [\"  \"]}}\n"),
        Code::InvalidTrigger,
    );
    let triggers = manifest(&format!(
        "{PROMPT}triggers: {{files: [\"**/*.rs\"], keywords: [pod]}}\n"
    ))
    .triggers;
    assert_eq!(triggers.files, ["**/*.rs"]);
}

#[test]
fn m16_triggers_that_never_match() {
    let warned = |triggers: &str| {
        let text = format!("{PROMPT}triggers: {triggers}\n");
        let parsed = parse(text.as_bytes(), &Context::default(), None);
        assert!(parsed.manifest.is_some(), "{triggers}");
        let found = parsed.diagnostics.first()?;
        assert_eq!(found.code, Code::IneffectiveTrigger);
        assert_eq!(found.severity(Profile::Load), None);
        Some(format!("{}: {}", found.message, found.help.clone()?))
    };
    for (triggers, expected) in [
        (
            r"{files: ['src\*.rs']}",
            r"`src\*.rs` matches no file of a project: write `/` between directories, also for Windows",
        ),
        (
            "{files: [../other/*.rs]}",
            "`../other/*.rs` matches no file of a project: write a path from the root of the project",
        ),
        (
            "{files: [.git/HEAD]}",
            "`.git/HEAD` matches no file of a project: files of version control are not searched",
        ),
        (
            "{languages: [Phyton]}",
            "unknown language `Phyton`: did you mean `python`?",
        ),
    ] {
        assert_eq!(warned(triggers).as_deref(), Some(expected));
    }
    for triggers in [
        "{files: [.github/**, ./src/*.rs, k8s/, /Dockerfile]}",
        "{languages: [Python, rust]}",
    ] {
        assert_eq!(warned(triggers), None);
    }
}

#[test]
fn m14_both_files_disagree() {
    let skill_md = b"---\nname: other\ndescription: d\n---\n";
    let skill = prowess_spec::parse(skill_md, &Context::default())
        .skill
        .unwrap();
    let parsed = parse(PROMPT.as_bytes(), &Context::default(), Some(&skill));
    assert!(parsed.manifest.is_none());
    assert_eq!(parsed.diagnostics[0].code, Code::ManifestDisagrees);
    assert_eq!(
        parsed.diagnostics[0].severity(Profile::Load),
        Some(Severity::Error)
    );
    let same = b"---\nname: my-skill\ndescription: d\n---\n";
    let skill = prowess_spec::parse(same, &Context::default())
        .skill
        .unwrap();
    assert!(
        parse(PROMPT.as_bytes(), &Context::default(), Some(&skill))
            .manifest
            .is_some()
    );
}

#[test]
fn m15_foreign_manifest_beside_a_skill() {
    let file = b"---\nname: my-skill\ndescription: d\n---\n";
    let skill = prowess_spec::parse(file, &Context::default()).skill;
    let beside = |text: &str| parse(text.as_bytes(), &Context::default(), skill.as_ref());
    for foreign in [
        "name: Another Name\nicon: pdf.png\n",
        "name: my-skill\nversion: 1.0.0\ndescription: other\n",
        "- a list\n",
        "name: [broken\n",
        "",
    ] {
        let parsed = beside(foreign);
        assert!(parsed.manifest.is_none());
        let found: Vec<Code> = parsed.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(found, [Code::ForeignManifest], "{foreign:?}");
        for profile in [Profile::Load, Profile::Check] {
            let severity = parsed.diagnostics[0].severity(profile);
            assert_eq!(severity, Some(Severity::Warning));
        }
    }
    for own in [
        "name: my-skill\ntypes: [tool]\n",
        "name: my-skill\nimplementation: {backend: starlark}\n",
        "name: [broken\ntypes: [tool]\n",
    ] {
        let parsed = beside(own);
        assert!(parsed.manifest.is_none());
        assert!(!is_valid(&parsed.diagnostics, Profile::Load), "{own:?}");
    }
    assert!(!is_valid(&read("name: alone\n").diagnostics, Profile::Load));
}
