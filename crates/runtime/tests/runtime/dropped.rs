//! What is left of a step in a skill's life when nobody waits for its end any longer: a turn that is cancelled twice.

use std::os::unix::fs::symlink;
use std::pin::Pin;
use std::time::{Duration, Instant};

use prowess_runtime::{ActivationState, ApprovalDecision, Parts};
use serde_json::json;

use crate::place::{Place, Running, id, launcher, runs};

const PATIENCE: Duration = Duration::from_secs(10);
const EXEC: &str = "permissions: [\"shell:exec\"]\n";
const TOOL: &str = "register_tool('hello', 'says hello', lambda input: 'hello')\n";

/// Code that waits for a program while it is loaded.
fn slow(command: &str) -> String {
    format!("{TOOL}{}", wait_for(command))
}

/// Code that waits for a program in a handler.
fn slow_in(phase: &str, command: &str) -> String {
    let wait = wait_for(command);
    format!("{TOOL}def wait(data):\n    {wait}\nregister_hook('{phase}', wait)\n")
}

fn wait_for(command: &str) -> String {
    let words: Vec<String> = command.split(' ').map(|it| format!("'{it}'")).collect();
    format!("exec({})", words.join(", "))
}

type Step<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Takes a step until a program runs for it.
async fn until_runs<T>(step: &mut Step<'_, T>, command: &str) {
    let began = Instant::now();
    while !runs(command) {
        assert!(began.elapsed() < PATIENCE, "`{command}` never ran");
        let done = tokio::time::timeout(Duration::from_millis(5), &mut *step).await;
        assert!(done.is_err(), "it did not wait for `{command}`");
    }
}

/// A program that nobody needs any more ends.
async fn until_ended(command: &str) {
    let began = Instant::now();
    while runs(command) {
        assert!(began.elapsed() < PATIENCE, "`{command}` is left");
        tokio::task::yield_now().await;
    }
}

fn activate<'a>(running: &'a Running, name: &'a str) -> Step<'a, bool> {
    Box::pin(async move { running.runtime.activate(&id(name)).await.is_ok() })
}

#[tokio::test]
async fn dropped_activation_leaves_nothing() {
    let loading = slow("sleep 62.125");
    let greeting = slow_in("OnActivate", "sleep 62.25");
    for (code, command) in [(loading, "sleep 62.125"), (greeting, "sleep 62.25")] {
        let place = Place::new();
        place.skill("a", "tool", EXEC, &code);
        let worker = place.path("worker");
        symlink(launcher(), &worker).unwrap();
        let own = |parts: &mut Parts| {
            if let Some(program) = &mut parts.workers.starlark {
                program.program.clone_from(&worker);
            }
        };
        let running = place.open_with(ApprovalDecision::Once, own).await;
        let mut step = activate(&running, "a");
        until_runs(&mut step, command).await;
        assert!(runs(worker.to_str().unwrap()));
        assert_eq!(
            running.runtime.state(&id("a")).0,
            ActivationState::Activating
        );
        drop(step);
        let (state, reason) = running.runtime.state(&id("a"));
        assert_eq!(state, ActivationState::Inactive);
        assert_eq!(reason, "activation cancelled");
        assert!(running.runtime.tools().is_empty() && running.runtime.active().is_empty());
        until_ended(command).await;
        until_ended(worker.to_str().unwrap()).await;
        // It may be tried again, as if nobody had.
        place.skill("a", "tool", EXEC, TOOL);
        running.runtime.activate(&id("a")).await.unwrap();
        assert_eq!(running.call("hello", json!({})).await.0, "hello");
        let life = ["activating", "inactive", "activating", "active"];
        assert_eq!(running.life("a"), life);
    }
}

