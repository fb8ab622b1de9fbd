//! `prowess registry mirror`: one registry as a copy of another, with real servers.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use prowess_testing::{ChildGuard, TestDirectory, at_home, run};
use serde_json::Value;

/// Runs the program in a home directory.
fn command(place: &TestDirectory, home: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
    at_home(&mut command, place.path(home))
        .args(arguments)
        .current_dir(place.root());
    command
}

/// A server, and its address.
fn serve(place: &TestDirectory, home: &str, more: &[&str]) -> (ChildGuard, String) {
    let arguments = [
        &["serve", "--bind", "127.0.0.1:0", "--json", "--quiet"],
        more,
    ]
    .concat();
    let mut server = command(place, home, &arguments);
    let mut server = ChildGuard(server.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    let mut output = BufReader::new(server.0.stdout.take().unwrap());
    while !line.trim_end().ends_with('}') {
        assert!(output.read_line(&mut line).unwrap() > 0, "{line}");
    }
    let started: Value = serde_json::from_str(&line).unwrap();
    let url = started["url"].as_str().unwrap().trim_end_matches("/api");
    (server, url.to_owned())
}

/// What a server says about a package, without dates and owners.
fn package(place: &TestDirectory, home: &str, url: &str, name: &str) -> Value {
    let arguments = ["info", name, "--registry", url, "--json", "--refresh"];
    let output = command(place, home, &arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let info: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
    let info = info.get("package").unwrap_or(&info);
    let versions = info["versions"]
        .as_array()
        .unwrap_or_else(|| panic!("{text}"));
    versions
        .iter()
        .map(|it| {
            let reason = &it["yanked"]["reason"];
            serde_json::json!([it["version"], it["digest"], it["signed_by"], reason])
        })
        .collect()
}

/// A server with nothing but the index of a registry and the files that it names, and its address.
fn index_server(place: &TestDirectory, registry: &str) -> (ChildGuard, String) {
    let download = |path: &str| -> Vec<u8> {
        let output = Command::new("curl")
            .args(["-sf", &format!("{registry}{path}")])
            .output();
        output.unwrap().stdout
    };
    let index: Value =
        serde_json::from_slice(&download("/.well-known/agent-skills/index.json")).unwrap();
    for skill in index["skills"].as_array().unwrap() {
        let path = skill["url"].as_str().unwrap();
        place.write(&format!("static{path}"), download(path));
    }
    let path = "static/.well-known/agent-skills/index.json";
    place.write(path, index.to_string());
    let port = prowess_testing::free_port().to_string();
    let mut python = Command::new("python3");
    python.args(["-m", "http.server", &port, "--bind", "127.0.0.1"]);
    python.arg("--directory").arg(place.path("static"));
    python.stdout(Stdio::null()).stderr(Stdio::null());
    let server = ChildGuard(python.spawn().unwrap());
    while std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
        std::thread::yield_now();
    }
    (server, format!("http://127.0.0.1:{port}"))
}

#[test]
fn rg15_a_registry_and_an_index_are_copied() {
    let place = TestDirectory::new();
    place
        .skill("skills/pdf", "Reads PDFs. Use for PDFs", "Read.\n")
        .skill("skills/csv", "Reads CSV. Use for tables", "Read.\n");
    for home in ["first", "second", "third"] {
        place.create(home);
    }
    let (_first, url) = serve(&place, "first", &["--seed", "skills"]);
    let token = command(
        &place,
        "first",
        &["token", "create", "ci", "--scope", "admin", "--quiet"],
    );
    let token = { token }.output().unwrap().stdout;
    let token = String::from_utf8(token).unwrap().trim().to_owned();
    place.write("login", &token);
    let mut login = command(&place, "first", &["login", &url, "--token-stdin"]);
    run(login.stdin(std::fs::File::open(place.path("login")).unwrap()));
    run(&mut command(
        &place,
        "first",
        &["pack", "--generate-key", "key"],
    ));
    place.write("skills/pdf/more.md", "More.\n");
    let publish = [
        "publish",
        "skills/pdf",
        "--yes",
        "--version",
        "0.2.0",
        "--sign",
        "key",
    ];
    run(&mut command(&place, "first", &publish));
    run(&mut command(
        &place,
        "first",
        &["yank", "pdf@0.1.0", "--reason", "old"],
    ));

    let mirror = ["registry", "mirror", &url, "--json"];
    let copied = |arguments: &[&str], home: &str| -> Value {
        let output = command(&place, home, arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{error}"))
    };
    let first = copied(&mirror, "second");
    assert_eq!(
        (&first["added"], &first["refused"]),
        (&3.into(), &serde_json::json!([]))
    );
    let again = copied(&mirror, "second");
    assert_eq!((&again["added"], &again["known"]), (&0.into(), &3.into()));
    let (_second, copy) = serve(&place, "second", &[]);
    for name in ["pdf", "csv"] {
        let expected = package(&place, "first", &url, name);
        assert_eq!(package(&place, "second", &copy, name), expected, "{name}");
        assert!(!expected.as_array().unwrap().is_empty());
    }
    // A yank that is undone there is undone here, while the server runs.
    run(&mut command(
        &place,
        "first",
        &["yank", "pdf@0.1.0", "--undo"],
    ));
    copied(&mirror, "second");
    let expected = package(&place, "first", &url, "pdf");
    assert_eq!(package(&place, "second", &copy, "pdf"), expected);

    let (_python, plain) = index_server(&place, &url);
    let mirror = ["registry", "mirror", &plain, "--json"];
    let first = copied(&mirror, "third");
    assert_eq!(
        (&first["added"], &first["refused"]),
        (&2.into(), &serde_json::json!([]))
    );
    let again = copied(&mirror, "third");
    assert_eq!((&again["added"], &again["known"]), (&0.into(), &2.into()));
}
