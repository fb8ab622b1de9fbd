//! A worker that locked itself down, told to break out.
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use prowess_sandbox::{Layers, Limits, Seccomp, lock_down};

/// Tells what the worker says from what its surroundings say.
const SAID: &str = "worker> ";

#[test]
#[ignore = "is the worker of the others"]
fn worker() {
    let limits = Limits {
        address_space: 1 << 30,
        cpu_seconds: 2,
        ..Limits::default()
    };
    let layers = lock_down(&limits).unwrap();
    println!("\n{SAID}{}", serde_json::to_string(&layers).unwrap());
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let done = act(&line);
        let said = done.unwrap_or_else(|error| format!("{:?}", error.raw_os_error()));
        println!("{SAID}{line}: {said}");
    }
}

fn act(line: &str) -> io::Result<String> {
    let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
    match what {
        "read" => fs::read(rest).map(|bytes| format!("{} bytes", bytes.len())),
        "write" => fs::write(rest, "x").map(|()| "written".to_owned()),
        "list" => fs::read_dir(rest).map(|_| "listed".to_owned()),
        "stat" => fs::metadata(rest).map(|_| "seen".to_owned()),
        "unlink" => fs::remove_file(rest).map(|()| "gone".to_owned()),
        "open" => File::open(rest).map(|_| "open".to_owned()),
        "run" => Command::new(rest).status().map(|status| status.to_string()),
        "tcp" => TcpStream::connect(rest).map(|_| "connected".to_owned()),
        "listen" => TcpListener::bind(rest).map(|_| "listens".to_owned()),
        "udp" => UdpSocket::bind(rest).map(|_| "bound".to_owned()),
        "unix" => UnixStream::connect(rest).map(|_| "connected".to_owned()),
        "pair" => UnixDatagram::pair().map(|_| "paired".to_owned()),
        "kill" => {
            let pid = rustix::process::Pid::from_raw(rest.parse().unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::CONT)?;
            Ok("signalled".to_owned())
        }
        "thread" => {
            let made = thread::Builder::new().spawn(|| (0..1000_u32).sum::<u32>())?;
            Ok(made.join().unwrap().to_string())
        }
        "memory" => {
            let mut bytes: Vec<u8> = Vec::new();
            let wanted = rest.parse().unwrap();
            let got = bytes.try_reserve_exact(wanted);
            Ok(got.map_or("refused", |()| "there").to_owned())
        }
        "spin" => loop {
            std::hint::spin_loop();
        },
        "say" => Ok("said".to_owned()),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

fn run_worker(lines: &[&str]) -> (Vec<String>, Output) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "worker",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(lines.join("\n").as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text.lines().filter_map(|line| line.strip_prefix(SAID));
    (said.map(str::to_owned).collect(), output)
}

fn check(line: &str, expected: &str) {
    let (said, output) = run_worker(&[line, "say"]);
    let expected = [format!("{line}: {expected}"), "say: said".to_owned()];
    assert_eq!(said.get(1..), Some(&expected[..]), "{output:?}");
}

#[test]
fn layers_are_reported() {
    let (said, output) = run_worker(&[]);
    let layers: Layers = serde_json::from_str(said.first().unwrap()).unwrap();
    assert_eq!(layers.seccomp, Seccomp::Allowing);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn forbidden_operations_fail() {
    let own = format!("kill {}", std::process::id());
    for line in [
        "read /etc/passwd",
        "read /proc/self/environ",
        "write /tmp/prowess-locked",
        "list /",
        "stat /etc/passwd",
        "unlink /tmp/prowess-locked",
        "open /dev/null",
        "tcp 127.0.0.1:9",
        "listen 127.0.0.1:0",
        "udp 127.0.0.1:0",
        "unix /run/x",
        "pair",
        &own,
    ] {
        check(line, "Some(1)");
    }
    assert!(!Path::new("/tmp/prowess-locked").exists());
}

#[test]
fn no_program_can_be_started() {
    let (said, output) = run_worker(&["run /bin/true", "say"]);
    assert_eq!(
        said.get(2).map(String::as_str),
        Some("say: said"),
        "{output:?}"
    );
    assert!(
        !said.iter().any(|line| line.contains("exit status")),
        "{said:?}"
    );
}

#[test]
fn allowed_operations_succeed() {
    check("thread", "499500");
    check("memory 1000000", "there");
    check("memory 10000000000", "refused");
}

#[test]
fn time_is_bounded() {
    let (_, output) = run_worker(&["spin"]);
    assert!(output.status.signal().is_some(), "{output:?}");
}
