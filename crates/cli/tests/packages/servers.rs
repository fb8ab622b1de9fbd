//! Packages from real servers of git: http, https, ssh.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use prowess_testing::{ChildGuard, SshServer, git, run};

use crate::support::Run;
use crate::workshop::{FIRST, Workshop, state};

/// Starts a server that prints its port.
pub(crate) fn serve(command: &mut Command) -> (ChildGuard, u16) {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    (ChildGuard(child), line.trim().parse().unwrap())
}

/// Makes the repository available as `served/owner/repo.git`.
fn publish(workshop: &Workshop) {
    let bare = workshop.path("served/owner/repo.git");
    if !bare.exists() {
        workshop.create("served/owner");
        git(
            workshop.path("served/owner"),
            &["init", "-q", "--bare", "-b", "main", "repo.git"],
        );
        git(&bare, &["config", "uploadpack.allowFilter", "true"]);
    }
    let target = bare.display().to_string();
    git(
        workshop.path("repository"),
        &["push", "-q", &target, "main"],
    );
}

/// A git server for `served`; with TLS, its authority is `ca.pem`.
fn git_server(workshop: &Workshop, tls: bool) -> (ChildGuard, u16) {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/support/git_server.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .args([workshop.path("served"), workshop.path("requests.log")])
        .arg("");
    if tls {
        run(Command::new("sh")
            .args(["-euc", "openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=test-ca 2>/dev/null
                openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=127.0.0.1 2>/dev/null
                printf 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n' > extensions
                openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out server.pem 2>/dev/null"])
            .current_dir(workshop.root()));
        command.args([workshop.path("server.pem"), workshop.path("server.key")]);
    }
    serve(&mut command)
}

/// `add`, `outdated`, `update` and, in a clone, `sync`, with these variables.
fn round(workshop: &Workshop, source: &str, url: &str, variables: &[(&str, &str)]) {
    let expect = |project: &str, home: &str, code: i32, arguments: &[&str]| {
        let mut command = workshop.command_in(project, home, arguments);
        let run = Run::of(command.envs(variables.iter().copied()).output().unwrap());
        assert_eq!(run.code, Some(code), "{arguments:?} {run:?}");
        run
    };
    let own = |code, arguments: &[&str]| expect("project", "home", code, arguments);
    own(0, &["add", source, "--all"]);
    let lock = workshop.read("project/prowess.lock");
    assert!(lock.contains(&format!("source = \"{url}")), "{lock}");
    own(0, &["verify"]);
    let run = own(0, &["outdated"]);
    assert_eq!(run.stderr, "2 of 2 up to date\n");
    workshop.write(
        "repository/skills/pdf/SKILL.md",
        FIRST.replace("first", "later"),
    );
    workshop.commit("Explain more");
    publish(workshop);
    let run = own(3, &["outdated"]);
    assert!(run.stdout.contains("pdf    outdated"), "{}", run.stdout);
    assert!(run.stderr.contains("1 of 2 up to date"), "{}", run.stderr);
    // What was locked is still what a clone gets.
    workshop.write("clone/prowess.lock", &lock);
    workshop.create("home-of-clone");
    expect("clone", "home-of-clone", 0, &["sync", "--frozen", "--yes"]);
    assert_eq!(
        state(&workshop.path("clone/.agents")),
        state(&workshop.path("project/.agents"))
    );
    let run = own(0, &["update"]);
    assert!(run.stdout.contains("  - Explain more\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("* pdf\n"), "{}", run.stdout);
    own(0, &["outdated"]);
    own(0, &["verify"]);
}

#[test]
fn pk15_git_over_http() {
    let workshop = Workshop::new();
    publish(&workshop);
    let (_server, port) = git_server(&workshop, false);
    let url = format!("http://127.0.0.1:{port}/owner/repo.git");
    round(&workshop, &url, &url, &[]);
    // Two skills are not two fetches: references, the commit, its files.
    let log = workshop.read("requests.log");
    let first = log.lines().take(8).filter(|it| it.starts_with("POST"));
    assert!(first.count() <= 4, "{log}");
}

#[test]
fn pk15_git_over_ssh() {
    let workshop = Workshop::with_plain_path();
    publish(&workshop);
    workshop.create("ssh");
    let server = SshServer::start(&workshop.path("ssh"), "");
    let url = server.url(&workshop.path("served/owner/repo.git"));
    let key = format!("-i {} -o IdentitiesOnly=yes", server.key().display());
    let path = server.path_with_client(&key);
    round(&workshop, &url, &url, &[("PATH", &path)]);
}

#[test]
fn pk16_the_default_host_is_the_users() {
    let workshop = Workshop::new();
    publish(&workshop);
    let (_server, port) = git_server(&workshop, true);
    let authority = workshop.path("ca.pem").display().to_string();
    let variables = [("SSL_CERT_FILE", authority.as_str())];
    // A project cannot send the user elsewhere.
    let setting = format!("[packages]\ndefault_host = \"127.0.0.1:{port}\"\n");
    workshop.write("project/prowess.toml", &setting);
    let mut command = workshop.command(&["add", "owner/repo", "--skill", "pdf", "--offline"]);
    let run = Run::of(command.envs(variables).output().unwrap());
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stderr.contains("`packages.default_host` ignored"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("github.com/owner/repo"),
        "{}",
        run.stderr
    );
    assert!(!workshop.exists("requests.log"));
    fs::remove_file(workshop.path("project/prowess.toml")).unwrap();
    workshop.write("home/.config/prowess/prowess.toml", &setting);
    let url = format!("https://127.0.0.1:{port}/owner/repo.git");
    round(&workshop, "owner/repo", &url, &variables);
    // A host that is none is refused before anything is sent.
    for host in ["127.0.0.1:port", "-oProxyCommand=x", "a/b", ""] {
        let setting = format!("[packages]\ndefault_host = \"{host}\"\n");
        workshop.write("home/.config/prowess/prowess.toml", &setting);
        let run = workshop.run(&["add", "owner/other"]);
        assert_ne!(run.code, Some(0), "{host}: {run:?}");
        assert!(run.stderr.contains("error: "), "{host}: {}", run.stderr);
    }
}
