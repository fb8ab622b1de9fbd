//! Clients that others wrote: the Python SDK, the inspector, and the conformance suites.
//!
//! They are installed into the user's cache the first time, in fixed versions. A peer that cannot be installed fails
//! its test.
#![cfg(test)]
#![allow(clippy::string_slice, reason = "tests may panic")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use prowess_mcp::Digest;
use prowess_testing::{ChildGuard, free_port, install, mcp_python, run};
use serde_json::Value;
use support::{PDF, PNG, example, write_skills};

/// The newest of both; they need a newer Node than many systems have, which npm has too.
const NODE: &[&str] = &[
    "node@22.23.3",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
];

/// Runs a program of a Node package, under the Node that was installed along.
fn node(program: &str) -> Command {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    let directory = DIRECTORY.get_or_init(|| {
        install("mcp-node", NODE, |directory| {
            let flags = ["install", "--no-audit", "--no-fund", "--prefix"];
            run(Command::new("npm").args(flags).arg(directory).args(NODE));
        })
    });
    let modules = directory.join("node_modules");
    let mut command = Command::new(modules.join("node/bin/node"));
    command
        .arg(modules.join(".bin").join(program))
        .stdin(Stdio::null());
    command
}

/// A server in another process, which goes with the test.
struct Served {
    _child: ChildGuard,
    url: String,
}

fn serve(directory: &Path) -> Served {
    let port = free_port();
    let port_text = port.to_string();
    let mut command = Command::new(example());
    let child = command
        .arg(directory)
        .args(["--http", &port_text])
        .spawn()
        .unwrap();
    let served = Served {
        _child: ChildGuard(child),
        url: format!("http://127.0.0.1:{port}/mcp"),
    };
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::yield_now();
    }
    served
}

fn expected_digests() -> BTreeMap<String, String> {
    let refunds = "---\nname: refunds\ndescription: Refunds customers\nargument-hint: \"[order]\"\n---\nRefund $ARGUMENTS.\n";
    [
        ("skill://acme/billing/refunds/SKILL.md", refunds.as_bytes()),
        ("skill://pdf/SKILL.md", PDF.as_bytes()),
        ("skill://pdf/assets/logo.png", PNG),
        ("skill://pdf/references/FORMS.md", b"# Forms\n"),
        (
            "skill://pdf/references/eu/VAT%20rates.md",
            "# VAT – ü\n".as_bytes(),
        ),
    ]
    .map(|(uri, bytes)| (uri.to_owned(), Digest::of(bytes).to_string()))
    .into()
}

fn python_client(arguments: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peer_python.py");
    let stdout = run(Command::new(mcp_python()).arg(script).args(arguments));
    let report: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    let digests = |key: &str| -> BTreeMap<String, String> {
        serde_json::from_value(report[key].clone()).unwrap()
    };
    // What Python computed over what it read is what the files have, and what the list promises.
    assert_eq!(digests("resources"), expected_digests());
    assert_eq!(digests("listed"), expected_digests());
    let calls = &report["calls"];
    assert_eq!(calls["browse_skills"]["skills"][0]["id"], "pdf");
    assert!(
        calls["load_skill"]["content"]
            .as_str()
            .unwrap()
            .contains("# PDF")
    );
    assert_eq!(calls["read_skill_file"]["content"], "# Forms\n");
    assert_eq!(
        report["tools"],
        serde_json::json!(["browse_skills", "load_skill", "read_skill_file"])
    );
    assert_eq!(
        report["prompts"],
        serde_json::json!(["acme/billing/refunds", "pdf"])
    );
    assert!(
        report["prompt"]
            .as_str()
            .unwrap()
            .contains("Refund order 7.")
    );
}

#[test]
fn ms14_python_client_over_stdio() {
    let directory = tempfile::tempdir().unwrap();
    write_skills(directory.path());
    let program = example();
    python_client(&[
        program.to_str().unwrap(),
        directory.path().to_str().unwrap(),
    ]);
}

#[test]
fn ms14_python_client_over_http() {
    let directory = tempfile::tempdir().unwrap();
    write_skills(directory.path());
    python_client(&[&serve(directory.path()).url]);
}

