//! G10 of the git contract, with the program: tokens over TLS, ssh, an empty PATH, and what is refused.
#![cfg(test)]
#![cfg(unix)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use prowess_testing::{ChildGuard, SshServer, run};
use support::{Run, TestProject};

const TOKEN: &str = "t0ken-that-nobody-may-see";

fn shell(directory: &Path, script: &str) {
    run(Command::new("sh")
        .args(["-euc", script])
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1"));
}

/// A place with a bare repository `skills.git` that holds the skill `pdf`.
fn repository() -> TestProject {
    repository_in(TestProject::new())
}

fn repository_in(project: TestProject) -> TestProject {
    project.skill("work/pdf");
    let author = "git -c user.name=a -c user.email=a@example.com";
    shell(
        project.root(),
        &format!(
            "git init -q -b main work; cd work; git add -A; {author} commit -qm first; cd ..;
             git clone -q --bare work skills.git"
        ),
    );
    project
}

/// A certificate for 127.0.0.1, and the authority that signed it.
fn certificate(project: &TestProject) {
    shell(
        project.root(),
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=test-ca 2>/dev/null
         openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=127.0.0.1 2>/dev/null
         printf 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n' > extensions
         openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out server.pem 2>/dev/null",
    );
}

fn serve(project: &TestProject, token: &str, tls: bool) -> (ChildGuard, u16) {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/support/git_server.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .arg(project.root())
        .arg(project.path("requests.log"))
        .arg(token);
    if tls {
        command.args([project.path("server.pem"), project.path("server.key")]);
    }
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    (ChildGuard(child), line.trim().parse().unwrap())
}

fn configure(project: &TestProject, lines: &str) {
    project.write(
        "own.toml",
        format!("[[skills.repositories]]\nname = \"company\"\ntype = \"git\"\n{lines}\n"),
    );
}

/// `list` with these variables and nothing else.
fn list(project: &TestProject, variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
    command
        .args(["list", "--config", "own.toml"])
        .current_dir(project.root())
        .env_clear()
        .env("HOME", project.path("home"))
        .envs(variables.iter().copied());
    let run = Run::of(command.output().unwrap());
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains(TOKEN), "{text}");
    }
    run
}

fn forget(project: &TestProject) {
    let _ = fs::remove_dir_all(project.path("home"));
}

/// Whether a text is anywhere below a directory.
fn is_anywhere(directory: &Path, text: &[u8]) -> bool {
    fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| {
            let path = entry.path();
            if path.is_dir() {
                is_anywhere(&path, text)
            } else {
                let bytes = fs::read(&path).unwrap_or_default();
                bytes.windows(text.len()).any(|window| window == text)
            }
        })
}

#[test]
fn g10_a_token_goes_over_https_and_nowhere_else() {
    let project = repository();
    certificate(&project);
    let (_https, port) = serve(&project, TOKEN, true);
    let authority = project.path("ca.pem").display().to_string();
    let trusted = [
        ("SSL_CERT_FILE", authority.as_str()),
        ("COMPANY_TOKEN", TOKEN),
    ];
    let auth = "auth = { bearer = \"${COMPANY_TOKEN}\" }";

    // No PATH at all: no program is started.
    configure(
        &project,
        &format!("url = \"https://127.0.0.1:{port}/skills.git\"\n{auth}"),
    );
    let run = list(&project, &trusted);
    assert!(run.stdout.contains("pdf"), "{}", run.snapshot());
    assert!(!is_anywhere(&project.path("home"), TOKEN.as_bytes()));
    let log = project.read("requests.log");
    assert!(log.contains(" auth"), "{log}");

    // A certificate that nobody vouches for.
    forget(&project);
    fs::write(project.path("requests.log"), "").unwrap();
    let run = list(&project, &[("COMPANY_TOKEN", TOKEN)]);
    assert!(run.stderr.contains("certificate"), "{}", run.snapshot());
    assert_eq!(project.read("requests.log"), "");

    // The wrong token, and none.
    let wrong = [
        ("SSL_CERT_FILE", authority.as_str()),
        ("COMPANY_TOKEN", "wrong"),
    ];
    assert!(list(&project, &wrong).stderr.contains("check `auth`"));
    configure(
        &project,
        &format!("url = \"https://127.0.0.1:{port}/skills.git\""),
    );
    let run = list(&project, &trusted);
    assert!(run.stderr.contains("check `auth`"), "{}", run.snapshot());

    // Plain http: refused before anything is sent.
    let (_http, port) = serve(&project, TOKEN, false);
    fs::write(project.path("requests.log"), "").unwrap();
    configure(
        &project,
        &format!("url = \"http://127.0.0.1:{port}/skills.git\"\n{auth}"),
    );
    let run = list(&project, &trusted);
    assert!(
        run.stderr.contains("without encryption"),
        "{}",
        run.snapshot()
    );
    assert_eq!(project.read("requests.log"), "");
}

#[test]
fn g10_local_repositories_need_no_program() {
    let project = repository();
    let absolute = project.path("skills.git").display().to_string();
    for url in [
        "skills.git".to_owned(),
        "work".to_owned(),
        absolute.clone(),
        format!("file://{}", absolute.replace(' ', "%20")),
    ] {
        forget(&project);
        configure(&project, &format!("url = \"{url}\""));
        let run = list(&project, &[]);
        assert!(run.stdout.contains("pdf"), "{url}: {}", run.snapshot());
    }
}

#[test]
fn g10_what_git_would_take_for_an_option_or_a_program() {
    let project = repository();
    for lines in [
        "url = \"--upload-pack=touch pwned\"",
        "url = \"ext::touch pwned\"",
        "url = \"ssh://-oProxyCommand=touch%20pwned/x\"",
        "url = \"-oProxyCommand=touch pwned:x\"",
        "url = \"https://example.com/\\n/x\"",
        "url = \"skills.git\"\nref = { branch = \"--upload-pack=touch pwned\" }",
        "url = \"skills.git\"\nref = { branch = \"a\\u0007b\" }",
    ] {
        configure(&project, lines);
        let run = list(&project, &[("PATH", "/usr/bin:/bin")]);
        assert!(
            !run.stdout.contains("company"),
            "{lines}: {}",
            run.snapshot()
        );
        assert!(
            run.stderr.contains("warning: company: "),
            "{lines}: {}",
            run.snapshot()
        );
        assert!(!project.path("pwned").exists(), "{lines}");
    }
}

#[test]
fn g10_ssh_uses_the_client_of_the_system() {
    let project = repository_in(TestProject::short());
    let server = SshServer::start(project.root(), "");
    let url = server.url(&project.path("skills.git"));
    configure(
        &project,
        &format!("url = \"{url}\"\nauth = {{ ssh_key = \"user_key\" }}"),
    );
    // No client in PATH.
    let empty = project.path("empty");
    fs::create_dir(&empty).unwrap();
    let run = list(&project, &[("PATH", &empty.display().to_string())]);
    assert!(
        run.stderr.contains("ssh not found in PATH"),
        "{}",
        run.snapshot()
    );

    // A host that nobody knows: the client refuses, and nobody is asked.
    let path = std::env::var("PATH").unwrap();
    let run = list(&project, &[("PATH", &path)]);
    assert!(
        run.stderr.contains("warning: company: "),
        "{}",
        run.snapshot()
    );

    let with_wrapper = server.path_with_client("");
    let run = list(&project, &[("PATH", &with_wrapper)]);
    assert!(run.stdout.contains("pdf"), "{}", run.snapshot());
}
