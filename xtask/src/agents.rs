//! `crates/agents/src/table.rs`: the table of agents, from `crates/agents/agents.toml`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

const SOURCE: &str = "crates/agents/agents.toml";

const HEAD: &str = "//! Every agent. Written by `cargo xtask generate` from `agents.toml`.

use crate::agent::{Agent, HookFiles, McpFiles, McpForm, MovedBy, UserDirectory};

/// Every agent, sorted by id.
pub const AGENTS: &[Agent] = &[
";

/// The keys that an agent may have; `system` is a fact that nothing uses yet.
const KEYS: &[&str] = &[
    "aliases", "further", "global", "home_env", "hooks", "mcp", "name", "project", "reads",
    "system", "xdg",
];

/// The module.
pub(crate) fn table(root: &Path) -> Result<String> {
    let text =
        fs::read_to_string(root.join(SOURCE)).with_context(|| format!("cannot read {SOURCE}"))?;
    let table: Table = text
        .parse()
        .with_context(|| format!("cannot parse {SOURCE}"))?;
    let agents = table.get("agents").and_then(Value::as_table);
    let agents = agents.context("missing table `agents`")?;
    let mut ids: Vec<&String> = agents.keys().collect();
    ids.sort_unstable();
    let mut module = HEAD.to_owned();
    for id in ids {
        let fields = agents.get(id).and_then(Value::as_table);
        let fields = fields.with_context(|| format!("`{id}` is not a table"))?;
        let line = agent(id, fields).with_context(|| format!("agent `{id}`"))?;
        writeln!(module, "    {line},")?;
    }
    module.push_str("];\n");
    Ok(module)
}

fn agent(id: &str, fields: &Table) -> Result<String> {
    if let Some(unknown) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
        bail!("unknown key `{unknown}`");
    }
    let name = text(fields, "name")?.context("missing `name`")?;
    Ok(format!(
        "Agent {{ id: {id:?}, aliases: &{:?}, name: {name:?}, project: {:?}, user: {}, further: &{:?}, reads: &{:?}, mcp: {}, hooks: {} }}",
        list(fields, "aliases")?,
        text(fields, "project")?,
        user(fields)?,
        list(fields, "further")?,
        list(fields, "reads")?,
        servers(fields)?,
        hooks(fields)?,
    ))
}

fn user(fields: &Table) -> Result<String> {
    let Some(global) = text(fields, "global")? else {
        return Ok("None".to_owned());
    };
    let path = global
        .strip_prefix("~/")
        .context("`global` begins with `~/`")?;
    let variable = text(fields, "home_env")?;
    let xdg = fields.get("xdg").and_then(Value::as_bool).unwrap_or(false);
    let moved_by = match (variable, xdg) {
        (Some(variable), false) => format!("Variable({variable:?})"),
        (None, true) => "ConfigDirectory".to_owned(),
        (None, false) => "Nothing".to_owned(),
        (Some(_), true) => bail!("`home_env` and `xdg` exclude each other"),
    };
    Ok(format!(
        "Some(UserDirectory {{ path: {path:?}, moved_by: MovedBy::{moved_by} }})"
    ))
}

fn servers(fields: &Table) -> Result<String> {
    let Some(mcp) = fields.get("mcp") else {
        return Ok("None".to_owned());
    };
    let mcp = mcp.as_table().context("`mcp` is not a table")?;
    let form = match text(mcp, "form")?.context("missing `form`")? {
        "plain" => "Plain",
        "typed" => "Typed",
        "custom" => "Custom",
        "local" => "Local",
        "copilot" => "Copilot",
        "toml" => "Toml",
        other => bail!("unknown form `{other}`"),
    };
    Ok(format!(
        "Some(McpFiles {{ project: {:?}, user: {:?}, user_macos: {:?}, key: {:?}, form: McpForm::{form} }})",
        text(mcp, "project")?,
        text(mcp, "user")?,
        text(mcp, "user_macos")?,
        text(mcp, "key")?.context("missing `key`")?,
    ))
}

fn hooks(fields: &Table) -> Result<String> {
    let none = Table::new();
    let hooks = fields.get("hooks").and_then(Value::as_table);
    let hooks = hooks.unwrap_or(&none);
    Ok(format!(
        "HookFiles {{ project: &{:?}, user: &{:?} }}",
        list(hooks, "project")?,
        list(hooks, "user")?
    ))
}

fn text<'t>(fields: &'t Table, key: &str) -> Result<Option<&'t str>> {
    let value = fields.get(key);
    let value = value.map(|value| {
        value
            .as_str()
            .with_context(|| format!("`{key}` is not a text"))
    });
    value.transpose()
}

fn list<'t>(fields: &'t Table, key: &str) -> Result<Vec<&'t str>> {
    let Some(value) = fields.get(key) else {
        return Ok(Vec::new());
    };
    let items = value
        .as_array()
        .with_context(|| format!("`{key}` is not a list"))?;
    let text = |item: &'t Value| {
        item.as_str()
            .with_context(|| format!("`{key}` has an item that is not a text"))
    };
    items.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let fields: Table = text.parse().unwrap();
        let error = agent("x", &fields).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn mistakes_in_the_table_of_agents() {
        check("project = \".x/skills\"", "missing `name`");
        check("name = \"X\"\nhook = 1", "unknown key `hook`");
        check("name = \"X\"\nglobal = \".x\"", "`global` begins with `~/`");
        check("name = \"X\"\nmcp = {}", "missing `form`");
        check(
            "name = \"X\"\nreads = [1]",
            "`reads` has an item that is not a text",
        );
    }
}
