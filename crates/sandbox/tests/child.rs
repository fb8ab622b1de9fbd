//! What whoever starts a child sees of it, and that nothing of it is left.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use prowess_sandbox::{Command, Confinement, Isolation};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use support::{
    PYTHON, again_as_nobody, confinement, finish, processes_with, python, sandbox, shell, ways,
};

#[test]
fn codes_and_signals_are_reported() {
    for way in ways().into_iter().chain([Isolation::None]) {
        assert_eq!(shell(way, &confinement(), "exit 7").status.code(), Some(7));
        assert_eq!(
            shell(way, &confinement(), "exit 137").status.code(),
            Some(137)
        );
        assert_eq!(
            shell(way, &confinement(), "kill -9 $$").status.signal(),
            Some(9)
        );
        assert_eq!(
            shell(way, &confinement(), "kill -TERM $$").status.signal(),
            Some(15)
        );
        assert_eq!(
            python(way, &confinement(), "import os; os.abort()")
                .status
                .signal(),
            Some(6)
        );
        assert_eq!(
            shell(way, &confinement(), "kill -PIPE $$; exit 1")
                .status
                .signal(),
            Some(13)
        );
    }
}

#[test]
fn streams_carry_lines_both_ways() {
    for way in ways().into_iter().chain([Isolation::None]) {
        let mut child = sandbox(way)
            .spawn(&Command::new("/bin/cat"), &confinement())
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        for number in 0..100 {
            writeln!(input, "line {number}").unwrap();
            let mut line = String::new();
            lines.read_line(&mut line).unwrap();
            assert_eq!(line, format!("line {number}\n"));
        }
        assert_eq!(child.try_wait().unwrap(), None);
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert_eq!(child.try_wait().unwrap().unwrap().code(), Some(0));
        let mut rest = String::new();
        assert_eq!(lines.read_to_string(&mut rest).unwrap(), 0);
    }
}

#[test]
fn the_end_of_output_and_input_is_seen() {
    for way in ways().into_iter().chain([Isolation::None]) {
        let text = "import os, time; os.close(0); os.close(1); os.close(2); time.sleep(60)";
        let command = Command::new(PYTHON).arguments(["-I", "-c", text]);
        let mut child = sandbox(way).spawn(&command, &confinement()).unwrap();
        let mut output = Vec::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_end(&mut output)
            .unwrap();
        let error = child.stdin.take().unwrap().write_all(b"x").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe, "{way}");
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }
}

#[test]
fn environment_is_exactly_the_given_one() {
    for way in ways().into_iter().chain([Isolation::None]) {
        let own = Confinement {
            environment: vec![
                ("ONE".into(), "1".into()),
                ("TWO".into(), "zwei\nzeilen".into()),
            ],
            ..confinement()
        };
        let done = finish(
            sandbox(way)
                .spawn(&Command::new("/usr/bin/env").arguments(["-0"]), &own)
                .unwrap(),
        );
        assert_eq!(done.text(), "ONE=1\0TWO=zwei\nzeilen\0", "{way}");
    }
}

#[test]
fn killing_leaves_no_process() {
    for way in ways().into_iter().chain([Isolation::None]) {
        let mark = format!("leaves-nobody-{way}-{}", std::process::id());
        let text = "for i in 1 2 3; do (trap '' TERM HUP; setsid sh -c 'trap \"\" TERM; sleep 100; :' \"$0\") & done; echo ready; sleep 100";
        let command = Command::new("/bin/sh").arguments(["-c", text, &mark]);
        let mut child = sandbox(way).spawn(&command, &confinement()).unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut line).unwrap();
        child.kill().unwrap();
        let start = Instant::now();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "{way}");
        assert!(start.elapsed() < Duration::from_secs(5));
        assert_eq!(processes_with(&mark), [""; 0], "{way}");
    }
}

#[test]
fn dropping_ends_the_child() {
    for way in ways().into_iter().chain([Isolation::None]) {
        let mark = format!("dropped-{way}-{}", std::process::id());
        let command = Command::new("/bin/sh").arguments(["-c", "sleep 100; :", &mark]);
        let child = sandbox(way).spawn(&command, &confinement()).unwrap();
        assert!(!processes_with(&mark).is_empty());
        drop(child);
        assert_eq!(processes_with(&mark), [""; 0], "{way}");
    }
}

