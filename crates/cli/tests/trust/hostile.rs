//! Every command of the program in a hostile project.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::TestProject;
use crate::trace::Trace;

const PROJECT: &str = "crates/cli/tests/hostile-project";

/// A clone of the hostile project with what git cannot hold, beside the home of a user with something to lose.
struct Hostile {
    project: TestProject,
    /// Accepts what a command must never send.
    listener: TcpListener,
}

impl Hostile {
    fn new() -> Self {
        let project = TestProject::copy_of(PROJECT);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let home = project.path("home");
        let file = format!("{PROJECT}/prowess.toml");
        let text = project.read(&file);
        let text = text.replace("/home/ada", home.to_str().unwrap());
        let server = format!("127.0.0.1:{port}");
        project.write(&file, text.replace("skills.example.net", &server));
        project
            .write("home/.ssh/id_ed25519", "SECRET-KEY")
            .write(
                "home/private/diary/SKILL.md",
                "---\nname: diary\ndescription: SECRET-DIARY\n---\n",
            )
            .write(
                "home/.agents/skills/mine/SKILL.md",
                "---\nname: mine\ndescription: The user's own skill\n---\n",
            )
            .write("prowess.toml", "[skills]\nenabled = false\n")
            .write(
                &format!("{PROJECT}/.git/config"),
                "[core]\n\tfsmonitor = ./start.sh\n\tpager = ./start.sh\n[diff]\n\texternal = ./start.sh\n",
            )
            .write(&format!("{PROJECT}/.git/HEAD"), "ref: refs/heads/main\n");
        fs::create_dir_all(project.path("home/.cache")).unwrap();
        let hostile = Self { project, listener };
        let root = hostile.root();
        symlink(&home, root.join("way-out")).unwrap();
        symlink("/dev/zero", root.join("AGENTS.md")).unwrap();
        symlink("/dev/zero", root.join(".agents/skills/plainer")).unwrap();
        symlink(home.join(".ssh"), root.join(".agents/skills/keys")).unwrap();
        let pipe = root.join("pipe.zip");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        let pipe = root.join(".agents/skills/pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        hostile
    }

    fn root(&self) -> PathBuf {
        self.project.path(PROJECT)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        command
            .current_dir(self.root())
            .env("GITHUB_TOKEN", "SECRET-TOKEN")
            .env("NPM_TOKEN", "SECRET-TOKEN")
            .env("DATABASE_URL", "SECRET-TOKEN")
            .env("PGPASSWORD", "SECRET-TOKEN");
        command
    }

    /// Runs a command, and asserts that the project got nothing.
    fn check(&self, command: &Command, may_write: &[&Path]) -> String {
        let what = format!("{:?}", command.get_args().collect::<Vec<_>>());
        let (trace, shown) = Trace::of(command, &self.project.path("trace"));
        assert_eq!(trace.programs, Vec::<String>::new(), "{what} {shown}");
        assert_eq!(trace.sent, Vec::<String>::new(), "{what} {shown}");
        let devices = ["/dev/null", "/dev/tty", "/proc/self"].map(Path::new);
        for path in &trace.written {
            let allowed = may_write.iter().chain(&devices);
            assert!(
                allowed.into_iter().any(|it| path.starts_with(it)),
                "{what} writes {}: {shown}",
                path.display()
            );
        }
        for secret in [".ssh", "private"] {
            let secret = self.project.path("home").join(secret);
            let mut opened = trace.opened.iter();
            assert!(
                !opened.any(|path| path.starts_with(&secret)),
                "{what} opens {}",
                secret.display()
            );
        }
        assert!(!shown.contains("SECRET"), "{what} {shown}");
        assert!(!self.root().join("started").exists(), "{what}");
        assert!(self.listener.accept().is_err(), "{what} connected");
        shown
    }
}

#[test]
fn q8_commands_that_look_start_send_and_write_nothing() {
    let hostile = Hostile::new();
    let cache = hostile.project.path("home/.cache/prowess");
    for arguments in [
        &["list"][..],
        &["list", "--all"],
        &["list", "--json"],
        &["search", "anything"],
        &["browse"],
        &["info", "plain"],
        &["show", "plain"],
        &["read", "plain", "SKILL.md"],
        &["prompt"],
        &["check"],
        &["check", "--json"],
        &["audit", ".agents"],
        &["config", "show"],
        &["config", "check"],
        &["config", "path"],
        &["trust"],
        &["trust", "--json"],
        &["trust", "--list"],
    ] {
        hostile.check(&hostile.command(arguments), &[&cache]);
    }
    let listed = hostile.check(&hostile.command(&["list"]), &[&cache]);
    assert!(listed.contains("plain") && listed.contains("hint: not trusted yet: "));
    assert!(
        listed.contains("keys that only your own configuration can set")
            && listed.contains("store.url (line 28)"),
        "{listed}"
    );
    let shown = hostile.check(&hostile.command(&["config", "show", "--json"]), &[&cache]);
    assert!(shown.contains("`store.url` ignored"), "{shown}");
}

#[test]
fn q8_pressing_tab_does_nothing_else() {
    let hostile = Hostile::new();
    let cache = hostile.project.path("home/.cache/prowess");
    let mut command = hostile.command(&["--", "prowess", "info", ""]);
    command
        .env("PROWESS_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", "2")
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "true")
        .env("_CLAP_IFS", "\n");
    let shown = hostile.check(&command, &[&cache]);
    assert!(shown.contains("plain"), "{shown}");
    assert!(!shown.contains("diary"), "{shown}");
}

