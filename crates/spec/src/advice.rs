//! Advice for authors about what a skill says, rather than how it is written. Agents that load a skill do not need it.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::fields::Skill;
use crate::skill::Parsed;
use crate::span::Span;

/// How descriptions begin that a tool wrote for the author to replace, in lower case.
const TEMPLATE_DESCRIPTIONS: &[&str] = &[
    "todo:",
    "todo ",
    "tbd",
    "fixme",
    "lorem ipsum",
    "a brief description of ",
    "brief description of ",
    "a clear description of ",
    "a short description of ",
    "short description of ",
    "one-line description",
    "description of what this skill ",
    "describe in one sentence what ",
    "describe what this skill ",
    "describe what your skill ",
    "replace with ",
    "insert description",
    "your description",
    "your skill description",
    "what this skill does",
    "when to use this skill",
];

/// How lines of a body begin that a tool wrote for the author to replace, in lower case and without a list marker.
const TEMPLATE_LINES: &[&str] = &[
    "todo:",
    "tbd:",
    "fixme:",
    "lorem ipsum dolor",
    "add your instructions here",
    "[add your instructions",
    "insert instructions below",
    "instructions for the agent to follow when this skill is activated",
    "describe when this skill should be used",
    "describe what this skill does",
    "say what to do first, as to a good colleague",
    "the tool `hello` greets whom you name. say here when",
];

/// Marks of places to fill in, wherever they stand outside of code. Each begins with a bracket.
const MARKS: &[&str] = &["[todo:", "[todo]", "[tbd]", "[placeholder]"];

/// Words of which a description has one if it says when to use the skill. The list is generous: a wrong warning is
/// worse than a missing one.
const OCCASIONS: &[&str] = &[
    "when",
    "whenever",
    "while",
    "if",
    "before",
    "after",
    "during",
    "until",
    "once",
    "use",
    "uses",
    "used",
    "using",
    "useful",
    "trigger",
    "triggers",
    "triggered",
    "invoke",
    "invoked",
    "apply",
    "applies",
    "load",
    "activate",
    "activates",
    "ideal",
    "suitable",
    "call",
    "run",
    "need",
    "needs",
    "ask",
    "asks",
    "asked",
    "mentions",
    "for",
    "task",
    "tasks",
    "help",
    "helps",
    "guide",
    "guides",
    "reference",
    "covers",
    "required",
    "must",
    "always",
    "start",
    "consult",
    "first",
    // It says when not to.
    "deprecated",
];

/// Words that nearly every English sentence has one of; without them the language is unknown.
const ENGLISH: &[&str] = &[
    "a", "an", "the", "and", "or", "of", "to", "in", "with", "from", "by", "on", "into", "as",
    "files",
];

/// What the author of a skill may want to improve. `bytes` is the file that was parsed.
pub fn advise(bytes: &[u8], parsed: &Parsed<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(skill) = &parsed.skill else {
        return found;
    };
    found.extend(about_description(skill));
    let offset = parsed
        .body
        .as_ptr()
        .addr()
        .checked_sub(bytes.as_ptr().addr());
    let offset = offset.filter(|offset| *offset <= bytes.len());
    if parsed.body.is_empty() {
        let at = Span::at(bytes.len());
        found.push(
            Diagnostic::new(Code::EmptyBody, at, "the skill has no instructions")
                .help("write below the frontmatter what to do"),
        );
    } else if let (Some(offset), Some(span)) = (offset, template_text(parsed.body)) {
        found.push(template(span.shifted(offset)));
    }
    found
}

fn template(span: Span) -> Diagnostic {
    Diagnostic::new(
        Code::TemplateText,
        span,
        "text of a template was left in place",
    )
    .help("replace it, or remove it")
}

