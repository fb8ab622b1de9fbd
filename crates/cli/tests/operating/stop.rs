//! Stopping the program.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use rustix::process::Signal;

use crate::server::{DEADLINE, Server};
use crate::support::TestProject;

const SERVE: [&str; 4] = ["serve", "--json", "--bind", "127.0.0.1:0"];
const REQUEST: &[u8] = b"GET /api/skills/a HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Reads one answer. `None` if the connection ends before it is complete.
fn answer(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.split("content-length: ").nth(1)?;
            let length: usize = length.lines().next()?.trim().parse().ok()?;
            if body.len() >= length {
                return Some(text.into_owned());
            }
        }
        match stream.read(&mut part) {
            Ok(count @ 1..) => bytes.extend_from_slice(&part[..count]),
            _ => return None,
        }
    }
}

/// Sends requests over one connection after another until none is accepted. Returns how many were answered, and when
/// those were sent that were not.
fn send_until_refused(port: u16) -> (usize, Vec<Instant>) {
    let (mut answered, mut lost) = (0, Vec::new());
    while let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        while stream.write_all(REQUEST).is_ok() {
            let sent = Instant::now();
            let Some(text) = answer(&mut stream) else {
                lost.push(sent);
                break;
            };
            assert!(text.starts_with("HTTP/1.1 200"), "{text}");
            answered += 1;
            if text.to_lowercase().contains("connection: close") {
                break;
            }
        }
    }
    (answered, lost)
}

#[test]
fn op10_no_request_is_lost_under_load() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    for signal in [Signal::TERM, Signal::INT, Signal::TERM] {
        let mut server = Server::start(&mut project.command(&SERVE));
        let all = Mutex::new((0, Vec::new()));
        let signalled = thread::scope(|scope| {
            for _ in 0..24 {
                scope.spawn(|| {
                    let (answered, lost) = send_until_refused(server.port);
                    let mut all = all.lock().unwrap();
                    all.0 += answered;
                    all.1.extend(lost);
                });
            }
            // Some that had an answer before and send a second request, and some that are new.
            let mut open: Vec<TcpStream> = (0..24).map(|_| server.connect()).collect();
            for stream in &mut open {
                stream.write_all(REQUEST).unwrap();
                assert!(answer(stream).is_some());
            }
            open.extend((0..24).map(|_| server.connect()));
            for stream in &mut open {
                stream.write_all(REQUEST).unwrap();
            }
            let signalled = Instant::now();
            server.signal(signal);
            for stream in &mut open {
                let text = answer(stream).expect("a request was lost");
                assert!(text.starts_with("HTTP/1.1 200"), "{text}");
            }
            signalled
        });
        assert!(server.child.wait().unwrap().success());
        let (answered, lost) = all.into_inner().unwrap();
        assert!(answered > 24, "{answered}");
        let lost = lost.iter().filter(|sent| **sent < signalled).count();
        assert_eq!(lost, 0, "of {answered} requests");
    }
}

/// A request whose body does not come.
fn unfinished(server: &Server) -> TcpStream {
    let mut stream = server.connect();
    let head = "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    // The server waits for it now.
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    stream
}

#[test]
fn op11_requests_that_have_begun_are_waited_for() {
    let project = TestProject::new();
    let mut server = Server::start(&mut project.command(&SERVE));
    let mut stream = unfinished(&server);
    server.signal(Signal::TERM);
    server.wait_for("stopping: ");
    server.wait_for("waiting for 1 connection; press Ctrl-C to stop at once");
    stream.write_all(b"{}").unwrap();
    let text = answer(&mut stream).unwrap();
    assert!(text.starts_with("HTTP/1.1 201"), "{text}");
    assert!(server.child.wait().unwrap().success());
    let arguments = [&SERVE[..], &["--drain-seconds", "0"]].concat();
    let mut server = Server::start(&mut project.command(&arguments));
    let mut stream = unfinished(&server);
    server.signal(Signal::TERM);
    server.wait_for("closed 1 connection after 0 s");
    assert!(server.child.wait().unwrap().success());
    assert_eq!(answer(&mut stream), None);
}

#[test]
fn op12_second_signal_stops_at_once() {
    let project = TestProject::new();
    let arguments = [&SERVE[..], &["--drain-seconds", "3600"]].concat();
    let mut server = Server::start(&mut project.command(&arguments));
    let _stream = unfinished(&server);
    server.signal(Signal::INT);
    server.wait_for("stopping: ");
    server.wait_for("waiting for 1 connection");
    server.signal(Signal::INT);
    server.wait_for("stopped at once");
    assert!(server.child.wait().unwrap().success());
}
