//! No secret is shown by anything.
#![cfg(test)]

mod support;

use prowess_config::RepositorySpec;
use support::{World, entry, repository};

const SECRETS: &[&str] = &["LITERAL", "FROM-ENV"];

fn check(shown: &str) {
    for secret in SECRETS {
        assert!(!shown.contains(secret), "{secret} is in {shown}");
    }
}

fn everything() -> String {
    [
        entry("g1", "git", "url = 'https://LITERAL@h/x'\nauth = { bearer = 'LITERAL' }"),
        entry("g2", "git", "url = 'https://u:${T}@h/${T}/x?t=LITERAL'\nauth = { bearer = '${T}' }"),
        entry("g3", "git", "url = 'ssh://u:LITERAL@h/x'"),
        entry("h1", "http", "url = 'https://u:LITERAL@h'\nauth = { header = { name = 'X', value = 'LITERAL' } }"),
        entry("h2", "http", "url = '${U}'\n[skills.repositories.auth]\nbearer = \"\"\"\nLITERAL\"\"\""),
        entry("s1", "sql", "url = 'postgres://u:LITERAL@h/d?password=LITERAL'\nquery = 'q'\nparams = ['${T}']"),
        entry("s2", "sql", "url = 'mysql://${T}:x@h/d'\nquery = 'q'"),
        entry("m1", "mcp", "command = ['x', '--token=${T}']\nenv = { A = 'LITERAL', B = '${T}' }"),
        entry("m2", "mcp", "url = 'https://h?key=LITERAL'\nauth = { bearer = '${T}' }"),
        entry("r1", "registry", "package = 'a'\nurl = 'https://LITERAL@h'"),
        "[registry]\nurl = 'https://LITERAL@h'\n[model]\nbase_url = 'https://u:LITERAL@h'\n[store]\nurl = 'postgres://u:LITERAL@h/d'\n".to_owned(),
    ]
    .concat()
}

fn world(text: &str) -> World {
    World::new()
        .user(text)
        .set("T", "FROM-ENV")
        .set("U", "https://FROM-ENV@h")
}

#[test]
fn secrets_are_not_in_the_loaded_configuration() {
    let world = world(&everything());
    let config = world.config();
    let failed = world.failed();
    assert!(
        failed.contains("r1.type") && failed.lines().count() == 4,
        "{failed}"
    );
    check(&failed);
    check(&format!("{config:?} {config:#?}"));
    check(&world.entries());
    for repository in &config.repositories {
        if let Some(spec) = repository.spec() {
            check(&serde_json::to_string(spec).unwrap());
        }
    }
    check(&serde_json::to_string(config.entries()).unwrap());
    check(&serde_json::to_string(&(&config.registry, &config.model, &config.store)).unwrap());
    check(&format!("{:?}", config.registry.url));
    // They are there all the same.
    let RepositorySpec::Http(h1) = repository(&config, "h1").spec().unwrap() else {
        panic!()
    };
    assert_eq!(h1.url.expose(), "https://u:LITERAL@h");
}

#[test]
fn secrets_are_not_in_an_untrusted_project() {
    let world = World::with(&everything()).untrusted();
    let config = world.config();
    assert!(!config.project.as_ref().unwrap().reach.is_empty());
    check(&format!("{config:?} {config:#?}"));
    check(&world.entries());
    // The question shows hosts, not passwords.
    for reach in config.project.unwrap().reach.iter() {
        let shown = reach.to_string();
        assert!(!shown.contains("LITERAL@"), "{shown}");
    }
}

#[test]
fn secrets_are_not_in_problems() {
    // Each of these has something wrong in the line of a secret.
    let wrong = [
        entry(
            "r",
            "git",
            "url = 'https://u:LITERAL@h'\nulr = 'https://u:LITERAL@h'",
        ),
        entry("r", "git", "url = 'x'\nauth = { baerer = 'LITERAL' }"),
        entry(
            "r",
            "git",
            "url = 'x'\nauth = { bearer = 'LITERAL', ssh_key = 'x' }",
        ),
        entry("r", "git", "url = 'x'\nauth = 'LITERAL'"),
        entry("r", "git", "url = 'x'\nauth = ['LITERAL']"),
        entry("r", "git", "url = ['LITERAL']"),
        entry(
            "r",
            "http",
            "url = 'x'\nauth = { header = { X = 'LITERAL' } }",
        ),
        entry("r", "http", "url = 'x'\nauth = { header = 'X: LITERAL' }"),
        entry("r", "mcp", "command = 1\nenv = 'LITERAL'"),
        entry("r", "mcp", "url = 'https://h'\nenv = { A = 'LITERAL' }"),
        entry(
            "r",
            "gti",
            "url = 'https://LITERAL@h'\nauth = { bearer = 'LITERAL' }",
        ),
        "[model]\napi_key = 'LITERAL'\n".to_owned(),
        "[model]\nheaders = { x = ['LITERAL'] }\n".to_owned(),
        "[model]\napi_key_env = 'sk-LITERAL'\n".to_owned(),
        "[store]\nurl = 'postgres://u:LITERAL@h:bad/d'\n".to_owned(),
        "[store]\npassword = 'LITERAL'\n".to_owned(),
        "skills.repositories = 'LITERAL'\n".to_owned(),
        "skills.repositories = [['LITERAL']]\n".to_owned(),
        "[[skills.repositories]]\nauth = { bearer = 'LITERAL\n".to_owned(),
        "[[skills.repositories]]\nurl = https://u:LITERAL@h\n".to_owned(),
        "[[skills.repositories]]\nenv = { A = 'LITERAL' B }\n".to_owned(),
        "[x.env]\nA = 'LITERAL' 'LITERAL'\n= 'LITERAL'\n".to_owned(),
        "bearer = LITERAL\n".to_owned(),
    ];
    for text in wrong {
        let world = world(&text);
        let error = world.load().unwrap_err();
        assert!(!error.problems().is_empty(), "{text}");
        check(&world.refused());
        check(&format!("{error} {error:?} {error:#?}"));
        for problem in error.problems() {
            check(problem.source());
            assert_eq!(problem.source().len(), text.len());
        }
    }
}

#[test]
fn secrets_are_not_in_problems_of_a_repository() {
    let wrong = [
        entry("r", "http", "url = 'https://u:LITERAL@h:bad'"),
        entry("r", "http", "url = 'https://h/${T}?x'"),
        entry("r", "git", "url = 'https://h/${T} x'"),
        entry(
            "r",
            "git",
            "url = 'https://h/x'\nauth = { bearer = 'LITERAL${' }",
        ),
        entry(
            "r",
            "git",
            "url = 'http://h/x'\nauth = { bearer = 'LITERAL' }",
        ),
        entry("r", "git", "url = 'x'\nref = { branch = '-${T}' }"),
        entry("r", "sql", "url = '${T}'\nquery = 'q'"),
        entry("r", "sql", "url = 'host=h password=LITERAL'\nquery = 'q'"),
        entry("r", "registry", "package = '${T} '\nversion = '${T}'"),
        entry("r", "mcp", "command = ['a']\nenv = { 'a b' = 'LITERAL' }"),
        entry(
            "r",
            "http",
            "url = 'https://h'\nauth = { header = { name = '${T} ', value = \"LITERAL\\n\" } }",
        ),
    ];
    for text in wrong {
        let world = world(&text);
        let config = world.config();
        assert!(config.problems().count() > 0, "{text}");
        check(&world.failed());
        check(&format!("{config:?}"));
        check(&world.entries());
        for problem in config.problems() {
            check(problem.source());
        }
    }
}
