//! Messages to and from the host: JSON-RPC 2.0, one a line, on standard input and output.
//!
//! Each request is answered on a thread of its own, so one that waits for the host holds up no other.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

/// Why something was not done.
#[derive(Debug)]
pub struct Refused(pub String);

/// The process that started this one.
#[derive(Clone, Default)]
pub struct Host {
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    asked: u64,
    answers: HashMap<String, Sender<Value>>,
}

impl Host {
    /// Asks the host, and waits for its answer.
    #[allow(dead_code, reason = "for the code that comes here next")]
    pub fn call(&self, method: &str, params: Value) -> Result<Value, Refused> {
        let (answer, answered) = mpsc::channel();
        let id = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.asked += 1;
            let id = format!("c{}", waiting.asked);
            waiting.answers.insert(id.clone(), answer);
            id
        };
        send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let mut heard = answered.recv().map_err(|_| Refused("the host closed the connection".to_owned()))?;
        match heard["error"]["message"].as_str() {
            Some(message) => Err(Refused(message.to_owned())),
            None => Ok(heard["result"].take()),
        }
    }

    fn handle_response(&self, message: Value) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let id = message["id"].as_str().unwrap_or_default();
        if let Some(answer) = waiting.answers.remove(id) {
            // The caller may have cancelled.
            let _ = answer.send(message);
        }
    }
}

/// One line at a time, from any thread.
fn send(message: &Value) {
    let mut out = io::stdout().lock();
    // A host that does not listen any more is about to end us.
    let _ = writeln!(out, "{message}").and_then(|()| out.flush());
}

/// Answers requests until the host has no more.
pub fn serve<F>(registration: Value, handle: F)
where
    F: Fn(&Host, &str, &str, &Value) -> Result<Value, Refused> + Send + Sync + 'static,
{
    let (host, handle) = (Host::default(), Arc::new(handle));
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        match message["method"].as_str() {
            None => host.handle_response(message),
            Some("initialize") => answer(&message["id"], Ok(registration.clone())),
            Some("shutdown") => {
                answer(&message["id"], Ok(Value::Null));
                return;
            }
            Some(_) => {
                let (host, handle) = (host.clone(), Arc::clone(&handle));
                thread::spawn(move || {
                    answer(&message["id"], work(&host, &message, &*handle));
                });
            }
        }
    }
}

fn work(
    host: &Host,
    request: &Value,
    handle: &dyn Fn(&Host, &str, &str, &Value) -> Result<Value, Refused>,
) -> Result<Value, Refused> {
    let method = request["method"].as_str().unwrap_or_default();
    let params = &request["params"];
    let name = params["name"].as_str().or(params["phase"].as_str());
    let given = ["input", "data", "files"].iter().find_map(|key| params.get(key));
    let outcome = handle(host, method, name.unwrap_or_default(), given.unwrap_or(&Value::Null));
    match outcome {
        // A model reads why a tool did not do it.
        Err(Refused(content)) if ["tool/execute", "workflow/run"].contains(&method) => {
            Ok(json!({"content": content, "is_error": true}))
        }
        outcome => outcome,
    }
}

fn answer(id: &Value, outcome: Result<Value, Refused>) {
    send(&match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Refused(message)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": message}})
        }
    });
}
