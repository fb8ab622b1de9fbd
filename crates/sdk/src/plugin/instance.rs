//! A plugin between `initialize` and `shutdown`: requests in, answers out, and no panic either way.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use serde::Serialize;
use serde_json::Value;

use super::context::Context;
use super::error::Error;
use super::lifecycle::{Manifest, Plugin};
use super::registry::{Registry, Run};
use crate::phase::Phase;
use crate::wire::{
    Call, Failure, Findings, HookResult, HostCall, Initialize, Registration, Request, ScannedFile,
    code,
};

/// A plugin with its handlers. [`export_plugin!`](crate::export_plugin) creates one.
pub struct Instance<P> {
    active: RefCell<Option<Rc<Active<P>>>>,
}

struct Active<P> {
    plugin: RefCell<P>,
    registry: Registry,
    skill: Rc<Initialize>,
    deactivated: Cell<bool>,
}

/// A response, as serialized.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum PluginResponse<T> {
    Result(T),
    Error(Failure),
}

/// A request that cannot be serialized; there is no better place to report it.
const UNWRITABLE: &[u8] = br#"{"error":{"code":-32000,"message":"cannot serialize the result"}}"#;

impl<P> Instance<P> {
    /// A new instance.
    pub const fn new() -> Self {
        Self {
            active: RefCell::new(None),
        }
    }
}

impl<P> Default for Instance<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Plugin + Default> Instance<P> {
    /// Handles a request as defined in [`abi`](super::abi).
    pub fn answer(
        &self,
        request: &[u8],
        host: impl Fn(&HostCall) -> Result<Value, Failure> + 'static,
    ) -> Vec<u8> {
        match serde_json::from_slice(request) {
            Err(error) => written(Err::<(), _>(senseless(&error))),
            Ok(Request::Initialize(skill)) => written(self.initialize(*skill, host)),
            Ok(Request::Shutdown) => written(self.shut_down(host)),
            Ok(Request::ExecuteTool(call)) => written(self.run("tool", call, host)),
            Ok(Request::RunWorkflow(call)) => written(self.run("workflow", call, host)),
            Ok(Request::HandleHook { phase, data }) => written(self.handle(phase, data, host)),
            Ok(Request::RunScanner { name, files }) => written(self.scan(&name, &files, host)),
        }
    }

    /// Each step is caught by itself: while one panic is on its way up, a second one from a `Drop` could not be.
    fn initialize(
        &self,
        skill: Initialize,
        host: impl Fn(&HostCall) -> Result<Value, Failure> + 'static,
    ) -> Result<Registration, Failure> {
        if self.active.borrow().is_some() {
            return Err(failed("the plugin is already initialized"));
        }
        let skill = Rc::new(skill);
        let context = Context::new(&skill, Box::new(host));
        let mut plugin = caught("the plugin's `default`", P::default)?;
        let mut registry = Registry::default();
        let activated = caught("the plugin's `activate`", || {
            agree(&plugin.manifest(), &skill)?;
            plugin.activate(&context, &mut registry)?;
            registry.registration()
        });
        match activated.and_then(|done| done.map_err(Error::into_failure)) {
            Ok(registration) => {
                let deactivated = Cell::new(false);
                let plugin = RefCell::new(plugin);
                *self.active.borrow_mut() = Some(Rc::new(Active {
                    plugin,
                    registry,
                    skill,
                    deactivated,
                }));
                Ok(registration)
            }
            Err(failure) => {
                // The failed activation matters more than its cleanup.
                let _ = caught("dropping the plugin", move || drop((plugin, registry)));
                Err(failure)
            }
        }
    }

    fn active(&self) -> Result<Rc<Active<P>>, Failure> {
        let active = self.active.borrow().clone();
        active.ok_or_else(|| failed("the plugin is not initialized"))
    }

    fn run(
        &self,
        kind: &str,
        call: Call,
        host: impl Fn(&HostCall) -> Result<Value, Failure> + 'static,
    ) -> Result<crate::wire::Output, Failure> {
        let active = self.active()?;
        let found: Option<&Run> = match kind {
            "tool" => active.registry.find_tool(&call.name),
            _ => active.registry.find_workflow(&call.name),
        };
        let run = found.ok_or_else(|| unknown(kind, &call.name))?;
        let context = Context::new(&active.skill, Box::new(host));
        let what = format!("the {kind} `{}`", call.name);
        caught(&what, || run(&context, call.input))?
    }

