//! What other programs trust is not for a skill to write, and the repository is not for it to see.

use std::fs;
use std::os::unix::fs::symlink;

use prowess_sandbox::PROTECTED_NAMES;
use serde_json::json;

use crate::place::Place;

const CALLS: &str = "
def tool(name, work):
    register_tool(name, '', lambda input: work(*input.get('args', [])))
tool('read', lambda path: read_file(path))
tool('write', lambda path, text: write_file(path, text))
tool('list', lambda path: list_dir(path))
tool('search', lambda pattern: search_files(pattern))
";

#[tokio::test]
async fn q20_host_calls_write_no_protected_name() {
    let place = Place::new();
    let more = "permissions: [\"file:read\", \"file:write\"]\n";
    place.skill("a", "tool", more, CALLS);
    place.write("project/.git/config", "[core]\n");
    place.write("project/AGENTS.md", "as it was");
    place.write("project/sub/x", "");
    let project = place.path("project");
    symlink(".git", project.join("repository")).unwrap();
    symlink("AGENTS.md", project.join("rules")).unwrap();
    symlink(".git/config", project.join("settings")).unwrap();
    let running = place.open().await.with(&["a"]).await;
    let mut paths: Vec<String> = Vec::new();
    for name in PROTECTED_NAMES {
        for at in ["", "sub/", "new/deep/", "./sub/../"] {
            paths.push(format!("{at}{name}"));
            paths.push(format!("{at}{}", name.to_uppercase()));
            paths.push(format!("{at}{name}/inner/file"));
        }
    }
    for link in ["repository/config", "repository/new/x", "rules", "settings"] {
        paths.push(link.to_owned());
    }
    for path in paths {
        let (text, is_error) = running.call("write", json!({"args": [path, "x"]})).await;
        assert!(is_error && text.contains("is protected"), "{path}: {text}");
    }
    assert!(!project.join(".git/new").exists() && !project.join("new").exists());
    assert_eq!(
        fs::read_to_string(project.join("AGENTS.md")).unwrap(),
        "as it was"
    );
    let (text, is_error) = running
        .call("write", json!({"args": ["sub/fine.md", "x"]}))
        .await;
    assert!(!is_error, "{text}");
}

#[tokio::test]
async fn q20_file_tools_see_no_repository() {
    let place = Place::new();
    let more = "permissions: [\"file:read\"]\n";
    place.skill("a", "tool", more, CALLS);
    let project = place.path("project");
    for repository in [".git", "sub/.git", ".hg", ".jj"] {
        place.write(
            &format!("project/{repository}/config"),
            "url = https://token@host",
        );
    }
    symlink(".git", project.join("repository")).unwrap();
    symlink("../.git/config", project.join("sub/settings")).unwrap();
    let running = place.open().await.with(&["a"]).await;
    for path in [
        ".git/config",
        "sub/.git/config",
        ".hg/config",
        ".jj/config",
        ".GIT/config",
        "repository/config",
        "sub/settings",
    ] {
        let (text, is_error) = running.call("read", json!({"args": [path]})).await;
        assert!(is_error && !text.contains("token"), "{path}: {text}");
    }
    for path in [".git", "sub/.git", "repository", ".hg"] {
        let (text, is_error) = running.call("list", json!({"args": [path]})).await;
        assert!(is_error, "{path}: {text}");
    }
    let (text, _) = running.call("list", json!({"args": ["."]})).await;
    assert!(
        !text.contains(".git") && !text.contains(".hg") && text.contains("sub"),
        "{text}"
    );
    for pattern in ["**/config", "*", ".git/*", "**/.git/**"] {
        let (text, _) = running.call("search", json!({"args": [pattern]})).await;
        assert!(!text.contains("config"), "{pattern}: {text}");
    }
}
