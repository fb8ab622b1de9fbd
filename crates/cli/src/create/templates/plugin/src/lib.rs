//! {{name}}.

use prowess_sdk::plugin::{Context, Error, Manifest, Plugin, Registry};
{{if security-rule}}
use prowess_sdk::plugin::{Finding, ScannedFile};
{{end}}
{{if transform}}
use prowess_sdk::plugin::{HookResult, Phase, modified};
{{end}}
{{if tool workflow transform}}
use serde::Deserialize;
{{end}}
{{if tool}}
use serde_json::json;
{{end}}

#[derive(Default)]
struct Skill;

impl Plugin for Skill {
    // What SKILL.yaml says, too.
    fn manifest(&self) -> Manifest {
        Manifest::new("{{name}}", env!("CARGO_PKG_VERSION"))
    }

    fn activate(&mut self, _: &Context, registry: &mut Registry) -> Result<(), Error> {
{{if tool}}
        let schema = json!({
            "type": "object",
            "properties": {"name": {"type": "string", "description": "name of the person"}},
        });
        registry.tool("hello", "Greets a person.", schema, hello);
{{end}}
{{if workflow}}
        registry.workflow("hello", hello);
{{end}}
{{if security-rule}}
        registry.scanner("unfinished", unfinished);
{{end}}
{{if transform}}
        registry.hook(Phase::AfterResponse, tidy);
{{end}}
        Ok(())
    }
}

// The context asks the host: context.read_file("README.md")?, with `file:read` among the permissions of SKILL.yaml.
{{if tool workflow}}
#[derive(Deserialize)]
struct Hello {
    name: Option<String>,
}

fn hello(_: &Context, input: Hello) -> Result<String, Error> {
    let name = input.name.as_deref().unwrap_or("world");
    Ok(format!("Hello, {name}!"))
}

{{end}}
{{if security-rule}}
fn unfinished(_: &Context, files: &[ScannedFile]) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for file in files {
        let lines = file.text.lines().enumerate();
        findings.extend(lines.filter(|(_, line)| line.contains("TODO")).map(|(at, _)| Finding {
            rule: "unfinished".to_owned(),
            severity: "info".to_owned(),
            file: file.path.clone(),
            line: Some(at + 1),
            message: "unfinished work".to_owned(),
        }));
    }
    Ok(findings)
}

{{end}}
{{if transform}}
#[derive(Deserialize)]
struct ResponseData {
    response: String,
}

fn tidy(_: &Context, data: ResponseData) -> Result<Option<HookResult>, Error> {
    let lines: Vec<&str> = data.response.split('\n').map(str::trim_end).collect();
    Ok(Some(modified([("response", lines.join("\n").into())])))
}

{{end}}
prowess_sdk::export_plugin!(Skill);
