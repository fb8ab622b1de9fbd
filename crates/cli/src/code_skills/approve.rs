//! Asks the user at the terminal for approvals.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use prowess_policy::Right;
use prowess_runtime::{
    ApprovalDecision, ApprovalRequest, Approver, CommandApprovalRequest, CommandDecision,
    ProtectedWriteRequest, WriteDecision,
};
use prowess_scan::{File, Verdict};
use prowess_spec::manifest::Permission;

use super::approve_write::{ask_write, write_text};
use super::jails::base_rules;
use crate::interrupts::Interrupts;
use crate::severities::count_severities;
use crate::{pages, terminal};

/// Asks at the terminal; unavailable without one.
pub(crate) struct TerminalApprover;

#[async_trait]
impl Approver for TerminalApprover {
    async fn ask(&self, request: ApprovalRequest<'_>) -> ApprovalDecision {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return ApprovalDecision::Unavailable;
        }
        let asked = approval_text(&request);
        let shown = skill_details(&request);
        let everywhere = request.may_count_everywhere();
        let answer = ask_blocking(move |stopped| ask(&asked, &shown, everywhere, stopped));
        answer.await.unwrap_or(ApprovalDecision::Unavailable)
    }

    async fn ask_command(&self, request: CommandApprovalRequest<'_>) -> CommandDecision {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return CommandDecision::Unavailable;
        }
        let asked = command_text(&request);
        let program = request.program().map(str::to_owned);
        let may_be_stored = request.may_be_stored();
        let ask = move |stopped: &AtomicBool| {
            ask_command(&asked, may_be_stored, program.as_deref(), stopped)
        };
        let answer = ask_blocking(ask);
        answer.await.unwrap_or(CommandDecision::Unavailable)
    }

    async fn ask_write(&self, request: ProtectedWriteRequest<'_>) -> WriteDecision {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return WriteDecision::Unavailable;
        }
        let asked = write_text(&request);
        let answer = ask_blocking(move |stopped| ask_write(&asked, stopped));
        answer.await.unwrap_or(WriteDecision::Unavailable)
    }
}

/// Asks on a blocking thread; returns `None` if Ctrl-C cancels the question.
async fn ask_blocking<T: Send + 'static>(
    ask: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Option<T> {
    let cancel_on_drop = CancelOnDrop::default();
    let stopped = Arc::clone(&cancel_on_drop.0);
    // Before the question is shown.
    let mut interrupts = Interrupts::listen().ok()?;
    let answered = tokio::task::spawn_blocking(move || ask(&stopped));
    tokio::select! {
        answer = answered => answer.ok(),
        () = interrupts.interrupted() => {
            terminal::note("");
            None
        }
    }
}

/// Cancels the question when its future is dropped, so that the next typed line is not taken as the answer.
#[derive(Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Reads a line from the terminal; `None` at its end or after cancellation.
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
            // Input after the cancellation belongs to the next reader.
            Ok(_) if stopped.load(Ordering::Acquire) => return None,
            Ok(_) => {}
            Err(_) => return None,
        }
        // A terminal returns one line per read, and nothing at end of file.
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

/// Describes what a skill wants to do.
pub(crate) fn approval_text(request: &ApprovalRequest<'_>) -> String {
    let skill = request.skill;
    let version = request.manifest.map(|it| format!(" {}", it.version));
    let version = version.unwrap_or_default();
    let mut text = format!("The skill `{}`{version} wants to:\n", skill.id);
    for right in request.rights {
        let _ = writeln!(text, "  {:<13} {}", right.as_str(), meaning_of(*right));
    }
    if request.changed {
        text.push_str("It changed since its last approval.\n");
    }
    for file in request.changed_files {
        let _ = writeln!(text, "  {:<13} {}", file.change.as_str(), file.path);
    }
    text
}

/// Prints a question and reads the answer in lower case.
pub(super) fn prompt(request: &str, stopped: &AtomicBool) -> Option<String> {
    terminal::discard_input();
    let mut err = anstream::stderr().lock();
    let _ = write!(err, "{request}");
    let _ = err.flush();
    drop(err);
    let line = read_line(stopped)?;
    Some(line.trim().to_lowercase())
}

fn ask(text: &str, shown: &str, everywhere: bool, stopped: &AtomicBool) -> ApprovalDecision {
    if !show_all(text, stopped) {
        return ApprovalDecision::Deny;
    }
    let request = if everywhere {
        "Allow it? [o]nce, [a]lways here, [e]verywhere, [s]how details, [D]eny: "
    } else {
        "Allow it? [o]nce, [a]lways here, [s]how details, [D]eny: "
    };
    loop {
        let Some(answer) = prompt(request, stopped) else {
            return ApprovalDecision::Deny;
        };
        match answer.as_str() {
            "o" | "once" => return ApprovalDecision::Once,
            "a" | "always" => return ApprovalDecision::Always,
            "e" | "everywhere" if everywhere => return ApprovalDecision::Everywhere,
            "s" | "show" => terminal::note(&terminal::printable(shown)),
            "" | "d" | "deny" | "n" | "no" => return ApprovalDecision::Deny,
            _ => {}
        }
    }
}