fn about_description(skill: &Skill) -> Option<Diagnostic> {
    let span = skill.frontmatter.get("description")?.span;
    let text = skill.description.to_lowercase();
    let plain = text.trim_start_matches(['[', '<', '{', '(', '"', '\'', '*', ' ']);
    let is_template = TEMPLATE_DESCRIPTIONS.iter().any(|it| plain.starts_with(it))
        || MARKS.iter().any(|mark| text.contains(mark));
    if is_template {
        return Some(template(span));
    }
    let by_people_only = skill.client.disable_model_invocation == Some(true);
    if by_people_only || skill.client.when_to_use.is_some() || says_when(&text) {
        return None;
    }
    let message = "the description does not say when to use the skill";
    let help = "add a sentence such as `Use when the user asks for ...`";
    Some(Diagnostic::new(Code::MissingOccasion, span, message).help(help))
}

/// Whether a description says when to use the skill, or is in a language that we cannot judge.
fn says_when(lower: &str) -> bool {
    if lower.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) {
        return true;
    }
    let has = |words: &[&str]| {
        let mut all = lower.split(|c: char| !c.is_alphanumeric());
        all.any(|word| words.contains(&word))
    };
    has(OCCASIONS) || !has(ENGLISH)
}

/// The first text of a template outside of code.
fn template_text(body: &str) -> Option<Span> {
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        let text = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|it| text.starts_with(it));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            (None, None) if is_template_line(text) => {
                let indent = line.len() - line.trim_start().len();
                return Some(Span::new(start + indent, start + indent + text.len()));
            }
            _ => {}
        }
        start += line.len();
    }
    None
}

fn is_template_line(line: &str) -> bool {
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit() || "#-*+>.) ".contains(c));
    let is_marked = |(at, _): (usize, &str)| {
        let (before, rest) = line.split_at(at);
        // An odd number of backticks opens code that quotes the mark.
        MARKS.iter().any(|mark| begins(rest, mark)) && before.matches('`').count() % 2 == 0
    };
    TEMPLATE_LINES.iter().any(|it| begins(text, it)) || line.match_indices('[').any(is_marked)
}

/// Whether a text begins with this one, in upper or lower case.
fn begins(text: &str, with: &str) -> bool {
    let start = text.as_bytes().get(..with.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::{Context, parse};

    fn codes(description: &str, body: &str) -> Vec<&'static str> {
        let text = format!("---\nname: pdf\ndescription: \"{description}\"\n---\n{body}");
        let parsed = parse(text.as_bytes(), &Context::default());
        let found = advise(text.as_bytes(), &parsed);
        found.iter().map(|it| it.code.id()).collect()
    }

    #[test]
    fn advice_is_given_for_what_authors_forget() {
        for (description, body, expected) in [
            ("Reads PDF files. Use when a PDF is given", "Do.", &[][..]),
            ("Reads PDF files of a kind", "Do.", &["missing-occasion"]),
            ("Liest PDF", "Do.", &[]),
            ("Deprecated, forwards to the other", "Do.", &[]),
            ("Extrait le texte d'un fichier numérisé", "Do.", &[]),
            ("Finds TODO comments; use it before a release", "Do.", &[]),
            ("TODO: describe it", "Do.", &["template-text"]),
            ("[TODO: explain when]", "Do.", &["template-text"]),
            (
                "A brief description of what this skill does",
                "Do.",
                &["template-text"],
            ),
            ("Use it", "", &["empty-body"]),
            ("Use it", "# Name\n\n- [TODO: one]\n", &["template-text"]),
            ("Use it", "TODO: write\n", &["template-text"]),
            (
                "Use it",
                "Find `[TODO: ...]` and\n\n```\nTODO: x\n```\n",
                &[],
            ),
            ("Use it", "Search for TODO and FIXME comments.\n", &[]),
            (
                "Use it",
                "Instructions for the agent to follow when this skill is activated.\n",
                &["template-text"],
            ),
        ] {
            assert_eq!(codes(description, body), expected, "{description} {body}");
        }
    }

    #[test]
    fn advice_points_at_its_text() {
        let text = "---\nname: pdf\ndescription: Use it\n---\n\n# A\n\n  1. TODO: write ä\n";
        let parsed = parse(text.as_bytes(), &Context::default());
        let found = advise(text.as_bytes(), &parsed);
        assert_eq!(found[0].span.slice(text), "1. TODO: write ä");
    }
}
