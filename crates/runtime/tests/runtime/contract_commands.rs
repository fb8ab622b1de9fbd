//! Commands of a skill: in a sandbox in which a developer's tools work, and from which nothing else is reached.

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use prowess_runtime::{ApprovalDecision, Jails, Parts};
use prowess_sandbox::{Isolation, Launcher, Requirement};
use serde_json::{Value, json};

use crate::place::{Place, Running, jails_of, launcher, runs};

const RUN: &str = "register_tool('run', '', lambda input: exec(*input['args']))";

async fn place_with(change: impl FnOnce(&mut Parts)) -> (Place, Running) {
    let place = Place::new();
    place.skill("a", "tool", "permissions: [\"shell:exec\"]\n", RUN);
    let running = place.open_with(ApprovalDecision::Once, |parts| {
        // Machines are slow when many tests run.
        parts.workers.call_time = Some(Duration::from_mins(5));
        parts.services.allowances.exec_time = Duration::from_mins(4);
        change(parts);
    });
    let running = running.await.with(&["a"]).await;
    (place, running)
}

async fn run(running: &Running, words: &[&str]) -> Value {
    let (text, is_error) = running.call("run", json!({"args": words})).await;
    assert!(!is_error, "{words:?}: {text}");
    serde_json::from_str(&text).unwrap()
}

async fn works(running: &Running, words: &[&str], expected: &str) {
    let done = run(running, words).await;
    let said = format!(
        "{}{}",
        done["stdout"].as_str().unwrap(),
        done["stderr"].as_str().unwrap()
    );
    assert_eq!(done["exit_code"], 0, "{words:?}: {said}");
    assert!(said.contains(expected), "{words:?}: {said}");
}

