//! Downloads that are run a few lines later.

use crate::address::Address;
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

/// How bad it is that what this line downloads is run later: the worst of its downloads counts. Nothing in between
/// excuses it: the author of the download also writes the digest that it is compared with.
fn staged(line: &str, rest: &str) -> Option<Severity> {
    let downloads: Vec<Download<'_>> = line
        .split([';', '|'])
        .flat_map(|part| part.split("&&"))
        .filter(|part| is_download(part))
        .flat_map(Download::of_command)
        .collect();
    let severity = |download: &Download<'_>| {
        let mut lines = rest.lines().take(STAGE_LINES + 1).enumerate();
        lines.find_map(|(index, later)| {
            if later.len() > WINDOW_BYTES {
                return None;
            }
            // On the line of the download, only what comes after it.
            let mut commands = later.split([';', '&']).skip(usize::from(index == 0));
            let how = commands.find_map(|command| runs(command, download.file))?;
            Some(download.severity(how))
        })?
    };
    downloads.iter().filter_map(severity).min()
}

struct Download<'l> {
    address: &'l str,
    file: &'l str,
}

impl<'l> Download<'l> {
    /// A download for each address of a command: which of them is a referrer or a proxy is not known here.
    fn of_command(command: &'l str) -> Vec<Self> {
        let words: Vec<&str> = command
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'', '`', '(', ')']))
            .collect();
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
        let addresses = words.iter().copied().filter(|word| word.contains("://"));
        addresses
            .filter_map(|address| {
                let last = address
                    .split(['?', '#'])
                    .next()
                    .and_then(|path| path.rsplit('/').next());
                let file = named.or(last.filter(|_| kept))?;
                (file.len() > 1 && !file.starts_with('-') && file != "/dev/null")
                    .then_some(Self { address, file })
            })
            .collect()
    }

    fn severity(&self, how: How) -> Option<Severity> {
        let Some(address) = Address::parse(self.address) else {
            // A part of it is made at run time.
            return Some(Severity::Medium);
        };
        if is_known_installer(&address) {
            return None;
        }
        let numeric = address.is_numeric();
        let local =
            address.host() == "localhost" || (numeric && !is_public_address(address.host()));
        if local {
            return None;
        }
        Some(match how {
            _ if address.is_anonymous() => Severity::High,
            How::Direct if address.host() == "github.com" => Severity::Low,
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
