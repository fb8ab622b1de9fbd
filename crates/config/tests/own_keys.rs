//! What a project's file cannot say, because whoever wrote the project is not the user.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod support;

use prowess_config::StoreLocation;
use support::{World, entry};

const STATED: &str = "[store]\nurl = 'sqlite:theirs.db'\n[model]\nname = 'm'\nbase_url = 'https://theirs'\napi_key_env = 'AWS_SECRET'\n";

#[test]
fn what_only_the_users_file_says() {
    let theirs = World::with(STATED).config();
    assert_eq!(theirs.store, StoreLocation::DefaultSqlite);
    assert_eq!(
        (&theirs.model.base_url, &theirs.model.api_key_env),
        (&None, &None)
    );
    assert_eq!(theirs.model.name.as_deref(), Some("m"));
    let keys: Vec<&str> = theirs
        .all_ignored()
        .iter()
        .map(|(key, _)| key.as_str())
        .collect();
    assert_eq!(keys, ["model.base_url", "model.api_key_env", "store.url"]);
    assert!(!theirs.states("store.url"));

    // The user's own counts, also below a project's.
    let own = STATED
        .replace("theirs", "mine")
        .replace("AWS_SECRET", "MY_KEY");
    let both = World::with(STATED).user(&own).config();
    assert!(matches!(&both.store, StoreLocation::Sqlite(path) if path.ends_with("mine.db")));
    assert_eq!(both.model.base_url.unwrap().expose(), "https://mine");
    assert_eq!(both.model.api_key_env.as_deref(), Some("MY_KEY"));
}

/// A project may choose a model where the user did not.
#[test]
fn the_users_model_comes_first() {
    let theirs = "[model]\nprovider = 'openai'\nname = 'gpt'\n";
    assert_eq!(
        World::with(theirs).config().model.provider.as_deref(),
        Some("openai")
    );
    let both = World::with(theirs)
        .user("[model]\nprovider = 'local'\n")
        .config();
    assert_eq!(both.model.provider.as_deref(), Some("local"));
    assert_eq!(both.model.name.as_deref(), Some("gpt"));
    assert!(!both.project_states("model.provider") && both.all_ignored().is_empty());
}

#[test]
fn secrets_that_are_not_for_a_project() {
    let repository = |variable: &str| {
        let auth = format!("url = 'https://h'\nauth = {{ bearer = '${{{variable}}}' }}");
        entry("r", "http", &auth)
    };
    for (variable, held) in [
        ("OPENAI_API_KEY", true),
        ("aws_session_token", true),
        ("MY_CLIENT_SECRET", true),
        ("GOOGLE_APPLICATION_CREDENTIALS", true),
        ("COMPANY_TOKEN", false),
        ("HOME", false),
    ] {
        let text = repository(variable);
        let theirs = World::with(&text).set(variable, "x").config();
        assert_eq!(theirs.problems().count() > 0, held, "{variable}");
        let own = World::new().user(&text).set(variable, "x").config();
        assert_eq!(own.problems().count(), 0, "{variable}");
    }
}