#[tokio::test]
async fn q17_cargo_test_works() {
    let (place, running) = place_with(|parts| {
        // The user who runs this test may build elsewhere, in a directory that commands do not see.
        let variables = std::env::vars().filter(|(name, _)| name != "CARGO_TARGET_DIR");
        parts.services.environment = variables.collect();
    })
    .await;
    place.write(
        "project/Cargo.toml",
        "[package]\nname = \"tiny\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    place.write("project/src/lib.rs", "#[test]\nfn adds() {\n    let own = std::net::TcpListener::bind(\"127.0.0.1:0\").unwrap();\n    std::net::TcpStream::connect(own.local_addr().unwrap()).unwrap();\n    std::fs::write(std::env::temp_dir().join(\"x\"), \"x\").unwrap();\n}\n");
    works(
        &running,
        &["cargo", "test", "--offline"],
        "test adds ... ok",
    )
    .await;
    assert!(place.path("project/target").is_dir());
}

#[tokio::test]
async fn q17_tools_of_developers_work() {
    let (place, running) = place_with(|_| ()).await;
    place.write(
        "project/package.json",
        r#"{"name": "tiny", "version": "1.0.0", "scripts": {"test": "node test.js"}}"#,
    );
    place.write("project/test.js", "require('fs').writeFileSync('made.txt', 'x'); console.log('all ' + 'passed', require('os').cpus().length >= 0)");
    place.write("project/test_tiny.py", "import unittest\nclass T(unittest.TestCase):\n    def test_x(self): open('by-python', 'w').write('x')\n");
    place.write(
        "project/Makefile",
        "all: one two\n\techo linked > all\none two:\n\techo $@ > $@\n",
    );
    works(&running, &["npm", "test"], "all passed").await;
    works(&running, &["python3", "-m", "unittest"], "OK").await;
    works(&running, &["make", "-j2"], "linked").await;
    works(&running, &["sh", "-c", "cat all one | grep -c ''"], "2").await;
    assert!(place.path("project/made.txt").exists() && place.path("project/by-python").exists());
    let git = |words: &[&str]| {
        let done = Command::new("git")
            .args(words)
            .current_dir(place.path("project"))
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&[
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@x",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "first",
    ]);
    works(&running, &["git", "status", "--short"], "?? Makefile").await;
    works(&running, &["git", "log", "--oneline"], "first").await;
    let done = run(&running, &["git", "config", "core.fsmonitor", "./evil"]).await;
    assert_ne!(done["exit_code"], 0, "{done}");
}

const ATTACK: &str = r#"
import ctypes, json, os, signal, socket, sys
facts = json.loads(sys.argv[1])
reached = []

def tries(what, action):
    try:
        found = action()
    except OSError:
        return
    if found not in (None, b"", [], ""):
        reached.append([what, repr(found)[:80]])

def written(path):
    with open(path, "a") as file:
        file.write("x")
    return path

def all_below(path):
    if os.path.isdir(path):
        return os.listdir(path)
    return open(path, "rb").read()

for path in facts["secret"]:
    tries("read " + path, lambda: all_below(path))
    tries("read " + path, lambda: all_below("/proc/self/root" + path))
for path in facts["outside"]:
    tries("write " + path, lambda: written(path))
    tries("chmod " + path, lambda: os.chmod(path, 0o777) or path)
tries("write .git/config", lambda: written(".git/config"))
tries("make AGENTS.md", lambda: written("AGENTS.md"))
tries("make sub/.git", lambda: os.makedirs("sub/.git") or "sub/.git")

def connect(family, address):
    made = socket.socket(family)
    made.settimeout(2)
    made.connect(address)
    return address

tries("unix socket", lambda: connect(socket.AF_UNIX, facts["socket"]))
tries("docker", lambda: connect(socket.AF_UNIX, "/var/run/docker.sock"))
tries("tcp", lambda: connect(socket.AF_INET, ("127.0.0.1", facts["port"])))
tries("network", lambda: connect(socket.AF_INET, ("1.1.1.1", 53)))
tries("signal", lambda: os.kill(facts["process"], signal.SIGKILL) or "killed")
tries("signal all", lambda: "host" if os.path.exists(f"/proc/{facts['process']}") else None)
tries("environ", lambda: open(f"/proc/{facts['process']}/environ").read())
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(16, facts["process"], 0, 0) == 0:
    reached.append("ptrace")
others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) > 20]
if len(others) > 3:
    reached.append(["processes", others])
for name, value in os.environ.items():
    if "s3cret" in value:
        reached.append(["variable", name])
if os.listdir("/tmp") and any(name.startswith("host-") for name in os.listdir("/tmp")):
    reached.append("the host's /tmp")
print(json.dumps(reached))
"#;

const SECRET: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".gnupg/private",
    ".kube/config",
    ".config/gcloud/token",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".docker/config.json",
    ".config/gh/hosts.yml",
    ".mozilla/firefox/x/cookies",
    ".config/chromium/Default/Cookies",
    ".config/google-chrome/x",
    ".config/BraveSoftware/x",
    ".password-store/x.gpg",
    ".local/share/keyrings/login",
    ".cargo/credentials.toml",
    ".local/share/prowess/store",
    ".config/prowess/x",
    "other-project/.env",
    "code/company/service/deploy/.env.production",
    "extra/of-the-user",
];