    fn handle(
        &self,
        phase: Phase,
        data: Value,
        host: impl Fn(&HostCall) -> Result<Value, Failure> + 'static,
    ) -> Result<Option<HookResult>, Failure> {
        let active = self.active()?;
        let context = Context::new(&active.skill, Box::new(host));
        let handled = match active.registry.find_hook(phase) {
            Some(handle) => {
                let what = format!("the handler of {phase}");
                caught(&what, || handle(&context, data)).flatten()
            }
            None => Ok(None),
        };
        if phase == Phase::Deactivate {
            active.deactivate(&context)?;
        }
        handled
    }

    fn scan(
        &self,
        name: &str,
        files: &[ScannedFile],
        host: impl Fn(&HostCall) -> Result<Value, Failure> + 'static,
    ) -> Result<Findings, Failure> {
        let active = self.active()?;
        let scan = active.registry.find_scanner(name);
        let scan = scan.ok_or_else(|| unknown("scanner", name))?;
        let context = Context::new(&active.skill, Box::new(host));
        let what = format!("the scanner `{name}`");
        let findings = caught(&what, || scan(&context, files))??;
        Ok(Findings { findings })
    }

    fn shut_down(
        &self,
        host: impl Fn(&HostCall) -> Result<Value, Failure> + 'static,
    ) -> Result<(), Failure> {
        let Some(active) = self.active.take() else {
            return Ok(());
        };
        let context = Context::new(&active.skill, Box::new(host));
        let deactivated = active.deactivate(&context);
        caught("dropping the plugin", move || drop(active))?;
        deactivated
    }
}

impl<P: Plugin> Active<P> {
    fn deactivate(&self, context: &Context) -> Result<(), Failure> {
        if self.deactivated.replace(true) {
            return Ok(());
        }
        caught("the plugin's `deactivate`", || {
            // There is no other borrow: it is active, and this happens once.
            if let Ok(mut plugin) = self.plugin.try_borrow_mut() {
                plugin.deactivate(context);
            }
        })
    }
}

/// A library that was built for another skill, or another version of it, is not the one that was approved.
fn agree(own: &Manifest, skill: &Initialize) -> Result<(), Error> {
    if own.name == skill.name && own.version == skill.version {
        return Ok(());
    }
    Err(Error::new(format!(
        "version mismatch: the skill is `{}` {}, the plugin was built as `{}` {}",
        skill.name, skill.version, own.name, own.version
    )))
}

fn written<T: Serialize>(outcome: Result<T, Failure>) -> Vec<u8> {
    let answer = outcome.map_or_else(PluginResponse::Error, PluginResponse::Result);
    serde_json::to_vec(&answer).unwrap_or_else(|_| UNWRITABLE.to_vec())
}

/// Runs code of the author; a panic is a failure.
fn caught<T>(what: &str, code: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|panic| {
        let said = reason(&*panic).map_or(String::new(), |reason| format!(": {reason}"));
        // Whatever it is, dropping it could panic again.
        mem::forget(panic);
        failed(&format!("{what} panicked{said}"))
    })
}

fn reason(panic: &(dyn Any + Send)) -> Option<&str> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
}

fn failed(message: &str) -> Failure {
    Failure {
        code: code::FAILED,
        message: message.to_owned(),
    }
}

fn unknown(kind: &str, name: &str) -> Failure {
    Failure {
        code: code::INVALID_PARAMS,
        message: format!("unknown {kind} `{}`", name.escape_debug()),
    }
}