#[test]
fn killing_the_guard_ends_the_child() {
    let way = Isolation::Namespaces;
    let mark = format!("unguarded-{way}-{}", std::process::id());
    let command = Command::new("/bin/sh").arguments(["-c", "sleep 100; :", &mark]);
    let mut child = sandbox(way).spawn(&command, &confinement()).unwrap();
    let guard = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(guard, Signal::KILL).unwrap();
    // The output is closed when the last process that holds it is gone.
    let mut rest = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}

#[test]
#[ignore = "is the host of the one below"]
fn host() {
    let mark = std::env::var("MARK").unwrap();
    let command = Command::new("/bin/sh").arguments(["-c", "sleep 100; :", &mark]);
    let way = if std::env::var_os("BUBBLEWRAP").is_some() {
        Isolation::Bubblewrap
    } else {
        Isolation::Namespaces
    };
    let mut child = sandbox(way).spawn(&command, &confinement()).unwrap();
    println!("\nguard {}", child.id());
    child.wait().unwrap();
}

#[test]
fn the_child_ends_with_its_host() {
    for way in ways() {
        let mark = format!("hostless-{way}-{}", std::process::id());
        let mut host = process::Command::new(std::env::current_exe().unwrap());
        host.args(["--exact", "host", "--ignored", "--nocapture"]);
        host.env("MARK", &mark).stdout(process::Stdio::piped());
        if way == Isolation::Bubblewrap {
            host.env("BUBBLEWRAP", "1");
        }
        let mut host = host.spawn().unwrap();
        let lines = BufReader::new(host.stdout.take().unwrap()).lines();
        let guard = lines
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("guard ")?.parse().ok())
            .and_then(Pid::from_raw)
            .unwrap();
        let guard = pidfd_open(guard, PidfdFlags::empty()).unwrap();
        assert!(!processes_with(&mark).is_empty());
        host.kill().unwrap();
        host.wait().unwrap();
        // The guard is the last to go.
        let mut gone = [PollFd::new(&guard, PollFlags::IN)];
        let patience = Timespec {
            tv_sec: 20,
            tv_nsec: 0,
        };
        assert_eq!(poll(&mut gone, Some(&patience)).unwrap(), 1);
        assert_eq!(processes_with(&mark), [""; 0], "{way}");
    }
}

#[test]
fn a_child_outlives_the_thread_that_started_it() {
    for way in ways().into_iter().chain([Isolation::None]) {
        let start = move || {
            sandbox(way)
                .spawn(&Command::new("/bin/cat"), &confinement())
                .unwrap()
        };
        let mut child = thread::spawn(start).join().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"still here").unwrap();
        drop(input);
        assert_eq!(finish(child).text(), "still here", "{way}");
    }
}

#[test]
fn long_arguments_arrive_whole() {
    for way in ways() {
        let long = "x".repeat(100_000);
        let words = ["-I", "-c", "import sys; print(len(''.join(sys.argv[1:])))"];
        let command = Command::new(PYTHON).arguments(words);
        let command = command.arguments(std::iter::repeat_n(&long, 10));
        let done = finish(sandbox(way).spawn(&command, &confinement()).unwrap());
        assert_eq!(done.text(), "1000000\n", "{way}: {}", done.errors);
    }
}

#[test]
fn many_children_run_concurrently() {
    for way in ways() {
        let shared = sandbox(way);
        thread::scope(|scope| {
            let each = |number: usize| {
                let shared = &shared;
                move || {
                    let command = Command::new("/bin/sh")
                        .arguments(["-c".to_owned(), format!("echo {number}; exit {number}")]);
                    let done = finish(shared.spawn(&command, &confinement()).unwrap());
                    assert_eq!(done.text(), format!("{number}\n"), "{done:?}");
                    assert_eq!(done.status.code(), i32::try_from(number).ok());
                }
            };
            for number in 0..50 {
                scope.spawn(each(number));
            }
        });
    }
}

#[test]
fn codes_and_signals_are_reported_as_nobody() {
    again_as_nobody("codes_and_signals_are_reported");
}

#[test]
fn streams_carry_lines_as_nobody() {
    again_as_nobody("streams_carry_lines_both_ways");
}

#[test]
fn ends_are_seen_as_nobody() {
    again_as_nobody("the_end_of_output_and_input_is_seen");
}

#[test]
fn killing_leaves_no_process_as_nobody() {
    again_as_nobody("killing_leaves_no_process");
}

#[test]
fn many_children_run_concurrently_as_nobody() {
    again_as_nobody("many_children_run_concurrently");
}

#[test]
fn the_child_ends_with_its_host_as_nobody() {
    again_as_nobody("the_child_ends_with_its_host");
}