#[tokio::test]
async fn q17_a_command_reaches_nothing_else() {
    // Not below /tmp, which is private inside.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let own = home.path().canonicalize().unwrap();
    for path in SECRET.iter().chain(&["plain", ".cache/x", ".cargo/bin/x"]) {
        fs::create_dir_all(own.join(path).parent().unwrap()).unwrap();
        fs::write(own.join(path), "s3cret").unwrap();
    }
    std::os::unix::fs::symlink(own.join(".ssh"), own.join("link-to-keys")).unwrap();
    let in_tmp = tempfile::Builder::new()
        .prefix("host-")
        .tempdir_in("/tmp")
        .unwrap();
    let unix = UnixListener::bind(own.join("host.sock")).unwrap();
    unix.set_nonblocking(true).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    let mut host = Command::new("sleep")
        .arg("300")
        .env("SECRET", "s3cret")
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let (place, running) = place_with(|parts| {
        let hidden = [own.join("extra/of-the-user")];
        parts.workers.jails = Some(jails_of(Some(own.clone())).hide(hidden));
        let more = [
            ("GITHUB_TOKEN", "s3cret"),
            ("MY_API_KEY", "s3cret"),
            ("SSH_AUTH_SOCK", "s3cret"),
            ("HOME", own.to_str().unwrap()),
        ];
        let all =
            std::env::vars().chain(more.map(|(name, value)| (name.to_owned(), value.to_owned())));
        parts.services.environment = all.collect();
    })
    .await;
    place.write("project/.git/config", "[core]\n");
    place.write("project/attack.py", ATTACK);
    place.write("project/.env", "of the project");
    let mut secret: Vec<_> = SECRET.iter().map(|path| own.join(path)).collect();
    secret.extend([
        own.join("link-to-keys/id_ed25519"),
        "/etc/shadow".into(),
        in_tmp.path().to_owned(),
    ]);
    let outside = [
        own.join("plain"),
        own.join("new"),
        "/usr/bin/evil".into(),
        "/etc/evil".into(),
    ];
    let facts = json!({
        "secret": secret, "outside": outside, "socket": own.join("host.sock"), "port": tcp.local_addr().unwrap().port(),
        "process": host.id(),
    });
    let done = run(&running, &["python3", "attack.py", &facts.to_string()]).await;
    assert_eq!(
        (done["stdout"].as_str(), &done["exit_code"]),
        (Some("[]\n"), &json!(0)),
        "{done}"
    );
    assert!(unix.accept().is_err() && tcp.accept().is_err());
    assert!(
        host.try_wait().unwrap().is_none(),
        "the process of the host closed the connection"
    );
    assert_eq!(
        fs::read_to_string(place.path("project/.git/config")).unwrap(),
        "[core]\n"
    );
    assert!(!place.path("project/AGENTS.md").exists() && !place.path("project/sub/.git").exists());
    // What is no secret can be read, and caches can be written without a change to them.
    works(
        &running,
        &["cat", own.join("plain").to_str().unwrap()],
        "s3cret",
    )
    .await;
    works(&running, &["cat", ".env"], "of the project").await;
    let cache = own.join(".cache");
    let line = format!(
        "cat {0}/x && echo x > {0}/new && rm {0}/x && echo changed",
        cache.display()
    );
    works(&running, &["sh", "-c", &line], "changed").await;
    assert!(cache.join("x").exists() && !cache.join("new").exists());
    host.kill().unwrap();
    host.wait().unwrap();
}

#[tokio::test]
async fn q17_what_a_command_started_ends_with_it() {
    let (_place, running) = place_with(|parts| {
        parts.services.allowances.exec_time = Duration::from_secs(2);
    })
    .await;
    let daemon = "import os, signal, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]\n        [os.close(n) for n in range(3)]\n        os.execvp('sleep', ['sleep', '73.25'])\n    os._exit(0)\nprint('started', flush=True)\n";
    works(&running, &["python3", "-c", daemon], "started").await;
    assert!(!runs("sleep 73.25"));
    let text = format!("{daemon}time.sleep(60)\n");
    let (text, is_error) = running
        .call("run", json!({"args": ["python3", "-c", text]}))
        .await;
    assert!(is_error && text.contains("timed out after 2 s"), "{text}");
    assert!(!runs("sleep 73.25"));
}

