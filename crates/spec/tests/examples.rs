//! Every code's bad example has it, and every good example has nothing at all.

use std::collections::BTreeMap;

use prowess_spec::{
    Code, Context, Diagnostic, Example, MANIFEST_FILE, advise, choose_skill_file, manifest, parse,
};

/// Everything there is to say about an example of a code; other examples are too short for all advice.
fn diagnose(code: Code, example: &Example) -> Vec<Diagnostic> {
    let files: BTreeMap<&str, Vec<u8>> = example
        .files()
        .map(|(name, content)| (name, content.bytes()))
        .collect();
    let exists = |path: &str| files.contains_key(path);
    let context = Context {
        directory: Some(example.directory),
        exists: Some(&exists),
    };
    let names: Vec<&str> = files.keys().copied().collect();
    let mut found = Vec::new();
    let mut skill = None;
    if let Some((name, about_name)) = choose_skill_file(&names) {
        let bytes = files.get(name).map_or(&[][..], Vec::as_slice);
        let parsed = parse(bytes, &context);
        let advice = advise(bytes, &parsed);
        found.extend(advice.into_iter().filter(|it| it.code == code));
        found.extend(about_name);
        found.extend(parsed.diagnostics);
        skill = parsed.skill;
    }
    if let Some(bytes) = files.get(MANIFEST_FILE) {
        let parsed = manifest::parse(bytes, &context, skill.as_ref());
        found.extend(parsed.diagnostics);
        if let Some(parsed) = &parsed.manifest {
            found.extend(
                manifest::check_dependencies(&[parsed])
                    .into_iter()
                    .map(|(_, found)| found),
            );
        }
    }
    found
}

#[test]
fn bad_examples_have_their_code() {
    for code in Code::ALL {
        let found = diagnose(*code, &code.info().bad);
        assert!(
            found.iter().any(|found| found.code == *code),
            "{code}: {found:?}"
        );
    }
}

#[test]
fn good_examples_have_no_diagnostics() {
    for code in Code::ALL {
        assert_eq!(diagnose(*code, &code.info().good), [], "{code}");
    }
}

#[test]
fn ids_are_unique_and_in_kebab_case() {
    let mut ids: Vec<&str> = Code::ALL.iter().map(|code| code.id()).collect();
    for id in &ids {
        assert!(
            id.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte.is_ascii_digit())
        );
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Code::ALL.len());
}

/// What a diagnostic says is what a person reads: lower case, no full stop, always with help.
#[test]
fn messages_follow_the_house_style() {
    for code in Code::ALL {
        for found in diagnose(*code, &code.info().bad) {
            let help = found.help.clone().unwrap_or_default();
            assert!(!help.is_empty(), "{code} has no help");
            for text in [found.message.as_str(), &help] {
                assert!(!text.ends_with('.'), "{text}");
                assert!(!text.starts_with(char::is_uppercase), "{text}");
            }
        }
    }
}