#[tokio::test]
async fn dropped_activation_keeps_dependencies_consistent() {
    let place = Place::new();
    let needs = "dependencies: [{name: base, version: \"^1\"}]\n";
    let top = TOOL.replace("hello", "top");
    place.skill("base", "tool", EXEC, &slow("sleep 62.375"));
    place.skill("top", "tool", &format!("{needs}{EXEC}"), &top);
    let running = place.open().await;
    let mut step = activate(&running, "top");
    until_runs(&mut step, "sleep 62.375").await;
    drop(step);
    // What was asked for last is given up first.
    for name in ["base", "top"] {
        assert_eq!(
            running.runtime.state(&id(name)).0,
            ActivationState::Inactive
        );
        assert_eq!(running.life(name), ["activating", "inactive"]);
    }
    until_ended("sleep 62.375").await;

    place.skill("base", "tool", EXEC, TOOL);
    let slow_top = format!("{top}{}", wait_for("sleep 62.5"));
    place.skill("top", "tool", &format!("{needs}{EXEC}"), &slow_top);
    let mut step = activate(&running, "top");
    until_runs(&mut step, "sleep 62.5").await;
    drop(step);
    assert_eq!(
        running.runtime.state(&id("top")).0,
        ActivationState::Inactive
    );
    assert_eq!(running.runtime.active(), [id("base")]);
    assert_eq!(running.call("hello", json!({})).await.0, "hello");
    until_ended("sleep 62.5").await;
}

#[tokio::test]
async fn waiting_activation_continues() {
    let place = Place::new();
    place.skill("a", "tool", EXEC, &slow("sleep 62.625"));
    let running = place.open().await;
    let mut first = activate(&running, "a");
    until_runs(&mut first, "sleep 62.625").await;
    let (mut second, mut third) = (activate(&running, "a"), activate(&running, "a"));
    for waiting in [&mut second, &mut third] {
        let soon = tokio::time::timeout(Duration::from_millis(20), waiting).await;
        assert!(soon.is_err(), "two at once");
    }
    place.skill("a", "tool", EXEC, TOOL);
    drop(first);
    // One of them takes the step; the other finds it taken.
    assert_eq!(tokio::join!(second, third), (true, true));
    assert_eq!(running.call("hello", json!({})).await.0, "hello");
    let life = ["activating", "inactive", "activating", "active"];
    assert_eq!(running.life("a"), life);
}

#[tokio::test]
async fn dropped_deactivation_still_deactivates() {
    let place = Place::new();
    let code = slow_in("OnDeactivate", "sleep 62.75");
    place.skill("a", "tool", EXEC, &code);
    let running = place.open().await.with(&["a"]).await;
    let runtime = &running.runtime;
    let mut step: Step<'_, ()> = Box::pin(async { runtime.deactivate(&id("a")).await });
    until_runs(&mut step, "sleep 62.75").await;
    drop(step);
    assert_eq!(
        runtime.state(&id("a")),
        (ActivationState::Inactive, "deactivated".to_owned())
    );
    assert!(runtime.tools().is_empty());
    until_ended("sleep 62.75").await;
    runtime.activate(&id("a")).await.unwrap();
    assert_eq!(running.call("hello", json!({})).await.0, "hello");
}

#[tokio::test]
async fn dropped_shutdown_ends_only_the_reached_skills() {
    let place = Place::new();
    place.skill("a", "tool", "", &TOOL.replace("hello", "first"));
    let last = slow_in("OnDeactivate", "sleep 62.875");
    place.skill("b", "tool", EXEC, &last);
    let running = place.open().await.with(&["a", "b"]).await;
    let runtime = &running.runtime;
    let mut step: Step<'_, ()> = Box::pin(async { runtime.shut_down().await });
    until_runs(&mut step, "sleep 62.875").await;
    drop(step);
    assert_eq!(runtime.state(&id("b")).0, ActivationState::Inactive);
    assert_eq!(runtime.active(), [id("a")]);
    assert_eq!(running.call("first", json!({})).await.0, "first");
    until_ended("sleep 62.875").await;
    runtime.shut_down().await;
    assert!(runtime.active().is_empty());
    assert_eq!(runtime.state(&id("a")).0, ActivationState::Inactive);
}
