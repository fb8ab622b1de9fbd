//! A worker that is killed again and again, whenever it hurts.

use std::time::Duration;

use prowess_spec::manifest::Permission;
use serde_json::json;

use crate::executors::{PYTHON, block_on, id, runtime, skill};

const ECHO: &str = r#"
import json, os, random, sys, threading, time
answers = 0
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        result = {"tools": [{"name": "echo", "description": "d"}]}
    elif request["method"] == "tool/execute":
        result = {"content": str(request["params"]["input"]["n"]), "is_error": False}
    else:
        result = None
    text = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n"
    if request["method"] == "tool/execute" and request["params"]["input"].get("die") is not None:
        # Somewhere in the line, or just before it, or just behind it.
        end = min(request["params"]["input"]["die"], len(text))
        sys.stdout.write(text[:end])
        sys.stdout.flush()
        os.kill(os.getpid(), 9)
    sys.stdout.write(text)
    sys.stdout.flush()
"#;

/// A thousand calls, one in fifty of which is shot in the middle of its answer: no answer goes to another call, none
/// is made up, and each call ends.
#[test]
fn killed_at_random_points() {
    let _turn = crate::TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let place = skill(PYTHON, &[Permission::FileRead]);
    place.write("attack/main.py", ECHO);
    let project = tempfile::tempdir().unwrap();
    block_on(async {
        let mut seed = 0x2545_f491_u32;
        let mut random = |below: u32| {
            seed ^= seed << 13;
            seed ^= seed >> 17;
            seed ^= seed << 5;
            seed % below
        };
        let (mut answered, mut failed) = (0, 0);
        // A fresh runtime after each few deaths: five in a minute are too many for one.
        let mut current = runtime(place.root(), project.path(), &[Permission::FileRead]).await;
        current.activate(&id()).await.unwrap();
        let mut deaths = 0;
        let mut just_shot = false;
        for n in 0..1_000 {
            let input = if random(50) == 0 {
                json!({"n": n, "die": random(90)})
            } else {
                json!({"n": n})
            };
            let shot = input.get("die").is_some();
            let call = current.call_tool("echo", input);
            let result = tokio::time::timeout(Duration::from_secs(30), call).await;
            let result = result.expect("each call ends").unwrap();
            if result.is_error {
                // A worker that answered and then died is found dead by the next call.
                assert!(shot || just_shot, "{}", result.content);
                failed += 1;
            } else {
                assert_eq!(result.content, n.to_string());
                answered += 1;
            }
            just_shot = shot;
            deaths += u32::from(shot);
            if deaths == 4 {
                deaths = 0;
                current.shut_down().await;
                current = runtime(place.root(), project.path(), &[Permission::FileRead]).await;
                current.activate(&id()).await.unwrap();
            }
        }
        assert!(
            failed >= 5 && answered > 900,
            "{failed} failed, {answered} answered"
        );
        current.shut_down().await;
    });
}
