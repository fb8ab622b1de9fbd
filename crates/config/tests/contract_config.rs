//! The configuration contract: rows K1 to K7, each test named after its row.
#![cfg(test)]

mod support;

use std::time::Duration;

use prowess_config::{
    Database, DialectName, Git, GitAuth, GitLocation, GitRef, HttpAuth, Mcp, Origin, Param,
    RepositorySpec, RepositoryState, RepositoryType, Scope, Scripts, SkillsConfig, StoreLocation,
};
use support::{World, entry, names, repository};

fn filesystem(name: &str, path: &str) -> String {
    entry(name, "filesystem", &format!("path = '{path}'"))
}

fn git(config: &SkillsConfig, name: &str) -> Git {
    match repository(config, name).spec().unwrap() {
        RepositorySpec::Git(git) => git.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn k1_no_file() {
    let config = World::new().config();
    assert_eq!(config, SkillsConfig::default());
    assert!(config.repositories.is_empty() && config.files.is_empty());
    let skills = &config.skills;
    assert!(skills.enabled && !skills.strict);
    assert_eq!(skills.max_skills, 100_000);
    assert_eq!(skills.max_injection_bytes, 32_768);
    assert_eq!(skills.inventory_threshold, 12);
    assert!((skills.context_share - 0.02).abs() < f64::EPSILON);
    assert_eq!(skills.dialect, DialectName::Prowess);
    assert_eq!(skills.scripts, Scripts::Ask);
    assert_eq!(config.permissions.max_llm_calls_per_turn, 10);
    assert_eq!(config.permissions.max_shell_exec_per_turn, 20);
    assert_eq!(config.permissions.max_net_fetch_per_turn, 10);
    assert_eq!(
        config.permissions.shell_exec_timeout,
        Duration::from_secs(30)
    );
    assert_eq!(
        config.permissions.net_fetch_timeout,
        Duration::from_secs(15)
    );
    assert_eq!(config.store, StoreLocation::DefaultSqlite);
    let mut origins = config.entries().iter().map(|entry| &entry.origin);
    assert!(origins.all(|origin| *origin == Origin::Default));
}

#[test]
fn k1_an_empty_file_changes_nothing() {
    for text in ["", "\n", "\u{feff}", "# nothing\r\n", "[skills]\n[store]"] {
        let mut config = World::with(text).config();
        assert_eq!(config.files.len(), 1);
        config.files.clear();
        config.project = None;
        assert_eq!(config, SkillsConfig::default(), "{text:?}");
    }
}

#[test]
fn k2_repositories_of_the_project_come_first() {
    let project = filesystem("project", "skills") + &filesystem("company", "ours");
    let user = filesystem("company", "theirs") + &filesystem("personal", "mine");
    let world = World::with(&project).user(user);
    let config = world.config();
    assert_eq!(names(&config), ["project", "company", "personal"]);
    let company = RepositorySpec::Filesystem {
        path: world.path("work/ours"),
    };
    assert_eq!(repository(&config, "company").spec(), Some(&company));
    let [dropped] = config.dropped.as_slice() else {
        panic!("{:?}", config.dropped)
    };
    assert_eq!(dropped.name, "company");
    assert_eq!(dropped.origin.scope(), Some(Scope::User));
    assert_eq!(dropped.kept.scope(), Some(Scope::Project));
}

#[test]
fn k2_a_name_repeated_in_one_file_keeps_the_first() {
    let world = World::with(&(filesystem("a", "one") + &filesystem("a", "two")));
    let config = world.config();
    assert_eq!(names(&config), ["a"]);
    let dropped: Vec<String> = config
        .dropped
        .iter()
        .map(|d| d.origin.to_string())
        .collect();
    assert_eq!(world.relative(&dropped.join(" ")), "work/prowess.toml:5");
}

#[test]
fn k2_the_nearest_file_is_the_project() {
    let world = World::with("skills.max_skills = 1")
        .write("work/.git/HEAD", "")
        .write("work/a/prowess.toml", "");
    let load = |directory| world.look(directory, SkillsConfig::load).unwrap();
    assert_eq!(load("work").skills.max_skills, 1);
    assert_eq!(load("work/a/b/c").skills.max_skills, 100_000);
    assert_eq!(load("work/b/c").skills.max_skills, 1);
}

#[test]
fn k2_beside_the_users_file_there_is_one_file() {
    let world = World::new().user(filesystem("a", "one"));
    let config = world.look("user/prowess", SkillsConfig::load).unwrap();
    assert_eq!(names(&config), ["a"]);
    assert!(config.dropped.is_empty());
    assert_eq!(config.files.len(), 1);
}

#[test]
fn k2_an_explicit_file_stands_alone() {
    let world = World::with("skills.max_skills = 1")
        .user("skills.strict = true")
        .write("other/x.toml", filesystem("a", "one"));
    let path = world.path("other/x.toml");
    let load = |path| world.look("work", |lookup| SkillsConfig::load_file(path, lookup));
    let config = load(path.as_path()).unwrap();
    assert_eq!(
        (config.skills.max_skills, config.skills.strict),
        (100_000, false)
    );
    assert_eq!(config.files.first().unwrap().0, Scope::Explicit);
    let one = RepositorySpec::Filesystem {
        path: world.path("other/one"),
    };
    assert_eq!(repository(&config, "a").spec(), Some(&one));
    assert_eq!(
        load("../other/x.toml".as_ref()).unwrap().repositories.len(),
        1
    );
    let missing = load("nowhere.toml".as_ref()).unwrap_err();
    assert_eq!(
        world.relative(&missing.to_string()),
        "cannot read `work/nowhere.toml`"
    );
}

#[test]
fn k3_what_the_project_does_not_state_is_the_users() {
    let world = World::with("[skills]\nstrict = true\n").user("[skills]\nenabled = false\n");
    let skills = world.config().skills;
    assert!(!skills.enabled && skills.strict);
    let world = World::with("skills.enabled = false").user("skills.enabled = true");
    assert!(!world.config().skills.enabled);
}

#[test]
fn k4_variables() {
    let check = |text: &str, expected: &str| {
        let world = World::with(&filesystem("a", text)).set("HOME", "/home/ada");
        let config = world.config();
        let spec = repository(&config, "a").spec().unwrap();
        let RepositorySpec::Filesystem { path } = spec else {
            panic!("{spec:?}")
        };
        let path = path.strip_prefix(world.path("work")).unwrap_or(path);
        assert_eq!(path.to_str().unwrap(), expected, "{text}");
    };
    check("${HOME}/skills", "/home/ada/skills");
    check("$X", "$X");
    check("$${X}", "${X}");
    check("a-$-$$", "a-$-$$");
}

#[test]
fn k4_variables_that_cannot_be_replaced() {
    let world = World::with(&(filesystem("a", "${NOWHERE}/x") + &filesystem("b", "x${")))
        .user(filesystem("c", "${a b}") + &filesystem("fine", "x"));
    insta::assert_snapshot!(world.failed(), @r"
    work/prowess.toml:4:8: `skills.repositories.a.path` uses the environment variable `NOWHERE`, which is not set
      | path = '${NOWHERE}/x'
      |        ^^^^^^^^^^^^^^
      help: set `NOWHERE`, or write `$${NOWHERE}` for the text itself
    work/prowess.toml:8:8: `skills.repositories.b.path` contains `${` without `}`
      | path = 'x${'
      |        ^^^^^
      help: write `${NAME}` for a variable, or `$${` for the text `${`
    user/prowess/prowess.toml:4:8: `skills.repositories.c.path` contains an invalid variable name in `${...}`
      | path = '${a b}'
      |        ^^^^^^^^
      help: write `${NAME}` for a variable, or `$${` for the text `${`
    ");
    assert!(repository(&world.config(), "fine").spec().is_some());
}

#[cfg(unix)]
#[test]
fn k4_a_variable_that_is_not_text() {
    use std::os::unix::ffi::OsStringExt;

    let mut world = World::with(&filesystem("a", "${X}"));
    let value = std::ffi::OsString::from_vec(vec![0xff]);
    world.variables.insert("X".to_owned(), value);
    insta::assert_snapshot!(world.failed(), @r"
    work/prowess.toml:4:8: `skills.repositories.a.path` uses the environment variable `X`, which is not Unicode
      | path = '${X}'
      |        ^^^^^^
      help: set `X`, or write `$${X}` for the text itself
    ");
}

#[test]
fn k4_every_string_of_a_repository() {
    let git = "url = 'https://${X}/a'\nref = { branch = '${X}' }\nskills_root = '${X}'\nauth = { bearer = '${X}' }";
    let http = "url = 'https://${X}/a'\nauth = { header = { name = '${X}', value = '${X}' } }";
    let sql = "url = 'sqlite:${X}'\nquery = 'select ${X}'\nparams = ['${X}', 1, 2.5, true]";
    let mcp = "command = ['${X}', '-${X}']\nenv = { A = '${X}' }";
    let text = [
        entry("git", "git", git),
        entry("http", "http", http),
        entry("sql", "sql", sql),
        entry("mcp", "mcp", mcp),
    ];
    let world = World::new().user(text.concat()).set("X", "x");
    let config = world.config();
    let spec = |name| repository(&config, name).spec().unwrap();
    let found = self::git(&config, "git");
    assert!(matches!(&found.url, GitLocation::Http(url) if url.expose() == "https://x/a"));
    assert_eq!(found.reference, Some(GitRef::Branch("x".to_owned())));
    assert_eq!(found.skills_root.unwrap().as_str(), "x");
    assert!(matches!(&found.auth, Some(GitAuth::Bearer(token)) if token.expose() == "x"));
    let RepositorySpec::Http(found) = spec("http") else {
        panic!()
    };
    assert!(
        matches!(&found.auth, Some(HttpAuth::Header { name, value }) if name == "x" && value.expose() == "x")
    );
    let RepositorySpec::Sql(found) = spec("sql") else {
        panic!()
    };
    assert_eq!(found.url, Database::Sqlite(world.path("user/prowess/x")));
    assert_eq!(found.query, "select x");
    assert!(
        matches!(found.params.as_slice(), [Param::Text(text), Param::Integer(1), Param::Float(_), Param::Boolean(true)] if text.expose() == "x")
    );
    let RepositorySpec::Mcp(Mcp::Command { command, env, .. }) = spec("mcp") else {
        panic!()
    };
    let command: Vec<&str> = command.iter().map(prowess_config::Secret::expose).collect();
    assert_eq!(command, ["x", "-x"]);
    assert_eq!(env.get("A").unwrap().expose(), "x");
}

#[test]
fn k4_nothing_else_is_replaced() {
    let world = World::new().user("model.name = '${X}'").set("X", "x");
    assert_eq!(world.config().model.name.as_deref(), Some("${X}"));
    let world =
        World::with("store.url = 'postgres://u:${X}@h/d'\n[registry]\nurl = 'https://${X}'");
    insta::assert_snapshot!(world.refused(), @r"
    work/prowess.toml:1:13: `store.url` contains `${`, but variables are replaced only in repositories and in `store.url` of your own file
      | store.url = ***********************
      |             ^^^^^^^^^^^^^^^^^^^^^^^
      help: write the value itself
    work/prowess.toml:3:7: `registry.url` contains `${`, but variables are replaced only in repositories and in `store.url` of your own file
      | url = 'https://${X}'
      |       ^^^^^^^^^^^^^^
      help: write the value itself
    ");
}

#[test]
fn k4_the_users_store_may_have_its_password_in_a_variable() {
    let url = "store.url = 'postgres://u:${X}@h/d'";
    let config = World::new().user(url).set("X", "p%40ss").config();
    let StoreLocation::Postgres(found) = &config.store else {
        panic!("{:?}", config.store)
    };
    assert_eq!(found.expose(), "postgres://u:p%40ss@h/d");
    assert!(!format!("{config:?}").contains("p%40ss"));
    // Nothing else in the user's file, and nothing in a project's.
    let other = World::new().user("registry.url = 'https://${X}'");
    assert!(
        other
            .set("X", "x")
            .refused()
            .contains("`registry.url` contains")
    );
    let missing = World::new().user(url).refused();
    assert!(missing.contains("set `X`"), "{missing}");
}

#[test]
fn k4_repositories_that_are_not_used_may_lack_their_variables() {
    let off = entry("off", "filesystem", "path = '${NOWHERE}'\nenabled = false");
    let world = World::with(&(off + &filesystem("a", "x")))
        .user(filesystem("a", "${NOWHERE}") + &filesystem("off", "x"));
    let config = world.config();
    assert_eq!(config.problems().count(), 0);
    assert_eq!(repository(&config, "off").state, RepositoryState::Disabled);
    assert_eq!(names(&config), ["off", "a"]);
}

#[test]
fn k5_unknown_keys_wrong_types_unknown_repository_types() {
    let text = "[skills]\nstritc = true\nmax_skills = \"many\"\n\n[[skills.repositories]]\nname = \"a\"\ntype = \"gti\"\n\n[[skills.repositories]]\nname = \"b\"\ntype = \"http\"\nulr = \"https://example.com\"\n\n[skils]\n";
    let user = "whatever = 1\n[model]\nprovider = 1\napi_key = 's3cr3t'\n";
    insta::assert_snapshot!(World::with(text).user(user).refused(), @r#"
    work/prowess.toml:2:1: `skills.stritc` is not a known key
      | stritc = true
      | ^^^^^^
      help: did you mean `strict`?
    work/prowess.toml:3:14: `skills.max_skills` must be a whole number, found a string
      | max_skills = "many"
      |              ^^^^^^
      help: write a whole number
    work/prowess.toml:7:8: `skills.repositories.a.type` has the invalid value `gti`
      | type = "gti"
      |        ^^^^^
      help: did you mean `git`?
    work/prowess.toml:9:1: `skills.repositories.b.url` is missing
      | [[skills.repositories]]
      | ^^^^^^^^^^^^^^^^^^^^^^^
      help: add it
    work/prowess.toml:12:1: `skills.repositories.b.ulr` is not a known key
      | ulr = *********************
      | ^^^
      help: did you mean `url`?
    work/prowess.toml:14:2: `skils` is not a known key
      | [skils]
      |  ^^^^^
      help: did you mean `skills`?
    user/prowess/prowess.toml:1:1: `whatever` is not a known key
      | whatever = 1
      | ^^^^^^^^
      help: one of: skills, permissions, registry, registries, packages, model, search, audit, store
    user/prowess/prowess.toml:3:12: `model.provider` must be a string, found a whole number
      | provider = 1
      |            ^
      help: write a string
    user/prowess/prowess.toml:4:1: `model.api_key` is not a known key
      | api_key = ********
      | ^^^^^^^
      help: one of: provider, name, base_url, api_key_env, tools, context_window, first_byte_seconds, between_bytes_seconds
    "#);
}

#[test]
fn k6_relative_paths_begin_at_their_file() {
    let user = [
        filesystem("fs", "./a/../b"),
        filesystem("home", "~"),
        filesystem("under-home", "~/a/b"),
        filesystem("no-home", "~ada/x"),
        filesystem("absolute", "/a/b"),
        entry("archive", "archive", "path = 'a.zip'"),
        entry("git", "git", "url = '../repo'"),
        entry("git-home", "git", "url = '~/repo'"),
        entry("git-file", "git", "url = 'file:///srv/repo'"),
        entry(
            "key",
            "git",
            "url = 'git@example.com:a/b'\nauth = { ssh_key = 'id' }",
        ),
        entry("sql", "sql", "url = 'sqlite:a.db'\nquery = 'select 1'"),
        entry(
            "sql-slashes",
            "sql",
            "url = 'sqlite:///a.db'\nquery = 'select 1'",
        ),
        "[store]\nurl = 'sqlite:~/state.db'\n".to_owned(),
    ];
    let world = World::new().user(user.concat());
    let config = world.config();
    let check = |name: &str, expected: &str| {
        let path = match repository(&config, name).spec().unwrap() {
            RepositorySpec::Filesystem { path } | RepositorySpec::Archive { path } => path.clone(),
            RepositorySpec::Git(git) => match (&git.auth, &git.url) {
                (Some(GitAuth::SshKey(path)), _) | (_, GitLocation::Local(path)) => path.clone(),
                other => panic!("{other:?}"),
            },
            RepositorySpec::Sql(sql) => match &sql.url {
                Database::Sqlite(path) => path.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        let path = path.to_str().unwrap();
        assert_eq!(world.relative(path), expected, "{name}");
    };
    check("fs", "user/prowess/a/../b");
    check(
        "home",
        world
            .path("home")
            .to_str()
            .unwrap()
            .trim_start_matches(world.path("").to_str().unwrap()),
    );
    check("under-home", "home/a/b");
    check("no-home", "user/prowess/~ada/x");
    check("absolute", "/a/b");
    check("archive", "user/prowess/a.zip");
    check("git", "user/prowess/../repo");
    check("git-home", "home/repo");
    check("git-file", "/srv/repo");
    check("key", "user/prowess/id");
    check("sql", "user/prowess/a.db");
    check("sql-slashes", "/a.db");
    let state = StoreLocation::Sqlite(world.path("home/state.db"));
    assert_eq!(config.store, state);
}

#[test]
fn k6_no_home() {
    let world = World::with(&(filesystem("a", "~/x") + &filesystem("b", "x")));
    let config = world.look("work", |lookup| {
        let lookup = prowess_config::Lookup {
            home: None,
            ..*lookup
        };
        SkillsConfig::load(&lookup).unwrap()
    });
    insta::assert_snapshot!(world.render(config.problems()), @r"
    work/prowess.toml:4:8: `skills.repositories.a.path` starts with `~`, but the home directory is unknown
      | path = '~/x'
      |        ^^^^^
      help: write an absolute path
    ");
    assert!(repository(&config, "b").spec().is_some());
}

#[test]
fn k7_one_bad_repository_does_not_stop_the_others() {
    let text = [
        entry(
            "bad",
            "http",
            "url = 'htp//example.com'\ntimeout_seconds = 0",
        ),
        entry("good", "http", "url = 'https://example.com/api'"),
        entry("Bad Name", "filesystem", "path = 'x'"),
    ];
    let world = World::with(&text.concat());
    let config = world.config();
    assert_eq!(names(&config), ["bad", "good", "Bad Name"]);
    let good = repository(&config, "good");
    assert!(good.spec().is_some());
    assert_eq!(good.kind, RepositoryType::Http);
    insta::assert_snapshot!(world.failed(), @r#"
    work/prowess.toml:4:7: `skills.repositories.bad.url` is not a valid URL: relative URL without a base
      | url = 'htp//example.com'
      |       ^^^^^^^^^^^^^^^^^^
      help: write a URL such as `https://example.com/skills`
    work/prowess.toml:5:19: `skills.repositories.bad.timeout_seconds` is out of range: expected 1 to 600, found 0
      | timeout_seconds = 0
      |                   ^
    work/prowess.toml:11:8: `skills.repositories."Bad Name".name` is not a valid name: a name has lower-case letters, digits, `-` and `_`, at most 64, and starts with a letter or digit
      | name = "Bad Name"
      |        ^^^^^^^^^^
      help: write a name such as `team-skills`
    "#);
}
