//! A file as the scanners see it.

use std::borrow::Cow;

use crate::fold::{self, Folded, Lines};
use crate::segment::{Context, Language, Segments, language};

/// A file of a skill, read by the caller.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Its path in the skill. Any text: a file with an odd name must not escape a scan.
    pub path: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// A file that is text, with what is known about its parts.
#[derive(Debug)]
pub struct Text<'a> {
    path: &'a str,
    source: &'a str,
    pub(crate) segments: Segments,
    pub(crate) code: Folded,
    literal: Option<Folded>,
    pub(crate) prose: Folded,
    lines: Lines,
}

impl<'a> Text<'a> {
    /// Splits and folds `source`.
    pub fn new(path: &'a str, source: &'a str) -> Self {
        let kind = kind(path, source);
        let segments = match kind {
            SourceKind::Markdown => Segments::markdown(source),
            SourceKind::Code(language) => Segments::whole(Context::Code(language)),
        };
        // The declared language counts: an interpreter that reads a command from a string, or a model that reads a
        // block of another language, still runs it.
        let other = segments
            .iter()
            .any(|segment| !matches!(segment.context, Context::Code(Language::Shell)));
        let lines = lines(path, &kind);
        let has_escape = memchr::memchr(b'\\', source.as_bytes()).is_some();
        Self {
            code: fold::code(source, &segments),
            literal: (other || has_escape).then(|| fold::literal(source)),
            prose: fold::prose(source, &segments, lines),
            lines,
            path,
            source,
            segments,
        }
    }

    /// The file's path in the skill.
    pub fn path(&self) -> &'a str {
        self.path
    }

    /// The text. Bytes that were not UTF-8 are question marks; offsets are those of the file.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// The commands of the file, once for each way to read them.
    pub(crate) fn views(&self) -> impl Iterator<Item = &Folded> {
        std::iter::once(&self.code).chain(&self.literal)
    }

    /// Whether the sentences of two lines belong together.
    pub(crate) fn joins_lines(&self) -> bool {
        self.lines == Lines::Paragraphs
    }

    /// The text at a byte.
    pub fn context(&self, offset: usize) -> Context {
        self.segments.context(offset)
    }
}

enum SourceKind {
    Markdown,
    Code(Language),
}

/// By shebang, then by name; other text is read as prose.
fn kind(path: &str, source: &str) -> SourceKind {
    if let Some(shebang) = source.strip_prefix("#!") {
        let line = shebang.lines().next().unwrap_or_default();
        let shell = line
            .split(['/', ' '])
            .any(|word| language(word) == Language::Shell && !word.is_empty());
        return SourceKind::Code(if shell {
            Language::Shell
        } else {
            Language::Other
        });
    }
    match extension(path).as_str() {
        "md" | "mdx" | "markdown" | "mdc" | "txt" | "rst" | "adoc" | "html" | "htm" | "" => {
            SourceKind::Markdown
        }
        word => SourceKind::Code(language(word)),
    }
}

fn lines(path: &str, kind: &SourceKind) -> Lines {
    match (kind, extension(path).as_str()) {
        (SourceKind::Markdown, _) => Lines::Paragraphs,
        (_, "yaml" | "yml" | "svg" | "xml" | "toml" | "ini") => Lines::Data,
        _ => Lines::Code,
    }
}

/// Whether the name is that of an image, a sound, a font or a page, which are not run.
pub(crate) fn is_named_passive(path: &str) -> bool {
    const PASSIVE: &[&str] = &[
        "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "pdf", "otf", "ttf", "woff", "woff2",
        "mp3", "ogg", "wav", "mp4", "m4a", "mov",
    ];
    PASSIVE.contains(&extension(path).as_str())
}

/// Whether a Python file names an encoding in which its letters stand for others.
pub(crate) fn declares_encoding(bytes: &[u8]) -> bool {
    let declared = bytes.split(|byte| *byte == b'\n').take(2).find_map(|line| {
        let line = std::str::from_utf8(line).ok()?;
        let (before, after) = line.split_once("coding")?;
        let name = after.strip_prefix([':', '='])?.trim_start();
        let name = name.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
        (before.trim_start().starts_with('#')).then(|| name.take(1).collect::<String>())
    });
    declared.is_some_and(|name| {
        let plain = name.to_ascii_lowercase().replace('_', "-");
        ![
            "utf-8",
            "utf8",
            "utf-8-sig",
            "ascii",
            "us-ascii",
            "latin-1",
            "latin1",
            "iso-8859-1",
        ]
        .contains(&plain.as_str())
    })
}

/// Whether the name or the first line indicates a script or text.
pub(crate) fn claims_to_be_text(path: &str, bytes: &[u8]) -> bool {
    const TEXT: &[&str] = &[
        "md", "mdx", "markdown", "txt", "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs",
        "ts", "rb", "pl", "php", "lua", "ps1", "psm1", "bat", "cmd", "yaml", "yml", "json", "toml",
        "star", "html",
    ];
    bytes.starts_with(b"#!") || TEXT.contains(&extension(path).as_str())
}

/// The extension in lower case; for `Dockerfile` and `Makefile` the name.
fn extension(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let word = match name.rsplit_once('.') {
        Some(("", _)) => "rc",
        Some((_, extension)) => extension,
        None if name.eq_ignore_ascii_case("dockerfile")
            || name.eq_ignore_ascii_case("makefile") =>
        {
            name
        }
        None => "",
    };
    word.to_ascii_lowercase()
}

/// The bytes as text of the same length: what is not UTF-8 becomes `?`, and a NUL a blank.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(0, bytes).is_none()
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    Cow::Owned(text.replace('\0', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_come_from_shebang_and_name() {
        let context = |path, source| Text::new(path, source).context(0);
        assert_eq!(context("a.md", "x"), Context::Prose);
        assert_eq!(context("LICENSE", "x"), Context::Prose);
        assert_eq!(
            context("run", "#!/usr/bin/env bash\n"),
            Context::Code(Language::Shell)
        );
        assert_eq!(
            context("run", "#!/usr/bin/python3\n"),
            Context::Code(Language::Other)
        );
        assert_eq!(context("a/Dockerfile", "x"), Context::Code(Language::Shell));
        assert_eq!(context("a.PS1", "x"), Context::Code(Language::Windows));
        assert_eq!(context("a.json", "x"), Context::Code(Language::Other));
    }

    #[test]
    fn offsets_survive_bytes_that_are_not_text() {
        let bytes = b"a\xff\xfe\0b\xc3\xa9";
        let text = lossy(bytes);
        assert_eq!(text, "a?? bé");
        assert_eq!(text.len(), bytes.len());
    }
}
