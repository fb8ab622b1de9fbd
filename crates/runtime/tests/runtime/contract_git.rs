//! Q26: a repository whose settings start programs. Each call runs under a tracer, which sees every program that
//! is started.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use prowess_runtime::ApprovalDecision;
use prowess_testing::run;
use serde_json::json;

use crate::place::{Place, Running};

const CALLS: &str = "
register_tool('diff', '', lambda input: git_diff(*input['args']))
register_tool('log', '', lambda input: git_log(*input['args']))
register_tool('status', '', lambda input: git_status())
register_tool('add', '', lambda input: git_add(*input['args']))
register_tool('commit', '', lambda input: git_commit(input['args'][0]))
";

/// A project with a repository of one commit, and a `git` on the path that is traced.
struct Traced {
    place: Place,
}

impl Traced {
    fn new() -> Self {
        // Some settings of git are text for a shell, in which these programs would have to be quoted.
        let place = Place::with_plain_path();
        for directory in ["home", "bin"] {
            fs::create_dir(place.path(directory)).unwrap();
        }
        place.skill(
            "a",
            "tool",
            "permissions: [\"git:read\", \"git:write\"]\n",
            CALLS,
        );
        let traced = Self { place };
        let real = which("git");
        let log = traced.place.path("trace").display().to_string();
        traced.script(
            "bin/git",
            &format!(
                "exec {} -f -qq -A -o {log} -e trace=execve,execveat {real} \"$@\"",
                which("strace")
            ),
        );
        traced.script(
            "trap.sh",
            &format!("touch {}", traced.place.path("trap").display()),
        );
        traced.git("project", &["init", "-q", "-b", "main"]);
        traced.place.write("project/a.txt", "one\n");
        traced.git("project", &["add", "a.txt"]);
        traced.git("project", &["commit", "-q", "-m", "first"]);
        traced.place.write("project/a.txt", "two\n");
        traced.place.write("project/new.txt", "new\n");
        traced
    }

    fn script(&self, path: &str, body: &str) {
        self.place.write(path, format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(self.place.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn trap(&self) -> String {
        self.place.path("trap.sh").display().to_string()
    }

    /// Runs git as the author of the project would.
    fn git(&self, below: &str, words: &[&str]) {
        run(Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(["-c", "protocol.file.allow=always"])
            .args(words)
            .current_dir(self.place.path(below))
            .env("HOME", self.place.path("home"))
            .env_remove("XDG_CONFIG_HOME"));
    }

    fn set(&self, key: &str, value: &str) {
        self.git("project", &["config", key, value]);
    }

    async fn open(&self) -> Running {
        let path = format!(
            "{}:{}",
            self.place.path("bin").display(),
            std::env::var("PATH").unwrap()
        );
        let home = self.place.path("home").display().to_string();
        self.place.write(
            "home/.gitconfig",
            "[user]\n\tname = t\n\temail = t@example.com\n",
        );
        let environment = [("PATH".to_owned(), path), ("HOME".to_owned(), home)];
        let running = self.place.open_with(ApprovalDecision::Once, |parts| {
            parts.services.environment = environment.into_iter().collect();
        });
        running.await.with(&["a"]).await
    }

    /// Makes every call, and asserts that git alone was started and that each call answered.
    async fn only_git_is_started(&self) {
        let running = self.open().await;
        self.all_calls(&running, true).await;
        self.nothing_else_ran();
    }

    async fn all_calls(&self, running: &Running, answers: bool) {
        for (tool, words) in [
            ("status", &[][..]),
            ("diff", &[]),
            ("diff", &["HEAD"]),
            ("log", &["HEAD"]),
            ("add", &["new.txt"]),
            ("commit", &["second"]),
            ("commit", &["nothing is left"]),
            ("status", &[]),
        ] {
            let (text, is_error) = running.call(tool, json!({"args": words})).await;
            let expected = words == ["nothing is left"];
            assert!(!answers || is_error == expected, "{tool} {words:?}: {text}");
        }
    }

    fn nothing_else_ran(&self) {
        let trace = fs::read_to_string(self.place.path("trace")).unwrap();
        assert!(trace.contains("execve("), "nothing was traced: {trace}");
        let others: Vec<&str> = trace
            .lines()
            .filter(|line| line.contains("execve") && !line.contains("ENOENT"))
            .filter(|line| !is_git(line))
            .collect();
        assert!(others.is_empty(), "{}", others.join("\n"));
        assert!(!self.place.path("trap").exists(), "a trap was run");
    }
}

/// Whether a line of the trace starts git, or is the end of a line about it.
fn is_git(line: &str) -> bool {
    let program = line.split('"').nth(1).unwrap_or("git");
    Path::new(program)
        .file_name()
        .is_some_and(|name| name == "git")
}

fn which(program: &str) -> String {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|directory| directory.join(program))
        .find(|path| path.is_file());
    let missing = || panic!("{program} is installed by `cargo xtask test`");
    found.unwrap_or_else(missing).display().to_string()
}

#[tokio::test]
async fn q26_an_ordinary_repository_works() {
    let traced = Traced::new();
    traced.only_git_is_started().await;
    let running = traced.open().await;
    let (log, _) = running.call("log", json!({"args": []})).await;
    assert!(log.contains("second") && log.contains("first"), "{log}");
    let (diff, _) = running.call("diff", json!({"args": []})).await;
    assert!(diff.contains("+two"), "{diff}");
}

#[tokio::test]
async fn q26_settings_that_name_programs_start_none() {
    let traced = Traced::new();
    let trap = traced.trap();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.sshCommand",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "sequence.editor",
        "pager.status",
        "pager.log",
        "pager.diff",
        "pager.add",
        "pager.commit",
        "pager.config",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "diff.tool",
        "difftool.evil.cmd",
        "merge.evil.driver",
        "gpg.program",
        "gpg.openpgp.program",
        "gpg.ssh.program",
        "gpg.x509.program",
        "gpg.ssh.defaultKeyCommand",
        "credential.helper",
        "credential.https://x.example.helper",
        "interactive.diffFilter",
        "trailer.evil.command",
        "trailer.evil.cmd",
        "uploadpack.packObjectsHook",
        "alias.st",
        "alias.status",
        "alias.log",
        "man.evil.cmd",
        "browser.evil.cmd",
        "sendemail.smtpserver",
    ] {
        traced.set(key, &trap);
    }
    for (key, value) in [
        ("alias.diff", format!("!{trap}")),
        ("commit.gpgSign", "true".to_owned()),
        ("tag.gpgSign", "true".to_owned()),
        ("log.showSignature", "true".to_owned()),
        ("commit.verbose", "true".to_owned()),
        ("diff.guitool", "evil".to_owned()),
        ("gc.auto", "1".to_owned()),
        ("maintenance.auto", "true".to_owned()),
        ("remote.origin.url", format!("ext::{trap}")),
        ("branch.main.remote", "origin".to_owned()),
        ("status.submoduleSummary", "true".to_owned()),
        (
            "core.hooksPath",
            traced.place.path("hooks").display().to_string(),
        ),
    ] {
        traced.set(key, &value);
    }
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-index-change",
        "reference-transaction",
        "pre-auto-gc",
        "fsmonitor-watchman",
    ] {
        traced.script(&format!("hooks/{hook}"), &trap);
    }
    traced
        .place
        .write("project/.gitattributes", "* diff=evil merge=evil\n");
    traced.only_git_is_started().await;
}