/// `doctor` builds a jail to see whether it can; everything in that is our own program.
#[test]
fn q8_doctor_starts_nothing_of_the_project() {
    let hostile = Hostile::new();
    let cache = hostile.project.path("home/.cache/prowess");
    let command = hostile.command(&["doctor"]);
    let (trace, shown) = Trace::of(&command, &hostile.project.path("trace"));
    let own = |program: &String| {
        let program = Path::new(program);
        !program.is_absolute() || program.starts_with(hostile.project.root())
    };
    let own_binary = env!("CARGO_BIN_EXE_prowess");
    assert!(
        !trace.programs.iter().any(|it| it != own_binary && own(it)),
        "{:?}",
        trace.programs
    );
    assert_eq!(trace.sent, Vec::<String>::new(), "{shown}");
    for path in &trace.written {
        let fine = path.starts_with(&cache)
            || path.starts_with("/dev")
            || path.starts_with("/proc")
            || path.starts_with("/tmp/prowess-");
        assert!(fine, "doctor writes {}", path.display());
    }
    assert!(hostile.listener.accept().is_err());
    assert!(shown.contains("untrusted collects"), "{shown}");
}

/// Commands that run skills ask first, and without a terminal the answer is no.
#[test]
fn chat_in_a_hostile_project_runs_nothing() {
    let hostile = Hostile::new();
    let cache = hostile.project.path("home/.cache/prowess");
    let data = hostile.project.path("home/.local/share/prowess");
    fs::create_dir_all(&data).unwrap();
    for arguments in [
        &["why", "sniffer"][..],
        &["permissions"],
        &["run", "core-tools/run_command"],
        &["run", "sniffer/x"],
        &["mcp"],
    ] {
        hostile.check(&hostile.command(arguments), &[&cache, &data]);
    }
    for arguments in [
        &["chat", "-p", "hello"][..],
        &["trace", "hello haiku"],
        &["eval", "plain"],
        &["test", ".agents"],
    ] {
        let command = hostile.command(arguments);
        let (trace, shown) = Trace::of(&command, &hostile.project.path("trace"));
        assert_eq!(trace.sent, Vec::<String>::new(), "{arguments:?} {shown}");
        assert!(!hostile.root().join("started").exists(), "{arguments:?}");
        assert!(!shown.contains("SECRET"), "{arguments:?} {shown}");
    }
}

