//! The life of a skill: what it may become, what it leaves behind when it fails.

use prowess_runtime::{ActivationState, ApprovalDecision};
use serde_json::json;

use crate::place::{Place, id};

const TOOL: &str = "
def hello(input):
    return 'hello'
register_tool('hello', 'says hello', hello)
";

#[tokio::test]
async fn lc1_inactive_activating_active_inactive() {
    let place = Place::new();
    place.skill("a", "tool", "", TOOL);
    let running = place.open().await;
    let runtime = &running.runtime;
    assert_eq!(runtime.state(&id("a")).0, ActivationState::Inactive);
    assert!(runtime.tools().is_empty());
    runtime.activate(&id("a")).await.unwrap();
    assert_eq!(runtime.state(&id("a")).0, ActivationState::Active);
    assert_eq!(
        running.call("hello", json!({})).await,
        ("hello".to_owned(), false)
    );
    // A second time: nothing happens.
    runtime.activate(&id("a")).await.unwrap();
    runtime.deactivate(&id("a")).await;
    assert!(runtime.tools().is_empty());
    assert!(runtime.call_tool("hello", json!({})).await.is_err());
    // Being told to end twice is no step of a life.
    runtime.deactivate(&id("a")).await;
    assert_eq!(running.life("a"), ["activating", "active", "inactive"]);
}

#[tokio::test]
async fn lc2_an_invalid_transition_changes_nothing() {
    let place = Place::new();
    place.skill("a", "tool", "", TOOL);
    let running = place.open().await.with(&["a"]).await;
    let error = running.runtime.reset(&id("a")).unwrap_err();
    // An active skill is ended, not reset: that would leave its worker behind.
    assert!(error.to_string().starts_with("invalid-transition"));
    assert_eq!(running.runtime.state(&id("a")).0, ActivationState::Active);
    assert_eq!(running.call("hello", json!({})).await.0, "hello");
}

#[tokio::test]
async fn lc3_error_reset_active() {
    let place = Place::new();
    place.skill("a", "tool", "", "fail('not today')");
    let running = place.open().await;
    let runtime = &running.runtime;
    let error = runtime.activate(&id("a")).await.unwrap_err().to_string();
    assert!(
        error.contains("not today") && error.contains("skill.star:1"),
        "{error}"
    );
    assert_eq!(runtime.state(&id("a")).0, ActivationState::Error);
    // It stays so until somebody resets it, even when its files are better now.
    place.skill("a", "tool", "", TOOL);
    let error = runtime.activate(&id("a")).await.unwrap_err().to_string();
    assert!(error.contains("not reset"), "{error}");
    runtime.reset(&id("a")).unwrap();
    runtime.activate(&id("a")).await.unwrap();
    assert_eq!(
        running.life("a"),
        ["activating", "error", "inactive", "activating", "active"]
    );
}

#[tokio::test]
async fn lc4_a_failed_activation_leaves_nothing() {
    let place = Place::new();
    place.skill("first", "tool", "", TOOL);
    let hooks = "
def watch(data):
    log('watched ' + data['tool'])
register_hook('OnBeforeToolCall', watch)
";
    // The same tool again; a handler for being activated that fails; a type that is not declared.
    place.skill("clash", "tool", "", &format!("{hooks}{TOOL}"));
    let greeting = "
def greet(data):
    fail('no')
register_hook('OnActivate', greet)
def other(input):
    return 'other'
register_tool('other', '', other)
";
    place.skill("rude", "tool", "", &format!("{hooks}{greeting}"));
    let undeclared = TOOL.replace("'hello'", "'third'");
    place.skill("quiet", "workflow", "", &format!("{hooks}{undeclared}"));
    let taken = TOOL.replace("'hello'", "'load_skill'");
    place.skill("thief", "tool", "", &taken);
    let running = place.open().await.with(&["first"]).await;
    let runtime = &running.runtime;
    for (name, reason) in [
        ("clash", "the tool `hello` is already registered by `first`"),
        ("rude", "failed in OnActivate"),
        ("quiet", "`types` does not name `tool`"),
        ("thief", "`load_skill` is a built-in tool"),
    ] {
        let error = runtime.activate(&id(name)).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{name}: {error}");
        assert_eq!(runtime.state(&id(name)).0, ActivationState::Error);
        assert_eq!(running.life(name), ["activating", "error"]);
    }
    let names: Vec<String> = runtime.tools().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["hello"]);
    // None of their handlers is left either.
    assert_eq!(running.call("hello", json!({})).await.0, "hello");
    assert!(running.log().is_empty());
}