#[tokio::test]
async fn q17_without_a_sandbox_a_command_is_refused() {
    fn only(isolation: Isolation) -> Jails {
        let mut launcher = Launcher::new(launcher());
        launcher.arguments = vec!["sandbox-init".into()];
        Jails::new(
            launcher,
            Requirement::Only(isolation),
            None,
            std::env::home_dir(),
        )
    }
    // A way that no Linux has, and none at all.
    for jails in [Some(only(Isolation::Seatbelt)), None] {
        let (place, running) = place_with(|parts| parts.workers.jails = jails).await;
        let (text, is_error) = running
            .call("run", json!({"args": ["touch", "made"]}))
            .await;
        assert!(
            is_error && text.contains("cannot run `touch` in the sandbox"),
            "{text}"
        );
        assert!(text.contains("hint: run `prowess doctor`"), "{text}");
        assert!(!place.path("project/made").exists());
    }
}

/// A program of the project must not be taken for one of the system.
#[tokio::test]
async fn q21_a_search_path_with_an_empty_part_is_not_the_project() {
    let (place, running) = place_with(|parts| {
        let variables = [("PATH".to_owned(), ":.:/usr/bin:/bin".to_owned())];
        parts.services.environment = variables.into_iter().collect();
    })
    .await;
    place.write("project/id", "#!/bin/sh\necho evil\n");
    make_executable(&place.path("project/id"));
    works(&running, &["id"], "uid=").await;
    works(&running, &["./id"], "evil").await;
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The attack: a model gets "always" for a harmless file, then writes another one.
#[tokio::test]
async fn q31_always_does_not_cover_what_can_be_rewritten() {
    let place = Place::new();
    let code =
        "register_tool('run', '', lambda input: exec(reach = input['reach'], *input['args']))";
    place.skill("a", "tool", "permissions: [\"shell:exec\"]\n", code);
    for name in ["x.sh", "tool.py", "data.txt", "bin/true"] {
        place.write(&format!("project/{name}"), "#!/bin/sh\necho first\n");
        make_executable(&place.path(&format!("project/{name}")));
    }
    place.write("project/Makefile", "all:\n\t@echo first\n");
    std::os::unix::fs::symlink("/usr/bin/env", place.path("project/link")).unwrap();
    let running = place
        .open_with(ApprovalDecision::Always, |parts| {
            parts.services.allowances.turn.shell_execs = 1_000;
        })
        .await
        .with(&["a"])
        .await;
    let asked = async |reach: &str, words: &[&str]| {
        let count = || {
            let asked = running.approver.1.lock().unwrap();
            asked.iter().filter(|asked| *asked == words).count()
        };
        let before = count();
        for _ in 0..2 {
            running
                .call("run", json!({"args": words, "reach": reach}))
                .await;
        }
        count() - before
    };
    let inside = place.path("project/x.sh");
    let inside = inside.to_str().unwrap();
    for reach in ["unconfined", "network"] {
        for words in [
            &["./x.sh"][..],
            &["bin/true"],
            &["./link", "id"],
            &[inside],
            &["sh", "x.sh"],
            &["/bin/sh", "-c", "./x.sh"],
            &["python3", "tool.py"],
            &["env", "./x.sh"],
            &["make"],
            &["npm", "run", "x"],
            &["cat", "data.txt"],
            &["cat", "--file=data.txt"],
            &["cat", "-fdata.txt"],
            &["cat", "./bin/../data.txt"],
            &["cat", "@data.txt"],
        ] {
            assert_eq!(asked(reach, words).await, 2, "{reach}: {words:?}");
        }
        // What only the administrator can change is asked about once.
        assert_eq!(asked(reach, &["true"]).await, 1, "{reach}");
        assert_eq!(asked(reach, &["echo", "no-such-file"]).await, 1, "{reach}");
    }
    // A word that names nothing today may name something tomorrow.
    place.write("project/no-such-file", "x");
    assert_eq!(asked("unconfined", &["echo", "no-such-file"]).await, 2);
    // In the sandbox, nothing that is rewritten reaches further.
    assert_eq!(asked("sandbox", &["./x.sh"]).await, 1);
}
