//! Files that say what makes no sense.
#![cfg(test)]

mod support;

use std::fs;
use std::time::{Duration, Instant};

use prowess_config::{Error, limits};
use support::{World, entry};

/// The messages of what is refused, without places.
fn refused(text: &str) -> Vec<String> {
    let error = World::with(text).load().unwrap_err();
    let messages = error
        .problems()
        .iter()
        .map(prowess_config::Problem::message);
    messages.collect()
}

fn many(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

/// The messages of what is wrong with one repository `r`.
fn failed(kind: &str, lines: &str) -> Vec<String> {
    let config = World::new().user(entry("r", kind, lines)).config();
    let messages = config.problems().map(|problem| {
        let message = problem.message();
        message.replace("`skills.repositories.r.", "`")
    });
    messages.collect()
}

const WRONG_SETTINGS: &[(&str, &str)] = &[
    (
        "skills = 1",
        "`skills` must be a table, found a whole number",
    ),
    (
        "skills.enabled = 'yes'",
        "`skills.enabled` must be `true` or `false`, found a string",
    ),
    (
        "skills.max_skills = 0",
        "`skills.max_skills` is out of range: expected 1 to 10000000, found 0",
    ),
    (
        "skills.max_skills = -1",
        "`skills.max_skills` is out of range: expected 1 to 10000000, found -1",
    ),
    (
        "skills.max_skills = 1.5",
        "`skills.max_skills` must be a whole number, found a number",
    ),
    (
        "skills.max_skills = 99999999999999999999",
        "`skills.max_skills` is out of range: expected 1 to 10000000, found 99999999999999999999",
    ),
    (
        "skills.max_injection_bytes = 0x3ff",
        "`skills.max_injection_bytes` is out of range: expected 1024 to 16777216, found 0x3ff",
    ),
    (
        "skills.context_share = '2%'",
        "`skills.context_share` must be a number, found a string",
    ),
    (
        "skills.dialect = 'claude'",
        "`skills.dialect` has the invalid value `claude`",
    ),
    (
        "skills.scripts = true",
        "`skills.scripts` must be a string, found `true` or `false`",
    ),
    (
        "skills.scripts = 'always'",
        "`skills.scripts` has the invalid value `always`",
    ),
    (
        "skills.repositories = { name = 'a' }",
        "`skills.repositories` must be a list, found a table",
    ),
    (
        "skills.repositories = ['a']",
        "`skills.repositories` must be a table, found a string",
    ),
    (
        "skills.repositories = [{ type = 'registry', package = 'a' }]\n",
        "`skills.repositories.name` is missing",
    ),
    (
        "permissions.net_fetch_timeout_seconds = 0",
        "`permissions.net_fetch_timeout_seconds` is out of range: expected 1 to 3600, found 0",
    ),
    (
        "permissions.approved = ['a']",
        "`permissions.approved` must be a table, found a list",
    ),
    (
        "permissions.approved.a = 'net:fetch'",
        "`permissions.approved.a` must be a list, found a string",
    ),
    (
        "permissions.approved.a = [1]",
        "`permissions.approved.a` must be a string, found a whole number",
    ),
    (
        "permissions.approved.a = ['net']",
        "`permissions.approved.a` has the invalid value `net`",
    ),
    (
        "permissions.approved.'A/b' = []",
        "`permissions.approved.\"A/b\"` is not a valid skill id: an id has names of lower-case letters, digits and hyphens, separated by `/`",
    ),
    (
        "registries = [{ name = 'a', url = 'https://h', namespaces = [] }]",
        "`registries.a.namespaces` is not a list of owners: an owner has lower-case letters, digits and hyphens",
    ),
    (
        "registries = [{ name = 'a', url = 'https://h', namespaces = ['a/b'] }]",
        "`registries.a.namespaces` is not a list of owners: an owner has lower-case letters, digits and hyphens",
    ),
    (
        "registries = [{ name = 'a', url = 'https://h' }, { name = 'a', url = 'https://i' }]",
        "`registries` has two entries with the same name",
    ),
    (
        "registries = [{ name = 'a' }]",
        "`registries.a.url` is missing",
    ),
    (
        "registry.url = 'ftp://h'",
        "`registry.url` must start with `https://` or `http://`",
    ),
    (
        "registry.url = 'https://h?x'",
        "`registry.url` contains a query or a fragment",
    ),
    (
        "registry.url = 'https://'",
        "`registry.url` is not a valid URL: empty host",
    ),
    (
        "registry.url = 'h'",
        "`registry.url` is not a valid URL: relative URL without a base",
    ),
    ("model.provider = ''", "`model.provider` is empty"),
    (
        "model.name = \"a\\u0007\"",
        "`model.name` contains a control character",
    ),
    (
        "model.api_key_env = 'sk-123'",
        "`model.api_key_env` is not a valid variable name: a name has letters, digits and `_`, and does not start with a digit",
    ),
    (
        "store.url = 'mysql://h/d'",
        "`store.url` must start with `sqlite:` or `postgres://`",
    ),
    (
        "store.url = 'oracle'",
        "`store.url` must start with `sqlite:`, `postgres://` or `mysql://`",
    ),
    ("store.url = 'sqlite:'", "`store.url` does not name a file"),
    ("store.path = 'x'", "`store.path` is not a known key"),
    (
        "skills.max_skills = 2024-01-01",
        "`skills.max_skills` must be a whole number, found a date",
    ),
    ("'' = 1", "`\"\"` is not a known key"),
];

#[test]
fn wrong_settings() {
    let check = |text: &str, expected: &str| assert_eq!(refused(text), [expected], "{text}");
    for share in ["0", "0.0", "-0.5", "1.01", "2", "nan", "inf"] {
        check(
            &format!("skills.context_share = {share}"),
            &format!(
                "`skills.context_share` is out of range: expected more than 0 and at most 1, found {share}"
            ),
        );
    }
    for (text, expected) in WRONG_SETTINGS {
        check(text, expected);
    }
}

#[test]
fn valid_settings_are_accepted() {
    let fine = "[skills]\nmax_skills = 1_000\ncontext_share = 1\ndialect = 'claude-code'\nscripts = 'off'\n[permissions]\nmax_llm_calls_per_turn = 0\n[registry]\nurl = 'http://127.0.0.1:7777'\n[model]\nprovider = 'anthropic'\nname = 'claude-sonnet-4-5'\nbase_url = 'http://localhost:11434/v1'\napi_key_env = 'MY_KEY'\ntools = false\ncontext_window = 8_192\n[store]\nurl = 'postgres://u:p@h/d?sslmode=require'\n";
    for text in [
        fine.to_owned(),
        fine.replace('\n', "\r\n"),
        format!("\u{feff}{fine}"),
    ] {
        let config = World::new().user(&text).config();
        assert_eq!(config.skills.max_skills, 1_000);
        assert_eq!(config.model.api_key_env.as_deref(), Some("MY_KEY"));
        assert_eq!(
            (config.model.tools, config.model.context_window),
            (false, 8_192)
        );
    }
}

const WRONG_SHAPES: &[(&str, &str, &str)] = &[
    ("filesystem", "", "`r.path` is missing"),
    (
        "filesystem",
        "path = 1",
        "`r.path` must be a string, found a whole number",
    ),
    (
        "filesystem",
        "path = 'x'\nenabled = 'no'",
        "`r.enabled` must be `true` or `false`, found a string",
    ),
    (
        "filesystem",
        "path = 'x'\nurl = 'x'",
        "`r.url` is not a known key",
    ),
    ("Git", "url = 'x'", "`r.type` has the invalid value `Git`"),
    (
        "git",
        "url = 'x'\nref = 'main'",
        "`r.ref` must be a table, found a string",
    ),
    (
        "git",
        "url = 'x'\nref = {}",
        "`r.ref` requires one of `branch`, `tag`, `commit`",
    ),
    (
        "git",
        "url = 'x'\nref = { branch = 'a', tag = 'b' }",
        "`r.ref` accepts only one of `branch`, `tag`, `commit`",
    ),
    (
        "git",
        "url = 'x'\nauth = { bearer = 'a', ssh_key = 'b' }",
        "`r.auth` accepts only one of `bearer`, `ssh_key`",
    ),
    (
        "git",
        "url = 'x'\nauth = {}",
        "`r.auth` requires one of `bearer`, `ssh_key`",
    ),
    (
        "http",
        "url = 'https://h'\nauth = { header = { name = 'X' } }",
        "`r.auth.header.value` is missing",
    ),
    ("sql", "url = 'sqlite:x'", "`r.query` is missing"),
    (
        "sql",
        "url = 'sqlite:x'\nquery = 'q'\nparams = [[]]",
        "`r.params` must be a string, a number, `true` or `false`, found a list",
    ),
    ("registry", "", "`r.package` is missing"),
    ("mcp", "", "`r` requires one of `command`, `url`"),
    (
        "mcp",
        "command = ['a']\nurl = 'https://h'",
        "`r` accepts only one of `command`, `url`",
    ),
    (
        "mcp",
        "url = 'https://h'\nenv = { A = 'x' }",
        "`r.env` requires `command`",
    ),
    (
        "mcp",
        "command = ['a']\nauth = { bearer = 'x' }",
        "`r.auth` requires `url`",
    ),
    (
        "mcp",
        "command = 'a'",
        "`r.command` must be a list, found a string",
    ),
    (
        "mcp",
        "command = ['a']\nenv = { A = 1 }",
        "`r.env.A` must be a string, found a whole number",
    ),
];

#[test]
fn wrong_shapes_of_repositories() {
    let check = |kind: &str, lines: &str, expected: &str| {
        let messages = refused(&entry("r", kind, lines));
        let messages: Vec<String> = messages
            .iter()
            .map(|message| message.replace("skills.repositories.r", "r"))
            .collect();
        assert_eq!(messages, [expected], "{kind} {lines}");
    };
    for (kind, lines, expected) in WRONG_SHAPES {
        check(kind, lines, expected);
    }
}

const GIT: &str =
    "`url` must start with `https://`, `http://`, `ssh://` or `file://`, or be a path";

const WRONG_VALUES: &[(&str, &str, &str)] = &[
    ("filesystem", "path = ''", "`path` is not a valid path"),
    (
        "filesystem",
        "path = \"a\\u0000\"",
        "`path` is not a valid path",
    ),
    (
        "git",
        "url = 'https://:1'",
        "`url` is not a valid URL: empty host",
    ),
    ("git", "url = 'file://h/x'", "`url` has a host name"),
    (
        "http",
        "url = 'https:h'",
        "`url` must start with `https://` or `http://`",
    ),
    ("git", "url = ''", "`url` is not a valid path"),
    (
        "git",
        "url = 'x'\nskills_root = '/x'",
        "`skills_root` is absolute",
    ),
    ("git", "url = 'x'\nref = { tag = '' }", "`ref.tag` is empty"),
    (
        "git",
        "url = 'x'\nref = { commit = 'main' }",
        "`ref.commit` is not a commit hash",
    ),
    (
        "git",
        "url = 'http://h/x'\nauth = { bearer = 'x' }",
        "`auth` would send a token without encryption",
    ),
    (
        "git",
        "url = 'git@h:x'\nauth = { bearer = 'x' }",
        "`auth` has a token, which requires https",
    ),
    (
        "git",
        "url = 'https://h/x'\nauth = { ssh_key = 'x' }",
        "`auth` has a key, which requires ssh",
    ),
    (
        "git",
        "url = 'https://h/x'\nauth = { bearer = ' ' }",
        "`auth.bearer` is empty",
    ),
    (
        "git",
        "url = 'x'\ndepth = 0",
        "`depth` is out of range: expected 1 to 1000000, found 0",
    ),
    (
        "http",
        "url = 'https://h'\nrefresh_seconds = 0",
        "`refresh_seconds` is out of range: expected 1 to 31536000, found 0",
    ),
    (
        "http",
        "url = 'file:///x'",
        "`url` must start with `https://` or `http://`",
    ),
    (
        "http",
        "url = 'https://h'\nauth = { bearer = \"a\\nb\" }",
        "`auth.bearer` contains a control character",
    ),
    (
        "http",
        "url = 'https://h'\nauth = { header = { name = 'a b', value = 'x' } }",
        "`auth.header.name` is not a valid header name",
    ),
    (
        "sql",
        "url = 'host=h password=p'\nquery = 'q'",
        "`url` must start with `sqlite:`, `postgres://` or `mysql://`",
    ),
    (
        "sql",
        "url = 'sqlite::memory:'\nquery = 'q'",
        "`url` does not name a file",
    ),
    ("sql", "url = 'sqlite:x'\nquery = ' '", "`query` is empty"),
    (
        "sql",
        "url = 'sqlite:x'\nquery = 'q'\nparams = [nan]",
        "`params` has a number that is too large for a database",
    ),
    (
        "registry",
        "package = 'a'",
        "`type` has the value `registry`, which is not available yet",
    ),
    (
        "git",
        "url = 'owner/repo'",
        "`url` is a path to a directory that does not exist",
    ),
    ("mcp", "command = []", "`command` is missing a program"),
    (
        "mcp",
        "command = ['a']\nenv = { 'A=B' = 'x' }",
        "`env.\"A=B\"` is not a valid variable name: a name has letters, digits and `_`, and does not start with a digit",
    ),
    (
        "mcp",
        "command = ['${NOWHERE}']",
        "`command` uses the environment variable `NOWHERE`, which is not set",
    ),
];

#[test]
fn wrong_values_of_repositories() {
    let check = |kind: &str, lines: &str, expected: &str| {
        assert_eq!(failed(kind, lines), [expected], "{kind} {lines}");
    };
    for url in [
        "-x",
        "ext::sh -c x",
        "git://h/x",
        "ftp://h/x",
        "ssh://-oProxyCommand=x/y",
        "-h:x",
        "a@-h:x",
        "ssh://%2doX@h/y",
        ":x",
    ] {
        check("git", &format!("url = '{url}'"), GIT);
    }
    check(
        "git",
        "url = 'https://h/\\u0007'\n".replace('\'', "\"").as_str(),
        "`url` contains a space or a control character",
    );
    for root in ["../x", "a/../.."] {
        check(
            "git",
            &format!("url = 'x'\nskills_root = '{root}'"),
            "`skills_root` contains `..`",
        );
    }
    for name in [
        "-x", "a b", "a..b", "a~1", "/a", "a//b", "a.lock", "@", "refs/.x",
    ] {
        check(
            "git",
            &format!("url = 'x'\nref = {{ branch = '{name}' }}"),
            "`ref.branch` is not a valid git reference name",
        );
    }
    for (kind, lines, expected) in WRONG_VALUES {
        check(kind, lines, expected);
    }
}

#[test]
fn all_problems_are_reported_in_order() {
    let text = "[skills]\nmax_skill = 1\nenabled = 1\n\n[[skills.repositories]]\ntype = 'git'\nurl = 'x'\nref = { branch = 'a', tag = 'b', tga = 'c' }\n\n[store]\nurl = 1\n";
    insta::assert_snapshot!(World::with(text).refused(), @r"
    work/prowess.toml:2:1: `skills.max_skill` is not a known key
      | max_skill = 1
      | ^^^^^^^^^
      help: did you mean `max_skills`?
    work/prowess.toml:3:11: `skills.enabled` must be `true` or `false`, found a whole number
      | enabled = 1
      |           ^
      help: write `true` or `false`
    work/prowess.toml:5:1: `skills.repositories.name` is missing
      | [[skills.repositories]]
      | ^^^^^^^^^^^^^^^^^^^^^^^
      help: add it
    work/prowess.toml:8:23: `skills.repositories.ref` accepts only one of `branch`, `tag`, `commit`
      | ref = { branch = 'a', tag = 'b', tga = *** }
      |                       ^^^
      help: keep one and remove the others
    work/prowess.toml:8:34: `skills.repositories.ref.tga` is not a known key
      | ref = { branch = 'a', tag = 'b', tga = *** }
      |                                  ^^^
      help: did you mean `tag`?
    work/prowess.toml:11:7: `store.url` must be a string, found a whole number
      | url = 1
      |       ^
      help: write a string
    ");
}

#[test]
fn files_that_are_not_toml() {
    insta::assert_snapshot!(World::with("[skills]\nenabled = yes\nstrict = \"no\nmax_skills 3\n").refused(), @r#"
    work/prowess.toml:2:11: string values must be quoted, expected literal string
      | enabled = yes
      |           ^^^
    work/prowess.toml:3:13: invalid basic string, expected `"`
      | strict = "no
      |             ^
    work/prowess.toml:4:12: key with no value, expected `=`
      | max_skills 3
      |            ^
    "#);
    insta::assert_snapshot!(World::with("[skills]\nenabled = true\nenabled = false\n[skills]\n").refused(), @r"
    work/prowess.toml:3:1: duplicate key
      | enabled = false
      | ^^^^^^^
    work/prowess.toml:4:2: duplicate key
      | [skills]
      |  ^^^^^^
    ");
    insta::assert_snapshot!(World::with("\u{feff}skills = {\r\n").refused(), @r"
    work/prowess.toml:1:11: unclosed inline table, expected `}`
      | skills = {
      |           ^
    ");
}

#[test]
fn a_broken_file_does_not_hide_what_is_wrong_with_the_other() {
    let world = World::with("skills = \n").user("[skills]\nstritc = true\n");
    let error = world.load().unwrap_err();
    let files: Vec<String> = error
        .problems()
        .iter()
        .map(|problem| world.relative(&problem.to_string()))
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(
        files
            .iter()
            .any(|file| file.starts_with("user/prowess/prowess.toml:2:1"))
    );
}

#[test]
fn columns_count_characters() {
    insta::assert_snapshot!(World::with("skills = { 'é日' = 1, strict = 'ü', scripts = 1 }\n").refused(), @r#"
    work/prowess.toml:1:12: `skills."é日"` is not a known key
      | skills = { 'é日' = 1, strict = 'ü', scripts = 1 }
      |            ^^^^^^^
      help: one of: enabled, strict, max_skills, max_injection_bytes, inventory_threshold, context_share, catalog_budget, pinned, disabled, usual_places, builtin, dialect, scripts, sandbox, repositories
    work/prowess.toml:1:31: `skills.strict` must be `true` or `false`, found a string
      | skills = { 'é日' = 1, strict = 'ü', scripts = 1 }
      |                               ^^^^
      help: write `true` or `false`
    work/prowess.toml:1:46: `skills.scripts` must be a string, found a whole number
      | skills = { 'é日' = 1, strict = 'ü', scripts = 1 }
      |                                              ^
      help: write a string
    "#);
}

#[test]
fn files_that_cannot_be_read() {
    let user = "user/prowess/prowess.toml";
    let world = World::new();
    fs::create_dir(world.path(user)).unwrap();
    assert_eq!(world.refused(), format!("`{user}` is not a file"));

    let world = World::new().user(b"[skills]\n# \xc3\xa9\xff\n");
    assert_eq!(
        world.refused(),
        format!("`{user}` is not UTF-8 at line 2, column 4")
    );

    let limit = usize::try_from(limits::FILE_BYTES).unwrap();
    assert!(World::new().user("#".repeat(limit)).load().is_ok());
    let world = World::new().user("#".repeat(limit + 1));
    assert_eq!(
        world.refused(),
        format!("`{user}` is larger than 1048576 bytes")
    );
}

#[test]
fn large_and_deep_files_are_rejected_quickly() {
    let limit = usize::try_from(limits::FILE_BYTES).unwrap();
    let deep = "a = ".to_owned() + &"[".repeat(limit - 10);
    let dotted = "a.".repeat(limit / 2 - 10) + "b = 1";
    let tables = "[a]\n".repeat(limit / 4);
    let keys = many(90_000, |n| format!("k{n} = 1\n"));
    let broken = "=\n".repeat(limit / 2);
    let one_line = many(9_000, |n| {
        format!("{{name='a{n}',type='archive',path='x{n}',k=1}},")
    });
    let one_line = format!("skills.repositories=[{one_line}]");
    let opening = "{a=".repeat(limit / 3 - 10);
    for text in [
        deep,
        dotted,
        tables,
        keys,
        broken,
        one_line,
        format!("a = {opening}"),
    ] {
        let started = Instant::now();
        let Err(Error::Invalid { problems, .. }) = World::new().user(&text).load() else {
            panic!("not refused for what is in it: {} bytes", text.len())
        };
        assert!(!problems.is_empty() && problems.len() <= limits::PROBLEMS);
        let taken = started.elapsed();
        assert!(taken < Duration::from_secs(20), "{taken:?}");
    }
}

#[test]
fn further_problems_are_counted() {
    let text = many(250, |n| format!("k{n} = 1\n"));
    let world = World::with(&text).user(&text);
    let Err(Error::Invalid { problems, omitted }) = world.load() else {
        panic!("accepted")
    };
    assert_eq!((problems.len(), omitted), (200, 300));
}