/// The command line of the inspector lists and reads a skill, over both transports.
#[test]
fn ms14_inspector_lists_and_reads() {
    let directory = tempfile::tempdir().unwrap();
    write_skills(directory.path());
    let served = serve(directory.path());
    let program = example();
    let stdio = [
        program.to_str().unwrap(),
        directory.path().to_str().unwrap(),
    ];
    let http = [served.url.as_str(), "--transport", "http"];
    for target in [&stdio[..], &http[..]] {
        let inspect = |arguments: &[&str]| -> Value {
            let mut command = node("mcp-inspector");
            let stdout = run(command.arg("--cli").args(target).args(arguments));
            serde_json::from_str(&stdout).unwrap()
        };
        let list = inspect(&["--method", "resources/list"]);
        assert_eq!(list["resources"].as_array().unwrap().len(), 5);
        let read = inspect(&[
            "--method",
            "resources/read",
            "--uri",
            "skill://pdf/SKILL.md",
        ]);
        assert_eq!(read["contents"][0]["text"], PDF);
        let tools = inspect(&["--method", "tools/list"]);
        assert_eq!(tools["tools"][1]["name"], "load_skill");
        let call = [
            "--method",
            "tools/call",
            "--tool-name",
            "load_skill",
            "--tool-arg",
            "id=pdf",
        ];
        let loaded = inspect(&call);
        assert_eq!(loaded["structuredContent"]["id"], "pdf");
        let prompts = inspect(&["--method", "prompts/list"]);
        assert_eq!(prompts["prompts"].as_array().unwrap().len(), 2);
    }
}

/// Every server suite of the conformance package, against the list of checks that are right to fail.
#[test]
fn ms14_conformance_server_suites() {
    let directory = tempfile::tempdir().unwrap();
    write_skills(directory.path());
    // The suite looks for directories in the first skill that it finds.
    let references = directory.path().join("acme/billing/refunds/references");
    fs::create_dir(&references).unwrap();
    fs::write(references.join("POLICY.md"), "# Policy\n").unwrap();
    let served = serve(directory.path());
    let output = tempfile::tempdir().unwrap();
    let mut command = node("conformance");
    command
        .args(["server", "--suite", "all", "--url", &served.url, "-o"])
        .arg(output.path());
    // It says by its exit code that something failed, and by its files what.
    let ran = command.output().unwrap();
    let mut failed = BTreeSet::new();
    let mut passed = BTreeMap::new();
    for entry in fs::read_dir(output.path()).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let scenario = scenario(&name);
        let checks = fs::read_to_string(entry.path().join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_str(&checks).unwrap();
        for check in checks {
            let id = check["id"].as_str().unwrap().to_owned();
            match check["status"].as_str().unwrap() {
                "FAILURE" => {
                    failed.insert((scenario.clone(), id));
                }
                "SUCCESS" => *passed.entry(scenario.clone()).or_insert(0) += 1,
                _ => {}
            }
        }
    }
    assert!(
        passed.len() > 50,
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let expected = expected_failures();
    let unexpected: Vec<_> = failed.difference(&expected).collect();
    let fixed: Vec<_> = expected.difference(&failed).collect();
    assert!(
        unexpected.is_empty() && fixed.is_empty(),
        "fail: {unexpected:#?}\npass: {fixed:#?}"
    );
    for suite in ["directory", "enumeration", "manifest"] {
        let scenario = format!("sep-2640-skills-{suite}");
        assert!(passed[&scenario] > 5 && !failed.iter().any(|(name, _)| *name == scenario));
    }
    println!("{passed:#?}");
}

/// `server-{scenario}-{time}`, where the time begins with a year.
fn scenario(directory: &str) -> String {
    let name = directory.strip_prefix("server-").unwrap();
    let time = "-2026-11-15T13-30-10-534Z".len();
    name[..name.len() - time].to_owned()
}

fn expected_failures() -> BTreeSet<(String, String)> {
    let text = include_str!("conformance_expected.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(" | ").collect();
            assert_eq!(fields.len(), 3, "{line}");
            (fields[0].to_owned(), fields[1].to_owned())
        })
        .collect()
}