#[tokio::test]
async fn lc5_activation_hooks_are_called() {
    let place = Place::new();
    let code = "
def on(data):
    log('hello ' + data['skill'])
def off(data):
    log('goodbye ' + data['skill'])
    fail('and then it fails')
register_hook('OnActivate', on)
register_hook('OnDeactivate', off)
";
    place.skill("a", "tool", "", code);
    let running = place.open().await.with(&["a"]).await;
    running.runtime.deactivate(&id("a")).await;
    assert_eq!(running.log(), ["hello a", "goodbye a"]);
    // Failing at the end is reported, and ends it all the same.
    assert_eq!(running.runtime.state(&id("a")).0, ActivationState::Inactive);
    let failed = running
        .told()
        .into_iter()
        .find(|it| it["type"] == "hook-failed");
    assert_eq!(failed.unwrap()["phase"], "OnDeactivate");
}

#[tokio::test]
async fn a_skill_that_changes_while_active() {
    let place = Place::new();
    place.skill("a", "tool", "permissions: [\"file:read\"]\n", TOOL);
    let running = place.open().await.with(&["a"]).await;
    running.runtime.begin_turn().await;
    assert_eq!(running.runtime.active(), [id("a")]);
    place.skill(
        "a",
        "tool",
        "permissions: [\"file:read\", \"file:write\"]\n",
        TOOL,
    );
    running.runtime.begin_turn().await;
    assert!(running.runtime.active().is_empty());
    assert!(
        running
            .runtime
            .state(&id("a"))
            .1
            .contains("its files changed")
    );
    // What it is now was never approved, so it is asked about in full.
    running.runtime.activate(&id("a")).await.unwrap();
    let asked = running.approver.1.lock().unwrap().clone();
    assert_eq!(asked.last().unwrap(), &["run", "file:read", "file:write"]);
}

#[tokio::test]
async fn dependencies_are_activated_first() {
    let place = Place::new();
    place.skill("base", "tool", "", TOOL);
    let needs = |name: &str| format!("dependencies: [{{name: {name}, version: \"^1\"}}]\n");
    let caller = "
def twice(input):
    return invoke_skill('base', 'hello') + invoke_skill('base', 'hello')
register_tool('twice', '', twice)
";
    let permission = "permissions: [\"skill:invoke\"]\n";
    place.skill(
        "top",
        "tool",
        &format!("{}{permission}", needs("base")),
        caller,
    );
    place.skill("lost", "prompt", &needs("nobody"), "");
    place.skill(
        "old",
        "prompt",
        "dependencies: [{name: base, version: \"^2\"}]\n",
        "",
    );
    place.skill("egg", "prompt", &needs("hen"), "");
    place.skill("hen", "prompt", &needs("egg"), "");
    let running = place.open().await;
    let runtime = &running.runtime;
    runtime.activate(&id("top")).await.unwrap();
    assert_eq!(runtime.active(), [id("base"), id("top")]);
    assert_eq!(running.call("twice", json!({})).await.0, "hellohello");
    for (name, reason) in [
        ("lost", "`nobody`"),
        ("old", "needs ^2, found 1.0.0"),
        ("egg", "egg"),
    ] {
        let error = runtime.activate(&id(name)).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{name}: {error}");
    }
}

#[tokio::test]
async fn q19_denial_is_asked_again_when_the_user_activates_the_skill_again() {
    let place = Place::new();
    place.skill("a", "tool", "permissions: [\"shell:exec\"]\n", TOOL);
    let running = place.open_with(ApprovalDecision::Deny, |_| ()).await;
    let error = running.runtime.activate(&id("a")).await.unwrap_err();
    assert!(error.to_string().starts_with("not-approved"), "{error}");
    assert_eq!(running.runtime.state(&id("a")).0, ActivationState::Inactive);
    // A trigger does not nag, the user's wish asks again.
    running.runtime.activate(&id("a")).await.unwrap_err();
    assert_eq!(running.approver.1.lock().unwrap().len(), 1);
    running.runtime.approvals().forget_denials(Some("a"));
    running.runtime.activate(&id("a")).await.unwrap_err();
    assert_eq!(running.approver.1.lock().unwrap().len(), 2);
}