#[tokio::test]
async fn q26_filters_of_any_name_start_nothing() {
    let traced = Traced::new();
    let trap = traced.trap();
    let names = ["evil", "a.b", "a=b", "with space", "UPPER", "ü"];
    for name in names {
        for kind in ["clean", "smudge", "process"] {
            traced.set(&format!("filter.{name}.{kind}"), &trap);
        }
        traced.set(&format!("filter.{name}.required"), "true");
    }
    traced.place.write(
        "home/more",
        format!("[filter \"included\"]\n\tclean = {trap}\n"),
    );
    traced.set(
        "include.path",
        &traced.place.path("home/more").display().to_string(),
    );
    traced.place.write(
        "home/branch",
        format!("[filter \"branch\"]\n\tprocess = {trap}\n"),
    );
    traced.set(
        "includeIf.onbranch:main.path",
        &traced.place.path("home/branch").display().to_string(),
    );
    traced.place.write(
        "project/.gitattributes",
        "a.txt filter=evil\nb.txt filter=a.b\nc.txt filter=a=b\nd.txt filter=included\ne.txt filter=branch\n",
    );
    for file in ["b.txt", "c.txt", "d.txt", "e.txt"] {
        traced.place.write(&format!("project/{file}"), "x\n");
    }
    let running = traced.open().await;
    for tool in ["status", "diff", "log"] {
        let (text, is_error) = running.call(tool, json!({"args": []})).await;
        assert!(!is_error, "{tool}: {text}");
    }
    // What a filter would have changed is not recorded unchanged: it may encrypt.
    for file in ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"] {
        let (text, is_error) = running.call("add", json!({"args": [file]})).await;
        assert!(is_error && text.contains("filter"), "{file}: {text}");
    }
    traced.all_calls(&running, false).await;
    traced.nothing_else_ran();
    // Files without a filter are. Whether the commit above went through depends on the moment at which the index was written.
    traced
        .place
        .write("project/.gitattributes", "b.txt filter=a.b\n")
        .write("project/new.txt", "changed once more\n");
    traced.only_git_is_started().await;
}