#[test]
fn q15_a_project_cannot_take_the_id_of_a_built_in_skill() {
    let hostile = Hostile::new();
    let listed = hostile.command(&["list", "--all"]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        listed.contains("refused: core-tools of agents: reserved-id"),
        "{listed}"
    );
    let json = hostile.command(&["list", "--all", "--json"]).output();
    let json: serde_json::Value = serde_json::from_slice(&json.unwrap().stdout).unwrap();
    assert_eq!(json["refused"][0]["reason"], "reserved-id");
    let shown = hostile.command(&["show", "core-tools"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("Working with files and commands"), "{shown}");
    // It is the built-in one everywhere.
    let run = hostile
        .command(&[
            "run",
            "core-tools/list_directory",
            "--approve-skills",
            "core-tools",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(
        text.contains("start.sh"),
        "{text} {}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert!(!hostile.root().join("started").exists());
}

#[test]
fn q9_a_device_or_a_pipe_in_the_place_of_a_file_is_refused() {
    let hostile = Hostile::new();
    let refused = |shown: &std::process::Output| {
        let text = String::from_utf8_lossy(&shown.stderr).into_owned();
        assert!(
            text.contains("AGENTS.md ignored: a link outside the project"),
            "{text}"
        );
    };
    refused(&hostile.command(&["why", "plain"]).output().unwrap());
    fs::remove_file(hostile.root().join("AGENTS.md")).unwrap();
    let pipe = hostile.root().join("AGENTS.md");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    let shown = hostile.command(&["why", "plain"]).output().unwrap();
    let text = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(
        text.contains("AGENTS.md ignored: not a regular file"),
        "{text}"
    );
    fs::remove_file(&pipe).unwrap();
    fs::File::create(&pipe).unwrap().set_len(1 << 30).unwrap();
    let shown = hostile.command(&["why", "plain"]).output().unwrap();
    let text = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(text.contains("AGENTS.md ignored: larger than"), "{text}");
}

/// The attack: a repository holds links, which git stores, to skills and to other files of the user.
#[test]
fn q9_links_out_of_the_project_reveal_nothing() {
    let project = TestProject::new();
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Of {name}.\n---\nSECRET\n");
    project
        .write("project/.git/HEAD", "ref: refs/heads/main\n")
        .write("project/shared/inside/SKILL.md", skill("inside"))
        .write("project/.agents/skills/plain/SKILL.md", skill("plain"))
        .write("project/.agents/skills/own/other.md", skill("own"))
        .write("project/.agents/skills/file/note.md", "")
        .write("home/.agents/skills/mine/SKILL.md", skill("mine"))
        .write("home/private/diary/SKILL.md", skill("diary"))
        .write("home/private/SKILL.yaml", "name: private\n");
    let at = |path: &str| project.path(path);
    let links = [
        ("shared/inside", ".agents/skills/inside"),
        ("../home/.agents/skills/mine", ".agents/skills/borrowed"),
        ("../home/private/diary", ".agents/skills/stolen"),
        ("../home/private", ".claude/skills"),
    ];
    fs::create_dir_all(at("project/.claude")).unwrap();
    for (target, link) in links {
        symlink(at("project").join(target), at("project").join(link)).unwrap();
    }
    symlink("other.md", at("project/.agents/skills/own/SKILL.md")).unwrap();
    let file = at("project/.agents/skills/file/SKILL.md");
    symlink(at("home/private/diary/SKILL.md"), file).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        let output = command.current_dir(at("project")).output().unwrap();
        crate::support::Run::of(output)
    };
    let listed = run(&["list", "--json"]).json();
    let ids = listed["skills"].as_array().unwrap().iter();
    let ids: Vec<&str> = ids.map(|skill| skill["id"].as_str().unwrap()).collect();
    let built_in = ["core-tools", "git", "skill-author"];
    let ids: Vec<&str> = ids
        .into_iter()
        .filter(|id| !built_in.contains(id))
        .collect();
    assert_eq!(ids, ["inside", "mine", "own", "plain"]);
    let warnings = listed["sources"].to_string();
    for expected in [
        "stolen is a link that leaves the project",
        "skills is a link that leaves the project",
        "file/SKILL.md is a link that leaves the skill",
    ] {
        assert!(warnings.contains(expected), "{expected}: {warnings}");
    }
    let named = run(&["list", "--json", "--in", ".agents/skills"]);
    assert!(!named.stdout.contains("diary\""), "{}", named.snapshot());
    for id in ["diary", "stolen", "file"] {
        assert_ne!(run(&["show", id]).code, Some(0));
    }
}