/// Describes a command: its words, directory, input and reach.
pub(crate) fn command_text(request: &CommandApprovalRequest<'_>) -> String {
    let words: Vec<String> = request.command.iter().map(|word| quoted(word)).collect();
    let mut text = format!(
        "The skill `{}` wants to run:\n  {}\n  in {}\n",
        request.skill,
        words.join(" "),
        quoted(&request.directory.display().to_string()),
    );
    for (name, value) in request.variables {
        let _ = writeln!(text, "  with {}={}", quoted(name), quoted(value));
    }
    if let Some(stdin) = request.stdin {
        let _ = writeln!(text, "  reading {}", quoted(stdin));
    }
    let _ = write!(text, "  {}", request.reach);
    text
}

/// Quotes a word for a shell on a single line; control characters are escaped.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if word.chars().any(char::is_control) {
        let escaped: String = word
            .chars()
            .flat_map(|c| {
                let special = c.is_control() || matches!(c, '\'' | '\\');
                let escaped = special.then(|| c.escape_default());
                escaped.into_iter().flatten().chain((!special).then_some(c))
            })
            .collect();
        return format!("$'{escaped}'");
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Shows a text page by page; whether the user has seen all of it. What was not shown cannot be allowed.
pub(super) fn show_all(text: &str, stopped: &AtomicBool) -> bool {
    pages::show_all(text, |question| prompt(question, stopped))
}

fn ask_command(
    text: &str,
    may_be_stored: bool,
    program: Option<&str>,
    stopped: &AtomicBool,
) -> CommandDecision {
    if !show_all(text, stopped) {
        return CommandDecision::Deny;
    }
    let program_choice = program.map_or(String::new(), |program| {
        format!(
            " always any `{}` [p]rogram here,",
            terminal::printable(program)
        )
    });
    let always = if may_be_stored {
        " [a]lways this command here,"
    } else {
        ""
    };
    let request = format!("Run it? [o]nce,{always}{program_choice} [D]eny: ");
    loop {
        let Some(answer) = prompt(&request, stopped) else {
            return CommandDecision::Deny;
        };
        match answer.as_str() {
            "o" | "once" => return CommandDecision::Once,
            "a" | "always" if may_be_stored => return CommandDecision::AlwaysCommand,
            "p" | "program" if program.is_some() => return CommandDecision::AlwaysProgram,
            "" | "d" | "deny" | "n" | "no" => return CommandDecision::Deny,
            _ => {}
        }
    }
}

/// Describes what a right allows.
fn meaning_of(right: Right) -> &'static str {
    match right {
        Right::Run => "run its code, with only the access listed here",
        Right::Ask(permission) => meaning(permission),
    }
}

/// What a permission allows, as an infinitive.
pub(crate) fn meaning(permission: Permission) -> &'static str {
    match permission {
        Permission::FileRead => "read project files",
        Permission::FileWrite => "write project files",
        Permission::ShellExec => "run commands; you are asked about each one",
        Permission::NetFetch => "send requests to public hosts",
        Permission::LlmCall => "call the model, at your cost",
        Permission::GitRead => "read the git repository",
        Permission::GitWrite => "stage and commit changes",
        Permission::EnvRead => "read environment variables, including secrets",
        Permission::EnvWrite => "set environment variables for its commands",
        Permission::SkillInvoke => "call tools of other active skills",
        Permission::HookTools => "see and change all tool calls",
    }
}

/// Describes a skill for a decision: its digest, audit result, files and code.
pub(crate) fn skill_details(request: &ApprovalRequest<'_>) -> String {
    let skill = request.skill;
    let mut text = format!("{}\n  {}\n", skill.id, skill.subject().content);
    if let Some(manifest) = request.manifest {
        let _ = writeln!(text, "  {}", manifest.description);
    }
    let named = skill.files().map(|(path, bytes)| File {
        path: path.as_str(),
        bytes,
    });
    let report = base_rules().scan(named, None);
    let severities: Vec<_> = report.findings.iter().map(|found| found.severity).collect();
    for unread in report.unread_code() {
        let (path, reason) = (&unread.file, &unread.reason);
        let _ = writeln!(text, "  audit: unverified: not read: {path}: {reason}");
    }
    let _ = match severities.as_slice() {
        [] if report.verdict() == Verdict::Unverified => Ok(()),
        [] => writeln!(text, "  audit: nothing found"),
        found => writeln!(
            text,
            "  audit: {} (`prowess audit {}`)",
            count_severities(found),
            skill.id
        ),
    };
    for (path, bytes) in skill.files() {
        let _ = writeln!(text, "  {path} ({} bytes)", bytes.len());
    }
    let implementation = request.manifest.and_then(|it| it.implementation.as_ref());
    let entrypoint = implementation.and_then(|it| it.entrypoint.as_ref());
    if let Some(path) = entrypoint
        && let Some(Ok(code)) = skill.file(path).map(std::str::from_utf8)
    {
        let _ = writeln!(text, "\n{path}:\n{code}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q17_no_command_draws_lines_of_its_own() {
        assert_eq!(quoted("cargo"), "cargo");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
        let fake = format!(
            "id{}\nThe skill `core-tools` wants to run:",
            "\n".repeat(60)
        );
        let shown = quoted(&fake);
        assert!(
            !shown.contains('\n') && shown.starts_with("$'id\\n"),
            "{shown}"
        );
    }
}
