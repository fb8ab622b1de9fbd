//! Skills that are changed over HTTP while others use their directory.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::server::Server;
use crate::support::TestProject;

const SKILLS: &str = ".agents/skills";

/// The answer to a request with headers: its status, its head and its body.
fn ask(server: &Server, method: &str, target: &str, headers: &str, body: &str) -> (u16, String) {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(2)))
        .unwrap();
    let (length, token) = (body.len(), &server.token);
    write!(
        stream,
        "{method} {target} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    (status, text)
}

fn etag(server: &Server, target: &str) -> String {
    let (status, text) = ask(server, "GET", target, "", "");
    assert_eq!(status, 200, "{text}");
    let lines = text.lines();
    let mut tags = lines.filter_map(|line| line.split_once(": "));
    let tag = tags.find(|(name, _)| name.eq_ignore_ascii_case("etag"));
    tag.unwrap().1.to_owned()
}

fn time_of(path: &Path) -> (i64, i64) {
    let metadata = fs::metadata(path).unwrap();
    (metadata.ctime(), metadata.ctime_nsec())
}

/// A removal that is refused moves nothing, so that a kill in the middle finds the skill in its place.
#[test]
fn du18_a_refused_removal_does_not_move_the_skill() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    project.write(".agents/skills/a/.env", "secret");
    let server = Server::start(&project, &[]);
    let tag = etag(&server, "/api/skills/a");
    let before = time_of(&project.path(SKILLS));
    let header = format!("If-Match: {tag}\r\n");
    let (status, text) = ask(&server, "DELETE", "/api/skills/a", &header, "");
    assert_eq!(status, 403, "{text}");
    assert_eq!(time_of(&project.path(SKILLS)), before, "it was moved");
    fs::remove_file(project.path(".agents/skills/a/.env")).unwrap();
    let (status, text) = ask(&server, "DELETE", "/api/skills/a", &header, "");
    assert_eq!(status, 204, "{text}");
    assert_eq!(fs::read_dir(project.path(SKILLS)).unwrap().count(), 0);
}

/// What a killed server was about to remove is back; what it had begun to erase goes.
#[test]
fn du18_a_killed_removal_is_undone_at_the_start() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    project.skill(".agents/skills/deep/er/b");
    project.skill(".agents/skills/c");
    let skills = project.path(SKILLS);
    let moved = |from: &str, to: &str| fs::rename(skills.join(from), skills.join(to)).unwrap();
    moved("a", ".prowess-removing-prowess-1-0=a");
    moved("deep/er/b", ".prowess-removing-prowess-1-1=deep%2Fer%2Fb");
    moved("c", ".prowess-removed-prowess-1-2=c");
    // A user has another skill in the place of one of them.
    project.skill(".agents/skills/d");
    project.skill(".agents/skills/e");
    moved("e", ".prowess-removing-prowess-1-3=d");
    let server = Server::start(&project, &[]);
    for (skill, status) in [("a", 200), ("deep%2Fer%2Fb", 200), ("c", 404), ("d", 200)] {
        let found = server.ask("GET", &format!("/api/skills/{skill}"), &Value::Null);
        assert_eq!(found.0, status, "{skill}: {}", found.1);
    }
    let left = fs::read_dir(&skills).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = left.filter(|name| name.starts_with('.')).collect();
    assert_eq!(left, [".prowess-removing-prowess-1-3=d"]);
    let log = server.terminate();
    assert!(log.contains("put back 2 skills"), "{log}");
}

/// Another process has the lock of the directory, as a command that changes it has.
#[test]
fn du19_a_write_waits_two_seconds_for_the_lock() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let server = Server::start(&project, &[]);
    let lock = fs::File::open(project.path(SKILLS)).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let put = || {
        let body = json!("x").to_string();
        ask(
            &server,
            "PUT",
            "/api/skills/a/files/x.txt",
            "If-None-Match: *\r\n",
            &body,
        )
    };
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let (status, text) = put();
                assert_eq!(status, 503, "{text}");
                assert!(text.to_lowercase().contains("retry-after: 1"), "{text}");
            });
        }
    });
    let took = began.elapsed();
    assert!(took < Duration::from_secs(15), "{took:?}");
    flock(&lock, FlockOperation::Unlock).unwrap();
    assert_eq!(put().0, 201);
}
