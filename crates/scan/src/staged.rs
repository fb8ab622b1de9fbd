//! Downloads that are run a few lines later.

use crate::base::{is_known_installer, is_public_address};
use crate::fold::Folded;
use crate::limits::{STAGE_LINES, WINDOW_BYTES};
use crate::report::Severity;
use crate::scanner::{Hit, Scanner};
use crate::text::Text;

/// Finds a download to a file and the start of that file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StagedScanner;

impl Scanner for StagedScanner {
    fn scan(&self, text: &Text<'_>) -> Vec<Hit> {
        text.views().flat_map(downloads).collect()
    }
}

fn downloads(view: &Folded) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut at = 0;
    for line in view.text().split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.len() > WINDOW_BYTES || !is_download(line) {
            continue;
        }
        if let Some(severity) = staged(line, view.text().get(start..).unwrap_or_default()) {
            let span = view.original(start, start + line.trim_end().len());
            let hit = Hit::base("download-then-run", span);
            hits.extend(hit.map(|hit| hit.severity(severity)));
        }
    }
    hits
}

fn is_download(line: &str) -> bool {
    ["curl", "wget", "Invoke-WebRequest", "iwr "]
        .iter()
        .any(|word| memchr::memmem::find(line.as_bytes(), word.as_bytes()).is_some())
        && line.contains("://")
}

/// How bad it is that what this line downloads is run later. Nothing in between excuses it: the author of the
/// download also writes the digest that it is compared with.
fn staged(line: &str, rest: &str) -> Option<Severity> {
    let download = Download::parse(line)?;
    for (index, later) in rest.lines().take(STAGE_LINES + 1).enumerate() {
        if later.len() > WINDOW_BYTES {
            continue;
        }
        // On the line of the download, only what comes after it.
        let mut commands = later.split([';', '&']).skip(usize::from(index == 0));
        if let Some(how) = commands.find_map(|command| runs(command, download.file)) {
            return download.severity(how);
        }
    }
    None
}

struct Download<'l> {
    address: &'l str,
    file: &'l str,
}

impl<'l> Download<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        let command = line.split([';', '|']).find(|part| is_download(part))?;
        let command = command.split("&&").find(|part| is_download(part))?;
        let words: Vec<&str> = command
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'', '`', '(', ')']))
            .collect();
        let address = words.iter().copied().find(|word| word.contains("://"))?;
        let wget = command.contains("wget");
        let named = words.windows(2).find_map(|pair| match pair {
            [
                "-o" | "--output" | "-OutFile" | ">" | "--output-document",
                file,
            ] => Some(*file),
            ["-O", file] if wget && !file.contains("://") => Some(*file),
            [flags, file] if is_flags(flags, 'o') && !wget => Some(*file),
            _ => None,
        });
        let kept = wget
            || words
                .iter()
                .any(|word| is_flags(word, 'O') || *word == "--remote-name");
        let last = address
            .split(['?', '#'])
            .next()
            .and_then(|path| path.rsplit('/').next());
        let file = named.or(last.filter(|_| kept))?;
        (file.len() > 1 && !file.starts_with('-') && file != "/dev/null")
            .then_some(Self { address, file })
    }

    fn severity(&self, how: How) -> Option<Severity> {
        let lower = self.address.to_ascii_lowercase();
        let at = lower.find("://")?;
        if is_known_installer(&lower) {
            return None;
        }
        let host = lower.get(at + 3..)?.split(['/', ':']).next()?;
        let numeric = host.starts_with(|c: char| c.is_ascii_digit())
            && !host.contains(|c: char| c.is_ascii_alphabetic());
        let local = matches!(host, "localhost") || (numeric && !is_public_address(host));
        if local {
            return None;
        }
        let plain = lower.starts_with("http:") || lower.starts_with("ftp:");
        Some(match how {
            _ if plain || numeric => Severity::High,
            How::Direct if lower.contains("://github.com/") => Severity::Low,
            How::Interpreted | How::Direct => Severity::Medium,
        })
    }
}

/// Whether the word is a bundle of short flags, such as `-fsSLo`, that ends in `flag`.
fn is_flags(word: &str, flag: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with(flag) && word.len() <= 8
}

#[derive(Clone, Copy)]
enum How {
    /// By a shell or another interpreter.
    Interpreted,
    /// As a program.
    Direct,
}

fn runs(command: &str, file: &str) -> Option<How> {
    let name = file.rsplit('/').next().filter(|name| !name.is_empty())?;
    if !command.contains(name) {
        return None;
    }
    let words = command
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'', '`', '(', ')']));
    let mut words = words.skip_while(|word| {
        matches!(*word, "sudo" | "exec" | "nohup" | "$" | "#" | "then" | "do") || word.contains('=')
    });
    let first = words.next()?;
    let is_file =
        |word: &str| word == file || word.strip_prefix("./") == Some(file.trim_start_matches("./"));
    let program = first.rsplit('/').next().unwrap_or_default();
    let interpreter = matches!(
        program,
        "sh" | "bash"
            | "zsh"
            | "dash"
            | "source"
            | "."
            | "python"
            | "python3"
            | "node"
            | "perl"
            | "ruby"
            | "php"
            | "powershell"
            | "pwsh"
    );
    if interpreter {
        let script = words.find(|word| !word.starts_with('-'))?;
        return is_file(script).then_some(How::Interpreted);
    }
    let direct = is_file(first) && (first.contains('/') || first.starts_with('.'));
    let script = name.rsplit_once('.').is_some_and(|(_, extension)| {
        matches!(extension, "sh" | "py" | "js" | "pl" | "rb" | "ps1")
    });
    direct.then_some(if script {
        How::Interpreted
    } else {
        How::Direct
    })
}
