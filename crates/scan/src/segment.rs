//! The parts of a file: what instructs a model, and what is code.

/// The kind of text at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Text for a reader, human or model.
    Prose,
    /// An HTML comment: text for a model that a human does not see.
    Comment,
    /// A script, or a block of code.
    Code(Language),
}

/// Languages with different quoting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Any Unix shell, and code in an unknown language.
    Shell,
    /// `PowerShell` and the Windows command line.
    Windows,
    /// Any other language, and data.
    Other,
}

/// A part of a file, from where it begins to where the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) start: usize,
    pub(crate) context: Context,
}

/// The parts of a file.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    list: Vec<Segment>,
}

impl Segments {
    /// A file of one part.
    pub(crate) fn whole(context: Context) -> Self {
        Self {
            list: vec![Segment { start: 0, context }],
        }
    }

    /// The parts of a Markdown file.
    pub(crate) fn markdown(source: &str) -> Self {
        let mut splitter = Splitter::default();
        let mut at = 0;
        for line in source.split_inclusive('\n') {
            splitter.line(line, at);
            at += line.len();
        }
        splitter.segments
    }

    /// The segment at `offset`.
    pub(crate) fn context(&self, offset: usize) -> Context {
        self.at(offset)
            .map_or(Context::Prose, |found| found.context)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Segment> + '_ {
        self.list.iter().copied()
    }

    fn at(&self, offset: usize) -> Option<&Segment> {
        let after = self.list.partition_point(|found| found.start <= offset);
        after.checked_sub(1).and_then(|index| self.list.get(index))
    }

    fn begin(&mut self, start: usize, context: Context) {
        match self.list.last_mut() {
            Some(last) if last.start == start => last.context = context,
            Some(last) if last.context == context => {}
            _ => self.list.push(Segment { start, context }),
        }
    }
}

/// Reads a Markdown file line by line; what a model sees does not depend on the finer rules of Markdown.
#[derive(Default)]
struct Splitter {
    segments: Segments,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Text,
    Fence {
        mark: char,
        length: usize,
    },
    Comment,
}

impl Splitter {
    fn line(&mut self, line: &str, at: usize) {
        match self.state {
            State::Fence { mark, length } => {
                let rest = line.trim_start_matches([' ', '\t', '>']);
                let marks = rest.chars().take_while(|c| *c == mark).count();
                if marks >= length && rest.trim().chars().all(|c| c == mark) {
                    self.state = State::Text;
                    self.segments.begin(at + line.len(), Context::Prose);
                }
            }
            State::Comment => self.comment(line, at),
            State::Text => self.text(line, at),
        }
    }

    fn text(&mut self, line: &str, at: usize) {
        if self.segments.list.is_empty() {
            self.segments.begin(at, Context::Prose);
        }
        let inner = line.trim_start_matches(|c: char| " \t>-*+.".contains(c) || c.is_ascii_digit());
        if let Some((mark, length)) = fence(inner) {
            self.state = State::Fence { mark, length };
            let info = inner.trim_start_matches(mark).trim();
            self.segments.begin(at, fenced(info));
            return;
        }
        match line.find("<!--") {
            Some(found) => {
                self.segments.begin(at + found, Context::Comment);
                self.state = State::Comment;
                self.comment(line.get(found..).unwrap_or_default(), at + found);
            }
            None => self.segments.begin(at, Context::Prose),
        }
    }

    fn comment(&mut self, line: &str, at: usize) {
        if let Some(found) = line.find("-->") {
            let end = found + "-->".len();
            self.state = State::Text;
            self.segments.begin(at + end, Context::Prose);
        }
    }
}

fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let rest = line.trim_start_matches(mark);
    (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, length))
}

/// The language of a fence with this info string.
fn fenced(info: &str) -> Context {
    let word = info
        .split([' ', ',', '{', ':', '\t'])
        .next()
        .unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "text" | "txt" | "markdown" | "md" | "prompt" | "xml" | "html" => Context::Prose,
        word => Context::Code(language(word)),
    }
}

/// The language with this name or file extension.
pub(crate) fn language(word: &str) -> Language {
    match word {
        "" | "sh" | "bash" | "zsh" | "fish" | "ksh" | "shell" | "console" | "terminal"
        | "shellsession" | "sh-session" | "dockerfile" | "makefile" | "make" => Language::Shell,
        "ps1" | "psm1" | "powershell" | "pwsh" | "posh" | "bat" | "cmd" | "batch" => {
            Language::Windows
        }
        _ => Language::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[(&str, Context)]) {
        let segments = Segments::markdown(source);
        for (text, context) in expected {
            let at = source.find(text).unwrap();
            assert_eq!(segments.context(at), *context, "{text:?} in {source:?}");
        }
    }

    #[test]
    fn fences_and_comments_are_found() {
        let shell = Context::Code(Language::Shell);
        check(
            "a\n```sh\nb\n```\nc <!-- d\ne --> f\n",
            &[
                ("a", Context::Prose),
                ("b", shell),
                ("c ", Context::Prose),
                ("d", Context::Comment),
                ("e -", Context::Comment),
                ("f\n", Context::Prose),
            ],
        );
        check(
            "1. x\n   ~~~\n   b\n   ```\n   ~~~\nz",
            &[("b", shell), ("z", Context::Prose)],
        );
        check("```python\nb", &[("b", Context::Code(Language::Other))]);
        check(
            "````md\n```sh\nb\n```\n````\nz",
            &[("b", Context::Prose), ("z", Context::Prose)],
        );
        check("`x` ```a``` b", &[("b", Context::Prose)]);
    }
}
