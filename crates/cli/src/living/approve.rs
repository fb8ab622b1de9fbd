//! Asking somebody at a terminal what a skill may do.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use prowess_policy::Right;
use prowess_runtime::{Answer, Approver, Question};
use prowess_scan::{File, Rules};
use prowess_spec::manifest::Permission;

use crate::audit::counted;
use crate::terminal;

/// Whoever sits at the terminal, if anybody does.
pub(crate) struct Terminal;

#[async_trait]
impl Approver for Terminal {
    async fn ask(&self, question: Question<'_>) -> Answer {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Answer::Nobody;
        }
        let asked = text(&question);
        let shown = show(&question);
        let nobody_waits = NobodyWaits::default();
        let stopped = Arc::clone(&nobody_waits.0);
        let answered = tokio::task::spawn_blocking(move || ask(&asked, &shown, &stopped));
        tokio::select! {
            answer = answered => answer.unwrap_or(Answer::Deny),
            // Whoever stops the question has not answered it.
            _ = tokio::signal::ctrl_c() => {
                terminal::note("");
                Answer::Nobody
            }
        }
    }
}

/// Ends the question when whoever asked is gone, so that the next line typed is not taken for an answer.
#[derive(Default)]
struct NobodyWaits(Arc<AtomicBool>);

impl Drop for NobodyWaits {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A line from the terminal, or nothing if nobody waits for it any more.
#[cfg(unix)]
fn read_line(stopped: &AtomicBool) -> Option<String> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let patience = Timespec {
        tv_sec: 0,
        tv_nsec: 50_000_000,
    };
    let stdin = io::stdin();
    let mut line = Vec::new();
    let mut bytes = [0; 1024];
    while !stopped.load(Ordering::Acquire) {
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut ready, Some(&patience)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            // What was typed since is for somebody else.
            Ok(_) if stopped.load(Ordering::Acquire) => return None,
            Ok(_) => {}
            Err(_) => return None,
        }
        // A terminal gives one line at a time, and nothing at its end.
        let count = rustix::io::read(&stdin, &mut bytes)
            .ok()
            .filter(|count| *count > 0)?;
        line.extend(bytes.get(..count)?);
        if line.ends_with(b"\n") {
            return Some(String::from_utf8_lossy(&line).into_owned());
        }
    }
    None
}

#[cfg(not(unix))]
fn read_line(_: &AtomicBool) -> Option<String> {
    let mut line = String::new();
    let read = io::BufRead::read_line(&mut io::stdin().lock(), &mut line);
    read.ok().filter(|count| *count > 0).map(|_| line)
}

fn text(question: &Question<'_>) -> String {
    let skill = question.skill;
    let version = question.manifest.map(|it| format!(" {}", it.version));
    let version = version.unwrap_or_default();
    let mut text = format!("The skill `{}`{version} wants to:\n", skill.id);
    for right in question.rights {
        let _ = writeln!(text, "  {:<13} {}", right.word(), meaning(*right));
    }
    if question.changed {
        text.push_str("It was approved before, and has changed since.\n");
    }
    text
}

fn ask(text: &str, shown: &str, stopped: &AtomicBool) -> Answer {
    terminal::note(terminal::printable(text).trim_end());
    loop {
        terminal::discard_input();
        let mut err = anstream::stderr().lock();
        let _ = write!(
            err,
            "Allow it? [o]nce, [a]lways, [s]how what it is, [D]eny: "
        );
        let _ = err.flush();
        drop(err);
        let Some(answer) = read_line(stopped) else {
            return Answer::Deny;
        };
        match answer.trim().to_lowercase().as_str() {
            "o" | "once" => return Answer::Once,
            "a" | "always" => return Answer::Always,
            "s" | "show" => terminal::note(&terminal::printable(shown)),
            "" | "d" | "deny" | "n" | "no" => return Answer::Deny,
            _ => {}
        }
    }
}

/// What a right lets a skill do.
fn meaning(right: Right) -> &'static str {
    let permission = match right {
        Right::Run => return "run its code, which sees nothing but what it is given",
        Right::Ask(permission) => permission,
    };
    match permission {
        Permission::FileRead => "read files of the project",
        Permission::FileWrite => "write files of the project",
        Permission::ShellExec => "run programs, as you",
        Permission::NetFetch => "fetch from the network",
        Permission::LlmCall => "ask the model, at your cost",
        Permission::GitRead => "read the repository",
        Permission::GitWrite => "stage and commit",
        Permission::EnvRead => "read environment variables, secrets among them",
        Permission::EnvWrite => "set environment variables for programs that it runs",
        Permission::SkillInvoke => "use the tools of other active skills",
    }
}

/// What somebody should see before deciding: what it consists of, what an audit says, and its code.
fn show(question: &Question<'_>) -> String {
    let skill = question.skill;
    let mut text = format!("{}\n  {}\n", skill.id, skill.subject().content);
    if let Some(manifest) = question.manifest {
        let _ = writeln!(text, "  {}", manifest.description);
    }
    let named = skill.files().map(|(path, bytes)| File {
        path: path.as_str(),
        bytes,
    });
    let report = Rules::base().scan(named, None);
    let severities: Vec<_> = report.findings.iter().map(|found| found.severity).collect();
    let _ = match severities.as_slice() {
        [] => writeln!(text, "  audit: nothing found"),
        found => writeln!(
            text,
            "  audit: {} (`prowess audit {}`)",
            counted(found),
            skill.id
        ),
    };
    for (path, bytes) in skill.files() {
        let _ = writeln!(text, "  {path} ({} bytes)", bytes.len());
    }
    let implementation = question.manifest.and_then(|it| it.implementation.as_ref());
    let entrypoint = implementation.and_then(|it| it.entrypoint.as_ref());
    if let Some(path) = entrypoint
        && let Some(Ok(code)) = skill.file(path).map(std::str::from_utf8)
    {
        let _ = writeln!(text, "\n{path}:\n{code}");
    }
    text
}