#[tokio::test]
async fn q26_filters_that_cannot_be_listed_refuse_every_call() {
    let many = "[filter \"f\"]
	clean = x
"
    .repeat(60_000);
    for config in [
        many.into_bytes(),
        b"[filter \"\xff\"]\n\tclean = x\n".to_vec(),
    ] {
        let traced = Traced::new();
        let path = traced.place.path("project/.git/config");
        let config = [fs::read(&path).unwrap(), config].concat();
        fs::write(&path, config).unwrap();
        refused(&traced).await;
        traced.nothing_else_ran();
    }
}

#[tokio::test]
async fn q26_submodules_are_not_entered() {
    let traced = Traced::new();
    let trap = traced.trap();
    fs::create_dir(traced.place.path("upstream")).unwrap();
    traced.git("upstream", &["init", "-q"]);
    traced.place.write("upstream/x.txt", "x\n");
    traced.git("upstream", &["add", "."]);
    traced.git("upstream", &["commit", "-q", "-m", "x"]);
    traced.git(
        "project",
        &["submodule", "--quiet", "add", "../upstream", "sub"],
    );
    traced.git("project", &["commit", "-q", "-m", "sub"]);
    for (key, value) in [
        ("core.fsmonitor", trap.as_str()),
        ("filter.sub.clean", &trap),
        ("filter.sub.required", "true"),
        ("diff.external", &trap),
    ] {
        traced.git("project/sub", &["config", key, value]);
    }
    traced
        .place
        .write("project/sub/.gitattributes", "* filter=sub\n");
    traced.place.write("project/sub/x.txt", "changed\n");
    for (key, value) in [
        ("submodule.sub.ignore", "none"),
        ("diff.ignoreSubmodules", "none"),
        ("submodule.recurse", "true"),
        ("diff.submodule", "diff"),
        ("status.submoduleSummary", "true"),
    ] {
        traced.set(key, value);
    }
    traced.only_git_is_started().await;
    let running = traced.open().await;
    running.call("add", json!({"args": ["sub"]})).await;
    running.call("add", json!({"args": ["."]})).await;
    running.call("commit", json!({"args": ["all"]})).await;
    running.call("diff", json!({"args": ["HEAD~1"]})).await;
    traced.nothing_else_ran();
}

#[tokio::test]
async fn q26_missing_objects_are_not_fetched() {
    let traced = Traced::new();
    let trap = traced.trap();
    for (key, value) in [
        ("core.repositoryFormatVersion", "1".to_owned()),
        ("extensions.partialClone", "origin".to_owned()),
        ("remote.origin.url", format!("ext::{trap}")),
        ("remote.origin.promisor", "true".to_owned()),
        ("remote.origin.uploadpack", trap.clone()),
        ("protocol.ext.allow", "always".to_owned()),
        ("protocol.allow", "always".to_owned()),
    ] {
        traced.set(key, &value);
    }
    let id = Command::new("git")
        .args(["rev-parse", "HEAD:a.txt"])
        .current_dir(traced.place.path("project"))
        .output()
        .unwrap();
    let id = String::from_utf8(id.stdout).unwrap();
    let (directory, file) = id.trim().split_at(2);
    fs::remove_file(
        traced
            .place
            .path(&format!("project/.git/objects/{directory}/{file}")),
    )
    .unwrap();
    let running = traced.open().await;
    traced.all_calls(&running, false).await;
    traced.nothing_else_ran();
}

/// Another repository of the user, which the project must not reveal.
fn private(traced: &Traced) {
    fs::create_dir(traced.place.path("private")).unwrap();
    traced.git("private", &["init", "-q"]);
    traced.place.write("private/secret.txt", "secret\n");
    traced.git("private", &["add", "."]);
    traced.git("private", &["commit", "-q", "-m", "private message"]);
}