fn senseless(error: &serde_json::Error) -> Failure {
    Failure {
        code: code::INVALID_PARAMS,
        message: format!("malformed request: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Finding, cancelled, modified};
    use super::*;

    /// Runs according to its permissions.
    #[derive(Default)]
    struct Sample {
        drops: Option<&'static str>,
    }

    impl Drop for Sample {
        fn drop(&mut self) {
            if let Some(message) = self.drops {
                std::panic::panic_any(message);
            }
        }
    }

    impl Plugin for Sample {
        fn manifest(&self) -> Manifest {
            Manifest::new("sample", "1.0.0")
        }

        fn activate(&mut self, context: &Context, registry: &mut Registry) -> Result<(), Error> {
            for wish in context.permissions() {
                match wish.as_str() {
                    "panic" => panic!("no luck"),
                    "panic-in-drop" => self.drops = Some("not yet"),
                    "fail" => Err(Error::new("no licence"))?,
                    "twice" => {
                        registry.workflow("w", |_, (): ()| Ok(()));
                        registry.workflow("w", |_, (): ()| Ok(()));
                    }
                    "nameless" => {
                        registry.scanner("", |_, _| Ok(Vec::new()));
                    }
                    "schema" => {
                        registry.tool("t", "", json!(1), |_, (): ()| Ok(()));
                    }
                    other => panic!("{other}"),
                }
            }
            registry
                .tool(
                    "echo",
                    "Echoes.",
                    json!({"type": "object"}),
                    |_, it: Value| Ok(it),
                )
                .tool("say", "", json!({}), |_, it: Vec<String>| Ok(it.concat()))
                .tool("panic", "", json!({}), |_, _: Value| -> Result<(), _> {
                    panic!("at the {}", "disco")
                })
                .tool("read", "", json!({}), |context, path: String| {
                    Ok(context.read_file(path)?)
                })
                .workflow("nothing", |_, _: Value| Ok(()))
                .hook(Phase::BeforeToolCall, |_, data: Value| {
                    Ok(match data["tool"].as_str() {
                        Some("rm") => Some(cancelled("no")),
                        Some("ls") => Some(modified([("input", json!({}))])),
                        _ => None,
                    })
                })
                .scanner("todo", |_, files| {
                    let finding = |file: &ScannedFile| Finding {
                        rule: "todo".to_owned(),
                        severity: "info".to_owned(),
                        file: file.path.clone(),
                        line: None,
                        message: "m".to_owned(),
                    };
                    Ok(files.iter().map(finding).collect())
                });
            Ok(())
        }

        fn deactivate(&mut self, context: &Context) {
            context.log("bye").unwrap();
        }
    }

    fn ask(instance: &Instance<Sample>, request: &Value) -> Value {
        let answer = instance.answer(request.to_string().as_bytes(), |call| match call {
            HostCall::ReadFile { .. } => Err(Failure {
                code: code::DENIED,
                message: "not-approved".to_owned(),
            }),
            _ => Ok(Value::Null),
        });
        serde_json::from_slice(&answer).unwrap()
    }

    fn initialize(instance: &Instance<Sample>, version: &str, wish: &[&str]) -> Value {
        let params =
            json!({"protocol": 1, "name": "sample", "version": version, "permissions": wish});
        ask(instance, &json!({"method": "initialize", "params": params}))
    }

    fn call(method: &str, name: &str, input: &Value) -> Value {
        let instance = Instance::new();
        initialize(&instance, "1.0.0", &[]);
        let params = json!({"name": name, "input": input});
        ask(&instance, &json!({"method": method, "params": params}))
    }

    #[test]
    fn registrations_are_reported() {
        let told = initialize(&Instance::new(), "1.0.0", &[]);
        let names: Vec<_> = told["result"]["tools"].as_array().unwrap().iter().collect();
        assert_eq!(names.len(), 4);
        assert_eq!(
            names[0],
            &json!({"name": "echo", "description": "Echoes.", "input_schema": {"type": "object"}})
        );
        let hooks = json!(["OnBeforeToolCall", "OnDeactivate"]);
        assert_eq!(told["result"]["hooks"], hooks);
        assert_eq!(told["result"]["workflows"], json!(["nothing"]));
        assert_eq!(told["result"]["scanners"], json!(["todo"]));
    }

    #[test]
    fn an_activation_fails_with_a_reason_and_can_be_tried_again() {
        let versions =
            "version mismatch: the skill is `sample` 1.0.1, the plugin was built as `sample` 1.0.0";
        let table: [(&str, &[&str], &str); 8] = [
            ("1.0.1", &[], versions),
            ("1.0.0", &["fail"], "no licence"),
            (
                "1.0.0",
                &["panic"],
                "the plugin's `activate` panicked: no luck",
            ),
            (
                "1.0.0",
                &["panic-in-drop", "panic"],
                "the plugin's `activate` panicked: no luck",
            ),
            ("1.0.0", &["panic-in-drop", "fail"], "no licence"),
            ("1.0.0", &["twice"], "duplicate workflow `w`"),
            ("1.0.0", &["nameless"], "missing name of a scanner"),
            (
                "1.0.0",
                &["schema"],
                "invalid schema of the tool `t`: expected an object",
            ),
        ];
        let instance = Instance::new();
        for (version, wish, message) in table {
            let told = initialize(&instance, version, wish);
            let error = json!({"error": {"code": code::FAILED, "message": message}});
            assert_eq!(told, error);
        }
        assert!(initialize(&instance, "1.0.0", &[]).get("result").is_some());
        let again = initialize(&instance, "1.0.0", &[]);
        let message = "the plugin is already initialized";
        assert_eq!(again["error"]["message"], message);
    }

    #[test]
    fn tools_and_workflows_answer() {
        let output = |content: &str, is_error: bool| json!({"result": {"content": content, "is_error": is_error}});
        let table = [
            ("tool/execute", "echo", json!("text"), output("text", false)),
            ("tool/execute", "echo", json!(7), output("7", false)),
            ("tool/execute", "echo", Value::Null, output("{}", false)),
            ("tool/execute", "echo", json!([1]), output("[1]", false)),
            (
                "tool/execute",
                "say",
                json!(["a", "b"]),
                output("ab", false),
            ),
            (
                "tool/execute",
                "say",
                json!("a"),
                output(
                    "invalid input: invalid type: string \"a\", expected a sequence",
                    true,
                ),
            ),
            (
                "tool/execute",
                "read",
                json!("p"),
                output("not-approved", true),
            ),
            ("workflow/run", "nothing", Value::Null, output("", false)),
            (
                "tool/execute",
                "panic",
                Value::Null,
                json!({"error": {"code": code::FAILED, "message": "the tool `panic` panicked: at the disco"}}),
            ),
            (
                "workflow/run",
                "echo",
                Value::Null,
                json!({"error": {"code": code::INVALID_PARAMS, "message": "unknown workflow `echo`"}}),
            ),
        ];
        for (method, name, input, expected) in table {
            assert_eq!(call(method, name, &input), expected, "{name} {input}");
        }
    }

    #[test]
    fn handlers_and_scanners_answer() {
        let instance = Instance::new();
        initialize(&instance, "1.0.0", &[]);
        let before = |tool: &str| {
            let params = json!({"phase": "OnBeforeToolCall", "data": {"tool": tool}});
            ask(
                &instance,
                &json!({"method": "hook/handle", "params": params}),
            )
        };
        assert_eq!(
            before("rm")["result"],
            json!({"cancel": true, "reason": "no"})
        );
        assert_eq!(before("ls")["result"], json!({"modified": {"input": {}}}));
        assert_eq!(before("cat"), json!({"result": null}));
        let params = json!({"name": "todo", "files": [{"path": "p", "text": ""}]});
        let found = ask(
            &instance,
            &json!({"method": "scanner/run", "params": params}),
        );
        assert_eq!(found["result"]["findings"][0]["file"], "p");
    }

    #[test]
    fn plugin_is_unloaded_once() {
        for told_before in [false, true] {
            let instance = Instance::new();
            initialize(&instance, "1.0.0", &[]);
            let goodbyes = Rc::new(Cell::new(0));
            let request = |request: Value| {
                let goodbyes = Rc::clone(&goodbyes);
                instance.answer(request.to_string().as_bytes(), move |call| {
                    assert_eq!(
                        *call,
                        HostCall::Log {
                            message: "bye".to_owned()
                        }
                    );
                    goodbyes.set(goodbyes.get() + 1);
                    Ok(Value::Null)
                })
            };
            if told_before {
                let params = json!({"phase": "OnDeactivate", "data": {}});
                request(json!({"method": "hook/handle", "params": params}));
                assert_eq!(goodbyes.get(), 1);
            }
            let shutdown = json!({"method": "shutdown"});
            assert_eq!(request(shutdown.clone()), br#"{"result":null}"#);
            assert_eq!(request(shutdown), br#"{"result":null}"#);
            assert_eq!(goodbyes.get(), 1);
            let params = json!({"name": "echo"});
            let late = ask(
                &instance,
                &json!({"method": "tool/execute", "params": params}),
            );
            assert_eq!(late["error"]["message"], "the plugin is not initialized");
        }
    }

    #[test]
    fn a_panic_at_the_end_is_a_failure() {
        let instance = Instance::new();
        initialize(&instance, "1.0.0", &["panic-in-drop"]);
        let ended = ask(&instance, &json!({"method": "shutdown"}));
        let message = "dropping the plugin panicked: not yet";
        assert_eq!(ended["error"]["message"], message);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for request in ["", "{", "[]", r#"{"method":"tool/run"}"#, "\u{0}"] {
            let instance = Instance::<Sample>::new();
            let answer = instance.answer(request.as_bytes(), |_| Ok(Value::Null));
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            assert_eq!(answer["error"]["code"], code::INVALID_PARAMS, "{request}");
        }
    }
}
