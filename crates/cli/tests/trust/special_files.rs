//! Row Q32 of `docs/contract/trust.md`: files that are read by convention, and are none.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use rustix::fs::{CWD, mkfifoat};

use crate::support::TestProject;
use crate::trace::Trace;

/// Files of a project that some command reads because of their names.
const FILES: [&str; 35] = [
    ".gitignore",
    ".ignore",
    "src/.gitignore",
    "src/.ignore",
    ".gitattributes",
    ".mailmap",
    ".git/HEAD",
    ".git/config",
    ".git/index",
    ".git/packed-refs",
    ".git/commondir",
    ".git/info/exclude",
    "worktree/.git",
    "prowess.toml",
    "prowess.lock",
    "skills-lock.json",
    "AGENTS.md",
    "AGENT.md",
    ".mcp.json",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".vscode/mcp.json",
    ".zed/settings.json",
    "opencode.json",
    "x.tar.gz.minisig",
    "prowess-eval/plain/benchmark.json",
    "prowess-eval/plain/report.html",
    ".agents/skills/plain/COLLECTION.md",
    ".agents/skills/COLLECTION.md",
    ".agents/skills/plain/SKILL.yaml",
    ".agents/skills/plain/evals/evals.json",
    ".agents/skills/plain/evals/triggers.json",
    ".agents/skills/plain/tests/a.toml",
    ".agents/skills/plain/.gitignore",
    ".agents/skills/pipe/SKILL.md",
];

const SKILL: &str = "---\nname: plain\ndescription: A plain skill.\n---\nBody.\n";

/// What stands in the place of each file.
#[derive(Clone, Copy, Debug)]
enum Special {
    Pipe,
    Device,
    LinkOut,
    Huge,
}

struct Prepared {
    project: TestProject,
    files: Vec<PathBuf>,
}

impl Prepared {
    fn new(special: Special) -> Self {
        let project = TestProject::new();
        project
            .write("home/secret", "SECRET")
            .write("project/.agents/skills/plain/SKILL.md", SKILL)
            .write("project/src/main.rs", "fn main() {}\n");
        // An archive with a good skill, beside a signature that is none.
        let skill = project.path("packed/plain");
        fs::create_dir_all(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), SKILL).unwrap();
        let archive = project.path("project/x.tar.gz");
        let out = archive.to_str().unwrap();
        let packed = project.run(&["pack", "packed/plain", "--output", out]);
        assert_eq!(packed.code, Some(0), "{packed:?}");
        let root = project.path("project");
        let mut files = Vec::new();
        for name in FILES {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match special {
                Special::Pipe => mkfifoat(CWD, &path, 0o600.into()).unwrap(),
                Special::Device => symlink("/dev/zero", &path).unwrap(),
                Special::LinkOut => symlink(project.path("home/secret"), &path).unwrap(),
                Special::Huge => {
                    let file = fs::File::create(&path).unwrap();
                    file.set_len(64 << 30).unwrap();
                }
            }
            files.push(path);
        }
        fs::create_dir_all(root.join(".git/objects")).unwrap();
        fs::create_dir_all(root.join(".git/refs")).unwrap();
        Self { project, files }
    }

    fn check(&self, arguments: &[&str]) {
        let mut command = self.project.command_as_typed(arguments);
        command.current_dir(self.project.path("project"));
        let (trace, shown) = Trace::of(&command, &self.project.path("trace"));
        assert!(!shown.contains("SECRET"), "{arguments:?} {shown}");
        assert!(!shown.contains("panicked"), "{arguments:?} {shown}");
        let root = self.project.path("project").canonicalize().unwrap();
        for file in &self.files {
            let reached = trace.reached.get(file);
            assert!(
                reached.is_none_or(|real| real.starts_with(&root)),
                "{arguments:?} follows {} to {reached:?}",
                file.display()
            );
            assert!(
                !trace.waiting.contains(file),
                "{arguments:?} waits for {}",
                file.display()
            );
        }
    }
}

fn check_every_command(special: Special) {
    let prepared = Prepared::new(special);
    for arguments in [
        &["list", "--all"][..],
        &["search", "plain"],
        &["browse"],
        &["info", "plain"],
        &["show", "plain"],
        &["prompt"],
        &["check"],
        &["check", "--fix", "--yes"],
        &["audit", ".agents"],
        &["config", "show"],
        &["trust"],
        &["doctor"],
        &["why", "plain"],
        &["trace", "write a haiku"],
        &["chat", "--provider", "demo", "-p", "hello"],
        &["eval", "plain", "--provider", "demo"],
        &["test", ".agents/skills/plain"],
        &["run", "git/git_status", "--approve-skills", "git"],
        &["run", "git/git_log", "--approve-skills", "git"],
        &[
            "run",
            "core-tools/find_files",
            "--approve-skills",
            "core-tools",
            "--input",
            "{\"pattern\": \"*.rs\"}",
        ],
        &["verify"],
        &["outdated"],
        &["update"],
        &["sync", "--yes"],
        &["import"],
        &["import", "plain", "--yes"],
        &["add", "./x.tar.gz", "--yes"],
        &["add", "./.agents/skills/plain", "--yes", "--dry-run"],
        &[
            "pack",
            ".agents/skills/plain",
            "--output",
            "x.tar.gz.minisig",
        ],
        &[
            "mcp",
            "install",
            "claude-code",
            "--scope",
            "project",
            "--yes",
        ],
        &["mcp", "install", "cursor", "--scope", "project", "--yes"],
        &[
            "mcp",
            "install",
            "gemini-cli",
            "--scope",
            "project",
            "--yes",
        ],
        &["mcp", "install", "opencode", "--scope", "project", "--yes"],
        &["mcp", "install", "vscode", "--scope", "project", "--yes"],
        &["mcp", "uninstall", "zed", "--scope", "project", "--yes"],
        &["mcp"],
    ] {
        prepared.check(arguments);
    }
}

#[test]
fn q32_pipes_in_the_place_of_files_are_not_waited_for() {
    check_every_command(Special::Pipe);
}

#[test]
fn q32_devices_in_the_place_of_files_are_not_read() {
    check_every_command(Special::Device);
}

#[test]
fn q32_links_out_of_the_project_are_not_followed() {
    check_every_command(Special::LinkOut);
}

#[test]
fn q32_huge_files_are_not_read() {
    check_every_command(Special::Huge);
}
