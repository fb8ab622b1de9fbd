//! {{name}}: what it does. `protocol` does the talking.

mod protocol;

use protocol::{Host, Refused, serve};
use serde_json::{Value, json};

fn registration() -> Value {
    json!({
{{if tool}}
        "tools": [{
            "name": "hello",
            "description": "Greets a person.",
            "input_schema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "name of the person"}},
            },
        }],
{{end}}
{{if workflow}}
        "workflows": ["hello"],
{{end}}
{{if security-rule}}
        "scanners": ["unfinished"],
{{end}}
{{if transform}}
        "hooks": ["OnAfterResponse"],
{{end}}
    })
}

// The host answers questions: host.call("host/read_file", json!({"path": "README.md"}))?["content"], with `file:read` among
// the permissions of SKILL.yaml.
{{if tool workflow}}
fn hello(_: &Host, input: &Value) -> Result<Value, Refused> {
    let name = input["name"].as_str().unwrap_or("world");
    Ok(json!({"content": format!("Hello, {name}!")}))
}

{{end}}
{{if security-rule}}
fn unfinished(_: &Host, files: &Value) -> Result<Value, Refused> {
    let mut findings = Vec::new();
    for file in files.as_array().into_iter().flatten() {
        let text = file["text"].as_str().unwrap_or_default();
        for (at, _) in text.lines().enumerate().filter(|(_, line)| line.contains("TODO")) {
            findings.push(json!({
                "rule": "unfinished",
                "severity": "info",
                "file": file["path"],
                "line": at + 1,
                "message": "unfinished work",
            }));
        }
    }
    Ok(json!({"findings": findings}))
}

{{end}}
{{if transform}}
fn tidy(_: &Host, data: &Value) -> Result<Value, Refused> {
    let response = data["response"].as_str().unwrap_or_default();
    let lines: Vec<&str> = response.split('\n').map(str::trim_end).collect();
    Ok(json!({"modified": {"response": lines.join("\n")}}))
}

{{end}}
fn main() {
    serve(registration(), |host, method, name, given| match (method, name) {
{{if tool}}
        ("tool/execute", "hello") => hello(host, given),
{{end}}
{{if workflow}}
        ("workflow/run", "hello") => hello(host, given),
{{end}}
{{if security-rule}}
        ("scanner/run", "unfinished") => unfinished(host, given),
{{end}}
{{if transform}}
        ("hook/handle", "OnAfterResponse") => tidy(host, given),
{{end}}
        _ => Err(Refused(format!("unknown method {method} {name}"))),
    });
}