async fn refused(traced: &Traced) {
    let running = traced.open().await;
    for (tool, words) in [("status", &[][..]), ("log", &[]), ("diff", &["HEAD"])] {
        let (text, is_error) = running.call(tool, json!({"args": words})).await;
        assert!(
            is_error && !text.contains("private message"),
            "{tool}: {text}"
        );
        assert!(!text.contains("secret"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn q26_a_git_file_or_link_that_leads_out_is_refused() {
    for kind in ["file", "link", "commondir", "objects", "alternates"] {
        let traced = Traced::new();
        private(&traced);
        let git = traced.place.path("project/.git");
        let there = traced.place.path("private/.git");
        match kind {
            // The names of branches and their objects, without a link at the top.
            "objects" | "alternates" => {
                let head = fs::read_to_string(there.join("HEAD")).unwrap();
                let branch = head.trim().trim_start_matches("ref: ");
                fs::write(git.join("HEAD"), &head).unwrap();
                let _ = fs::remove_file(git.join(branch));
                std::os::unix::fs::symlink(there.join(branch), git.join(branch)).unwrap();
                fs::remove_file(git.join("index")).unwrap();
                let objects = there.join("objects").display().to_string();
                if kind == "alternates" {
                    fs::write(git.join("objects/info/alternates"), objects).unwrap();
                } else {
                    fs::remove_dir_all(git.join("objects")).unwrap();
                    std::os::unix::fs::symlink(objects, git.join("objects")).unwrap();
                }
            }
            "commondir" => fs::write(git.join("commondir"), there.display().to_string()).unwrap(),
            _ => {
                fs::remove_dir_all(&git).unwrap();
                if kind == "link" {
                    std::os::unix::fs::symlink(&there, &git).unwrap();
                } else {
                    fs::write(&git, format!("gitdir: {}\n", there.display())).unwrap();
                }
            }
        }
        refused(&traced).await;
    }
}

/// The attack: a commit appends a line with the name of its author to what a link in the place of a log leads to.
#[tokio::test]
async fn q42_git_writes_through_no_link_of_the_repository() {
    for (link, target) in [
        ("logs/HEAD", "rc"),
        ("logs/refs/heads", "autostart"),
        ("refs/heads/deep", "autostart"),
        ("COMMIT_EDITMSG", "rc"),
    ] {
        let traced = Traced::new();
        private(&traced);
        let git = traced.place.path("project/.git");
        let link = git.join(link);
        let _ = fs::remove_file(&link);
        let _ = fs::remove_dir_all(&link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let target = traced.place.path("private").join(target);
        if link.ends_with("heads") || link.ends_with("deep") {
            fs::create_dir(&target).unwrap();
        } else {
            fs::write(&target, "").unwrap();
        }
        std::os::unix::fs::symlink(&target, &link).unwrap();
        refused(&traced).await;
        let is_untouched = if target.is_dir() {
            fs::read_dir(&target).unwrap().next().is_none()
        } else {
            fs::read(&target).unwrap().is_empty()
        };
        assert!(is_untouched, "{}", link.display());
    }
}

/// What git would wait for, also in a directory that it ignores.
#[tokio::test]
async fn q32_git_is_not_started_on_what_it_would_wait_for() {
    for pipe in [
        ".git/objects/pack/pack-1.idx",
        ".git/refs/heads/x",
        "ignored/.gitattributes",
        ".gitignore",
    ] {
        let traced = Traced::new();
        private(&traced);
        traced.place.write("project/.git/info/exclude", "ignored\n");
        let path = traced.place.path("project").join(pipe);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
        refused(&traced).await;
    }
}

#[tokio::test]
async fn q26_a_worktree_of_a_repository_elsewhere_works() {
    let traced = Traced::new();
    private(&traced);
    fs::remove_dir_all(traced.place.path("project")).unwrap();
    traced.git("private", &["worktree", "add", "-q", "../project"]);
    let running = traced.open().await;
    let (text, is_error) = running.call("log", json!({"args": []})).await;
    assert!(!is_error && text.contains("private message"), "{text}");
    traced.nothing_else_ran();
}

#[tokio::test]
async fn q26_files_outside_are_not_the_work_tree() {
    let traced = Traced::new();
    traced.place.write("outside/secret.txt", "secret\n");
    traced.set(
        "core.worktree",
        &traced.place.path("outside").display().to_string(),
    );
    let running = traced.open().await;
    let (text, _) = running.call("status", json!({"args": []})).await;
    assert!(text.contains("a.txt") && !text.contains("secret"), "{text}");
    traced.nothing_else_ran();
}

#[tokio::test]
async fn q26_a_bare_repository_is_not_entered() {
    let traced = Traced::new();
    let project = traced.place.path("project");
    fs::remove_dir_all(&project).unwrap();
    fs::create_dir(&project).unwrap();
    traced.git("project", &["init", "-q", "--bare", "."]);
    traced.set("core.fsmonitor", &traced.trap());
    traced.set("core.bare", "false");
    traced.set("core.worktree", &project.display().to_string());
    let running = traced.open().await;
    let (text, is_error) = running.call("status", json!({"args": []})).await;
    assert!(is_error, "{text}");
    traced.nothing_else_ran();
}

#[tokio::test]
async fn q26_a_repository_of_another_user_is_refused() {
    let traced = Traced::new();
    // Only root can give a directory away; elsewhere there is nothing to test with.
    let given = Command::new("chown")
        .args(["-R", "12345"])
        .arg(traced.place.path("project"))
        .output();
    if !given.unwrap().status.success() {
        return;
    }
    traced.place.write(
        "project/.git/config",
        format!("[core]\n\tfsmonitor = {}\n", traced.trap()),
    );
    refused(&traced).await;
    traced.nothing_else_ran();
}
