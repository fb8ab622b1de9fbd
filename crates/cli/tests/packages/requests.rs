//! Many skills of one server cost few requests.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use prowess_testing::{ChildGuard, git, repository};

use crate::workshop::Workshop;

const SKILLS: usize = 8;

/// Serves the bare repository `skills.git` of a workshop; returns its URL, too.
fn serve(workshop: &Workshop) -> (ChildGuard, String) {
    let script = repository().join("crates/sources/tests/support/git_server.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(workshop.path("."));
    command.arg(workshop.path("requests.log"));
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut port).unwrap();
    let url = format!("http://127.0.0.1:{}/skills.git", port.trim());
    (ChildGuard(child), url)
}

/// The requests of a command, which must exit with this code.
fn requests(workshop: &Workshop, code: i32, arguments: &[&str]) -> usize {
    workshop.write("requests.log", "");
    workshop.expect(code, arguments);
    let log = fs::read_to_string(workshop.path("requests.log")).unwrap();
    log.lines().count()
}

#[test]
fn pk28_many_skills_of_one_server_cost_few_requests() {
    let workshop = Workshop::new();
    for index in 0..SKILLS {
        let directory = format!("repository/skills/s{index}");
        workshop.skill(&directory, "Does it.", "Do it.\n");
    }
    workshop.commit("many");
    let bare = workshop.path("skills.git");
    let clone = ["clone", "-q", "--bare", "repository", "skills.git"];
    git(workshop.path("."), &clone);
    git(&bare, &["config", "uploadpack.allowFilter", "true"]);
    let (_server, url) = serve(&workshop);
    // A greeting, the references, the trees; a greeting and the files of all skills.
    let added = requests(&workshop, 0, &["add", &url, "--all", "--yes"]);
    assert_eq!(added, 5);
    assert!(workshop.exists(&format!("project/.agents/skills/s{}", SKILLS - 1)));
    // A greeting and the references.
    assert_eq!(requests(&workshop, 0, &["outdated"]), 2);
    for index in 0..SKILLS {
        let path = format!("repository/skills/s{index}/more.md");
        workshop.write(&path, format!("{index}"));
    }
    workshop.commit("more");
    git(
        workshop.path("repository"),
        &["push", "-q", "../skills.git", "main"],
    );
    assert_eq!(requests(&workshop, 3, &["outdated"]), 7);
    // Their files are cached by now.
    assert_eq!(requests(&workshop, 3, &["outdated"]), 4);
    // Another user with an empty cache gets them with one request, too.
    fs::create_dir(workshop.path("clone")).unwrap();
    for name in ["prowess.lock", ".git"] {
        let (from, to) = (workshop.path("project"), workshop.path("clone"));
        prowess_testing::run(
            Command::new("cp")
                .arg("-a")
                .arg(from.join(name))
                .arg(to.join(name)),
        );
    }
    workshop.write("requests.log", "");
    workshop.expect_in("clone", 0, &["sync", "--frozen", "--yes"]);
    let log = fs::read_to_string(workshop.path("requests.log")).unwrap();
    assert_eq!(log.lines().count(), 4, "{log}");
}

#[test]
fn pk28_a_server_that_is_down_is_asked_once() {
    let workshop = Workshop::new();
    let clone = ["clone", "-q", "--bare", "repository", "skills.git"];
    git(workshop.path("."), &clone);
    let (server, url) = serve(&workshop);
    workshop.expect(0, &["add", &url, "--all", "--yes"]);
    fs::rename(workshop.path("skills.git"), workshop.path("gone.git")).unwrap();
    assert_eq!(requests(&workshop, 1, &["outdated"]), 1);
    assert_eq!(requests(&workshop, 1, &["update"]), 1);
    drop(server);
    workshop.expect(1, &["outdated"]);
}
