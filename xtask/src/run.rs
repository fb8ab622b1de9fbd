//! Starting other programs, and saying which one failed.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};

/// Runs a command on our own terminal; anything but success is an error that names it.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command))?;
    check(command, status)
}

/// An error that names the command, unless it succeeded.
pub(crate) fn check(command: &Command, status: ExitStatus) -> Result<()> {
    ensure!(status.success(), "`{}` ended with {status}", line(command));
    Ok(())
}

/// Whether the command can be started and succeeds; what it prints is dropped.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// What a command that has to succeed prints on standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| cannot_start(command))?;
    check(command, output.status)?;
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` printed something else than text", line(command)))
}

/// Runs a command, passing both its streams on while `pick` reads each line of them.
///
/// Gives what `pick` found together with the status, because a runner that fails has counted too.
pub(crate) fn stream<T: Send>(
    command: &mut Command,
    pick: fn(&str) -> Option<T>,
) -> Result<(ExitStatus, Vec<T>)> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| cannot_start(command))?;
    let stdout = child.stdout.take().context("no standard output")?;
    let stderr = child.stderr.take().context("no standard error")?;

    let picked = thread::scope(|scope| {
        let errors = scope.spawn(|| pass_on(stderr, io::stderr(), pick));
        let mut picked = pass_on(stdout, io::stdout(), pick)?;
        let errors = errors
            .join()
            .map_err(|_| anyhow!("the reader of standard error panicked"))?;
        picked.extend(errors?);
        anyhow::Ok(picked)
    });
    let status = child.wait().with_context(|| cannot_start(command))?;
    Ok((status, picked?))
}

/// Copies `from` to `to` line by line and keeps what `pick` finds.
fn pass_on<T>(
    from: impl Read,
    mut to: impl Write,
    pick: fn(&str) -> Option<T>,
) -> io::Result<Vec<T>> {
    let mut from = BufReader::new(from);
    let mut picked = Vec::new();
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        let text = String::from_utf8_lossy(&line);
        let plain = anstream::adapter::strip_str(&text).to_string();
        picked.extend(pick(plain.trim()));
        line.clear();
    }
    Ok(picked)
}

/// The command as a person would type it, without the directory of its program.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| quote(&word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", line(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_pasted_into_a_shell() {
        let mut command = Command::new("/somewhere/bin/python3");
        command.args(["-c", "print('a b')", "", "--x=1"]);
        assert_eq!(line(&command), r"python3 -c 'print('\''a b'\'')' '' --x=1");
    }

    #[test]
    fn a_failure_names_the_command_and_its_status() {
        let error = run(&mut Command::new("false")).unwrap_err();
        assert_eq!(error.to_string(), "`false` ended with exit status: 1");
    }

    #[test]
    fn lines_are_passed_on_as_they_are_and_read_without_colours() {
        let input = b"\x1b[1mseen\x1b[0m 1\nother \xff\nseen 2";
        let mut passed_on = Vec::new();
        let picked = pass_on(input.as_slice(), &mut passed_on, seen).unwrap();
        assert_eq!(passed_on, input);
        assert_eq!(picked, ["1", "2"]);
    }

    #[test]
    fn both_streams_of_a_failing_command_are_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo seen 1; echo seen 2 >&2; exit 3"]);
        let (status, picked) = stream(&mut command, seen).unwrap();
        assert_eq!(status.code(), Some(3));
        assert_eq!(picked, ["1", "2"]);
    }

    fn seen(line: &str) -> Option<String> {
        line.strip_prefix("seen ").map(str::to_owned)
    }
}
