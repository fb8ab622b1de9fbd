//! Where each key comes from.
#![cfg(test)]

mod support;

use support::{World, entry};

#[test]
fn every_key_has_an_origin() {
    let company = "url = \"https://u:p@example.com/skills.git\"\nref = { tag = \"v1.2.0\" }\nauth = { bearer = \"${GITHUB_TOKEN}\" }\nrefresh_seconds = 60";
    let project = format!(
        "[skills]\nstrict = true\n\n{}\n[permissions.approved]\n\"a/b\" = [\"net:fetch\"]\n",
        entry("company", "git", company)
    );
    let user = format!(
        "[skills]\nstrict = false\nmax_skills = 50\n\n{}{}\n[model]\nprovider = \"demo\"\n",
        entry("company", "filesystem", "path = \"x\""),
        entry(
            "off",
            "mcp",
            "enabled = false\ncommand = [\"a\", \"${B}\"]\nenv = { C = \"d\" }"
        )
    );
    let world = World::with(&project).user(user).set("GITHUB_TOKEN", "t");
    insta::assert_snapshot!(world.entries(), @r#"
    skills.enabled = true  # default
    skills.strict = true  # work/prowess.toml:2
    skills.max_skills = 50  # user/prowess/prowess.toml:3
    skills.max_injection_bytes = 32768  # default
    skills.inventory_threshold = 12  # default
    skills.context_share = 0.02  # default
    skills.usual_places = true  # default
    skills.builtin = true  # default
    skills.dialect = "prowess"  # default
    skills.scripts = "ask"  # default
    skills.sandbox = "full"  # default
    skills.repositories.company.type = "git"  # work/prowess.toml:6
    skills.repositories.company.enabled = true  # default
    skills.repositories.company.url = "https://***@example.com/skills.git"  # work/prowess.toml:7
    skills.repositories.company.ref.tag = "v1.2.0"  # work/prowess.toml:8
    skills.repositories.company.auth.bearer = "***"  # work/prowess.toml:9
    skills.repositories.company.refresh_seconds = 60  # work/prowess.toml:10
    skills.repositories.company.depth = 1  # default
    skills.repositories.off.type = "mcp"  # user/prowess/prowess.toml:11
    skills.repositories.off.enabled = false  # user/prowess/prowess.toml:12
    skills.repositories.off.command = ["a","${B}"]  # user/prowess/prowess.toml:13
    skills.repositories.off.env.C = "***"  # user/prowess/prowess.toml:14
    permissions.max_llm_calls_per_turn = 10  # default
    permissions.max_shell_exec_per_turn = 20  # default
    permissions.max_net_fetch_per_turn = 10  # default
    permissions.shell_exec_timeout_seconds = 30  # default
    permissions.net_fetch_timeout_seconds = 15  # default
    packages.default_host = "github.com"  # default
    model.provider = "demo"  # user/prowess/prowess.toml:17
    model.tools = true  # default
    model.context_window = 128000  # default
    model.first_byte_seconds = 180  # default
    model.between_bytes_seconds = 60  # default
    search.history = true  # default
    store.url = "sqlite"  # default
    "#);
}

#[test]
fn defaults_are_entries_too() {
    insta::assert_snapshot!(World::new().entries(), @r#"
    skills.enabled = true  # default
    skills.strict = false  # default
    skills.max_skills = 100000  # default
    skills.max_injection_bytes = 32768  # default
    skills.inventory_threshold = 12  # default
    skills.context_share = 0.02  # default
    skills.usual_places = true  # default
    skills.builtin = true  # default
    skills.dialect = "prowess"  # default
    skills.scripts = "ask"  # default
    skills.sandbox = "full"  # default
    permissions.max_llm_calls_per_turn = 10  # default
    permissions.max_shell_exec_per_turn = 20  # default
    permissions.max_net_fetch_per_turn = 10  # default
    permissions.shell_exec_timeout_seconds = 30  # default
    permissions.net_fetch_timeout_seconds = 15  # default
    packages.default_host = "github.com"  # default
    model.tools = true  # default
    model.context_window = 128000  # default
    model.first_byte_seconds = 180  # default
    model.between_bytes_seconds = 60  # default
    search.history = true  # default
    store.url = "sqlite"  # default
    "#);
}
