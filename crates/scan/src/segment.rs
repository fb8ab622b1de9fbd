//! The parts of a file: what instructs a model, and what is code.

use crate::quoted::warns;

/// What kind of text stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Text for a reader, human or model.
    Prose,
    /// An HTML comment: text for a model that a human does not see.
    Comment,
    /// A script, or a block of code.
    Code(Language),
}

/// The languages that are told apart, because their quoting differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Any Unix shell, and code of which the language is not said.
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

/// The parts of a file, and the headings above them.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    list: Vec<Segment>,
    /// Where a section begins, and whether its headings warn of what stands in it.
    sections: Vec<(usize, bool)>,
}

impl Segments {
    /// A file of one part.
    pub(crate) fn whole(context: Context) -> Self {
        Self {
            list: vec![Segment { start: 0, context }],
            sections: Vec::new(),
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

    /// What stands at `offset`.
    pub(crate) fn context(&self, offset: usize) -> Context {
        self.at(offset)
            .map_or(Context::Prose, |found| found.context)
    }

    /// Where the part at `offset` begins.
    pub(crate) fn start(&self, offset: usize) -> usize {
        self.at(offset).map_or(0, |found| found.start)
    }

    /// Whether the headings above `offset` warn of what stands there.
    pub(crate) fn is_under_warning(&self, offset: usize) -> bool {
        let after = self.sections.partition_point(|(start, _)| *start <= offset);
        let section = after
            .checked_sub(1)
            .and_then(|index| self.sections.get(index));
        section.is_some_and(|(_, warned)| *warned)
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
    /// Whether the heading of each level, from the second on, warns.
    warned: [bool; 6],
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
        if let Some((level, title)) = heading(line) {
            self.heading(level, title, at);
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

    fn heading(&mut self, level: usize, title: &str, at: usize) {
        for (index, warned) in self.warned.iter_mut().enumerate().skip(level - 1) {
            *warned = index + 1 == level && warns(title);
        }
        // A title is about the whole skill and excuses nothing in it.
        let warned = self.warned.iter().skip(1).any(|warned| *warned);
        self.segments.sections.push((at, warned));
    }
}

fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let rest = line.trim_start_matches(mark);
    (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, length))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with([' ', '\t'])).then_some((level, title))
}

/// What a fence with this info string holds.
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

    #[test]
    fn headings_that_warn_cover_their_sections() {
        let source = "# Attacks\na\n## Red flags\nb\n### More\nc\n## Setup\nd\n";
        let segments = Segments::markdown(source);
        let under = |text: &str| segments.is_under_warning(source.find(text).unwrap());
        assert!(!under("a\n##") && under("b\n") && under("c\n") && !under("d\n"));
    }
}
