//! The pieces of a file that are programs.

use prowess_spec::{Position, Span};

use crate::code::{CodeLanguage, Unit};
use crate::decoded::looks_like_code;
use crate::limits::CODE_BYTES;
use crate::place::Places;
use crate::segment::Context;
use crate::text::Text;

/// A program, or a piece of one, with its place in a file.
#[derive(Debug)]
pub(crate) struct CodeUnit {
    /// The file.
    pub(crate) path: String,
    pub(crate) language: CodeLanguage,
    pub(crate) source: String,
    /// Where the source begins in the file.
    start: Position,
    kind: UnitKind,
}

/// Where a program stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// It is the file.
    File,
    /// It is a block of a document, often with parts left out.
    Block,
    /// It was decoded, and has no lines of its own in the file.
    Decoded,
}

impl CodeUnit {
    /// A program that was hidden in a file at `start`.
    pub(crate) fn decoded(path: &str, source: String, start: Position) -> Self {
        Self {
            path: path.to_owned(),
            language: guess(&source).unwrap_or(CodeLanguage::Shell),
            source,
            start,
            kind: UnitKind::Decoded,
        }
    }

    pub(crate) fn kind(&self) -> UnitKind {
        self.kind
    }

    pub(crate) fn as_unit(&self) -> Unit<'_> {
        Unit {
            path: &self.path,
            language: self.language,
            source: &self.source,
        }
    }

    /// The place in the file of a place in the source.
    pub(crate) fn position(&self, offset: usize) -> Position {
        if self.kind == UnitKind::Decoded {
            return self.start;
        }
        let inner = Places::new(&self.source).advance(offset);
        Position {
            line: self.start.line + inner.line - 1,
            column: if inner.line == 1 {
                self.start.column + inner.column - 1
            } else {
                inner.column
            },
            byte: self.start.byte + inner.byte,
        }
    }
}

/// The programs in a file.
pub(crate) fn units(text: &Text<'_>) -> Vec<CodeUnit> {
    let source = text.source();
    let unit = |span: Span, language: CodeLanguage, kind: UnitKind| CodeUnit {
        path: text.path().to_owned(),
        language,
        // What is too large is said by the analysis; one byte more than it takes is enough for that.
        source: head(span.slice(source)).to_owned(),
        start: Places::new(source).advance(span.start),
        kind,
    };
    if let Some(language) = of_file(text.path(), source) {
        return vec![unit(Span::new(0, source.len()), language, UnitKind::File)];
    }
    let segments: Vec<_> = text.segments.iter().collect();
    let ends = segments
        .iter()
        .skip(1)
        .map(|next| next.start)
        .chain([source.len()]);
    segments
        .iter()
        .zip(ends)
        .filter(|(segment, _)| matches!(segment.context, Context::Code(_)))
        .filter_map(|(segment, end)| {
            let block = Span::new(segment.start, end).slice(source);
            let (fence, body) = block.split_once('\n')?;
            let marks =
                fence.trim_start_matches(|c: char| " \t>-*+.".contains(c) || c.is_ascii_digit());
            let info = marks.trim_start_matches(['`', '~']);
            if info.len() + 3 > marks.len() {
                return None;
            }
            let start = segment.start + fence.len() + 1;
            let word = info
                .trim_start()
                .split(|c: char| !c.is_alphanumeric())
                .next()?;
            let language = match word {
                "" => guess(body)?,
                word => of_word(&word.to_ascii_lowercase())?,
            };
            // The closing marks are no part of the program.
            let length = body.trim_end_matches([' ', '\n', '\r', '`', '~']).len();
            (length > 0).then(|| unit(Span::new(start, start + length), language, UnitKind::Block))
        })
        .collect()
}

fn of_file(path: &str, source: &str) -> Option<CodeLanguage> {
    if let Some(line) = source
        .strip_prefix("#!")
        .and_then(|rest| rest.lines().next())
    {
        let program = line.split(['/', ' ']).find_map(of_program);
        if program.is_some() {
            return program;
        }
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let extension = name
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some(
            "md" | "mdx" | "markdown" | "mdc" | "rst" | "adoc" | "html" | "htm" | "json" | "csv"
            | "svg" | "xml",
        ) => None,
        Some(extension) => of_word(extension).or_else(|| guess(source)),
        None => guess(source),
    }
}

fn of_program(word: &str) -> Option<CodeLanguage> {
    match word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "python" | "pypy" | "uv" => Some(CodeLanguage::Python),
        "node" | "deno" | "bun" => Some(CodeLanguage::JavaScript),
        "sh" | "bash" | "zsh" | "dash" | "ksh" => Some(CodeLanguage::Shell),
        "pwsh" | "powershell" => Some(CodeLanguage::PowerShell),
        _ => None,
    }
}

fn of_word(word: &str) -> Option<CodeLanguage> {
    Some(match word {
        "py" | "python" | "python3" | "pyw" | "ipython" => CodeLanguage::Python,
        "js" | "mjs" | "cjs" | "javascript" | "node" | "jsx" => CodeLanguage::JavaScript,
        "ts" | "mts" | "cts" | "typescript" | "tsx" => CodeLanguage::TypeScript,
        "sh" | "bash" | "zsh" | "shell" | "console" | "terminal" | "shellsession" | "command" => {
            CodeLanguage::Shell
        }
        "ps1" | "psm1" | "powershell" | "pwsh" => CodeLanguage::PowerShell,
        _ => return None,
    })
}

/// The language of a program without a name for it.
fn guess(source: &str) -> Option<CodeLanguage> {
    if !looks_like_code(source) {
        return None;
    }
    let mut lines = source
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty());
    let begins = |words: &'static [&'static str]| {
        move |line: &str| words.iter().any(|word| line.starts_with(word))
    };
    let python = begins(&["import ", "from ", "def ", "exec(", "class "]);
    let script = begins(&[
        "const ",
        "let ",
        "var ",
        "function ",
        "require(",
        "eval(",
        "async ",
        "new Function",
    ]);
    let shell = begins(&[
        "curl ",
        "wget ",
        "echo ",
        "export ",
        "bash ",
        "sh ",
        "cat ",
        "sudo ",
        "eval ",
        "chmod ",
        "if [",
        "cd ",
        "mkdir ",
        "printf ",
        "python",
        "nc ",
        "tar ",
        "base64 ",
        "nslookup ",
        "dig ",
        "security ",
        "mkfifo ",
        "crontab ",
        "(crontab",
        "ssh ",
        "scp ",
        "rm ",
        "cp ",
        "mv ",
        "source ",
        "npm ",
        "npx ",
        "pip ",
        "git ",
        "openssl ",
    ]);
    lines.find_map(|line| {
        if line.ends_with(';') && script(line) || script(line) && !python(line) {
            Some(CodeLanguage::JavaScript)
        } else if python(line) {
            Some(CodeLanguage::Python)
        } else if shell(line) || is_assignment(line) {
            Some(CodeLanguage::Shell)
        } else {
            None
        }
    })
}

/// Whether a line of a shell keeps the output of a command: `KEY=$(...)`.
fn is_assignment(line: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    line.split_once("=$(")
        .is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(is_name))
}

fn head(source: &str) -> &str {
    let end = source.ceil_char_boundary(CODE_BYTES.saturating_add(1).min(source.len()));
    source.get(..end).unwrap_or(source)
}
