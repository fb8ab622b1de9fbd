//! Rate limits of the program.

use std::io::{Read as _, Write as _};
use std::time::Instant;

use crate::server::{DEADLINE, Server};
use crate::support::TestProject;

/// The statuses of many requests that are sent at once.
fn burst(server: &Server, count: usize, headers: &str) -> Vec<u16> {
    let mut stream = server.connect();
    let mut writer = stream.try_clone().unwrap();
    let one = format!("GET /api/skills/a HTTP/1.1\r\nHost: localhost\r\n{headers}");
    let last = format!("{one}Connection: close\r\n\r\n");
    let all = format!("{one}\r\n").repeat(count - 1) + &last;
    let sent = std::thread::spawn(move || writer.write_all(all.as_bytes()));
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    sent.join().unwrap().unwrap();
    let text = String::from_utf8(answers).unwrap();
    let statuses = text.split("HTTP/1.1 ").skip(1);
    statuses
        .map(|it| it.split(' ').next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn op9_other_machines_are_limited_by_default_and_this_one_is_not() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let local = Server::start(&mut project.command(&["serve", "--json", "--bind", "127.0.0.1:0"]));
    let statuses = burst(&local, 1_000, "");
    assert_eq!(statuses.len(), 1_000);
    assert!(statuses.iter().all(|status| *status == 200));

    let secret = "s3cret-s3cret-s3cret";
    let header = format!("Authorization: Bearer {secret}\r\n");
    let mut command = project.command(&["serve", "--json", "--bind", "0.0.0.0:0"]);
    let anywhere = Server::start(command.env("PROWESS_TOKEN", secret));
    // Until more were sent than a slow machine may answer in this time.
    let began = Instant::now();
    let mut answered = 0;
    loop {
        let statuses = burst(&anywhere, 500, &header);
        answered += statuses.iter().filter(|status| **status == 200).count() as u64;
        if statuses.contains(&429) {
            break;
        }
        assert!(
            began.elapsed() < DEADLINE,
            "{answered} requests were answered"
        );
    }
    let allowed = 200 + 100 * (began.elapsed().as_secs() + 1);
    assert!(
        (200..=allowed).contains(&answered),
        "{answered} of {allowed}"
    );

    let mut command = project.command(&[
        "serve",
        "--json",
        "--bind",
        "0.0.0.0:0",
        "--rate-limit",
        "0",
    ]);
    let unlimited = Server::start(command.env("PROWESS_TOKEN", secret));
    let statuses = burst(&unlimited, 1_000, &header);
    assert!(statuses.iter().all(|status| *status == 200));
}
