//! Why the two validators may differ. There is no other reason.

use prowess_spec::Code;

use crate::seen::{Complaint, Cut, Seen};

/// A reason for differences.
pub(crate) struct Difference {
    pub(crate) id: &'static str,
    pub(crate) why: &'static str,
    /// Whether this is the reason for the complaint.
    pub(crate) explains: fn(&Seen<'_>, Complaint<'_>) -> bool,
}

const TAB: &str = "found character '\\t'";

pub(crate) const DIFFERENCES: &[Difference] = &[
    // The two do not see the same lines.
    Difference {
        id: "cut-anywhere",
        why: "the reference cuts at any three hyphens, we at lines of three hyphens",
        explains: |seen, _| seen.cut() == Cut::Elsewhere,
    },
    Difference {
        id: "lone-return",
        why: "a carriage return alone is a line break there, and not here",
        explains: |seen, _| seen.cut() == Cut::LoneReturns,
    },
    Difference {
        id: "old-line-breaks",
        why: "U+2028 and U+2029 are line breaks in YAML 1.1, and not in 1.2",
        explains: |seen, _| seen.cut() == Cut::OldBreaks,
    },
    Difference {
        id: "inner-mark",
        why: "a mark at the start of the YAML is part of the first line there, and not here",
        explains: |seen, _| seen.cut() == Cut::Marked,
    },
    // The reference is stricter.
    Difference {
        id: "byte-order-mark",
        why: "a mark before the first line is an error there and a warning here",
        explains: |seen, complaint| {
            seen.theirs(complaint, "must start with YAML frontmatter")
                && seen.reported(Code::ByteOrderMark, "")
        },
    },
    Difference {
        id: "unknown-field",
        why: "a field that is unknown, misspelt or a client's own is an error there, at most a warning here",
        explains: |seen, complaint| {
            seen.extra_fields().is_some_and(|fields| {
                seen.theirs(
                    complaint,
                    &format!("Unexpected fields in frontmatter: {fields}. Only"),
                )
            })
        },
    },
    Difference {
        id: "blanks-counted",
        why: "the length of a text includes the blanks around it there, and not here",
        explains: |seen, complaint| {
            let fits =
                |text: Option<&str>, limit| text.is_some_and(|text| text.chars().count() <= limit);
            let skill = seen.parsed.skill.as_ref();
            let description = skill.map(|skill| skill.description.as_str());
            let compatibility = skill.and_then(|skill| skill.compatibility.as_deref());
            (seen.theirs(complaint, "Description exceeds 1024 character limit")
                && fits(description, 1024))
                || (seen.theirs(complaint, "Compatibility exceeds 500 character limit")
                    && fits(compatibility, 500))
        },
    },
    Difference {
        id: "flow-collection",
        why: "`[a]` and `{a: b}` are forbidden there, and YAML like any other here",
        explains: |seen, complaint| seen.theirs(complaint, "disallowed JSONesque flow mapping"),
    },
    Difference {
        id: "anchor",
        why: "anchors are forbidden there; here they are resolved, with a warning for each alias",
        explains: |seen, complaint| seen.theirs(complaint, "disallowed anchor token"),
    },
    Difference {
        id: "uneven-indentation",
        why: "the mappings of one level must be indented alike there, which YAML does not ask",
        explains: |seen, complaint| seen.theirs(complaint, "inconsistent with previous mapping"),
    },
    Difference {
        id: "tab",
        why: "a tab inside or behind a text is refused there; YAML 1.2 allows it",
        explains: |seen, complaint| {
            seen.theirs(complaint, TAB) || seen.theirs(complaint, "but found '\\t'")
        },
    },
    Difference {
        id: "document-end",
        why: "`...` before the value or twice behind it is refused there; YAML 1.2 allows it",
        explains: |seen, complaint| {
            (seen.theirs(complaint, "but found '<document end>'")
                || seen.theirs(complaint, "but found another document"))
                && seen.any_line(|line| line.trim_end() == "...")
        },
    },
    Difference {
        id: "old-types",
        why: "`<<` and `=` are types of YAML 1.1 there, and text here",
        explains: |seen, complaint| {
            let text = seen
                .parsed
                .skill
                .as_ref()
                .map(|skill| skill.description.as_str());
            seen.theirs(
                complaint,
                "expected a mapping or list of mappings for merging",
            ) || (seen.theirs(complaint, "'description' must be a non-empty string")
                && matches!(text, Some("<<" | "=")))
        },
    },
    Difference {
        id: "comment-crash",
        why: "the reference's parser dies of a comment before a text that a blank line follows",
        explains: |seen, complaint| {
            seen.theirs(complaint, "crash: NotImplementedError")
                && seen.any_line(is_comment_behind_key)
        },
    },
    // We are stricter.
    Difference {
        id: "typed-scalar",
        why: "every scalar is text there; here a number or a boolean needs quotes to be text",
        explains: |seen, complaint| {
            seen.ours(complaint, &[Code::NotAString])
                && (complaint.says("found a number") || complaint.says("found a boolean"))
        },
    },
    Difference {
        id: "null",
        why: "`null` and `~` are text there and no value here",
        explains: |seen, complaint| {
            let missing = |key, read: &Option<String>| {
                seen.ours(complaint, &[Code::MissingField])
                    && complaint.says(key)
                    && matches!(read.as_deref(), Some("null" | "Null" | "NULL" | "~"))
            };
            missing("`name`", &seen.answer.name)
                || missing("`description`", &seen.answer.description)
        },
    },
    Difference {
        id: "optional-field-type",
        why: "the types of `license`, `metadata` and `allowed-tools` are not looked at there",
        explains: |seen, complaint| {
            let license = complaint.says("`license`")
                && (complaint.says("found a list") || complaint.says("found a mapping"));
            (license && seen.ours(complaint, &[Code::NotAString]))
                || seen.ours(complaint, &[Code::MetadataNotAMap])
                || (complaint.says("`allowed-tools`") && seen.ours(complaint, &[Code::WrongType]))
        },
    },
    Difference {
        id: "empty-compatibility",
        why: "the standard wants at least one character, and nobody checks that there",
        explains: |seen, complaint| seen.ours(complaint, &[Code::EmptyField]),
    },
    Difference {
        id: "escaped-control-character",
        why: "control characters are refused there, but not the escapes that stand for them",
        explains: |seen, complaint| {
            const ESCAPE: &str = "an escape in this value";
            (seen.ours(complaint, &[Code::ControlCharacter]) && complaint.says(ESCAPE))
                // Without the character, nothing may be left.
                || (seen.ours(complaint, &[Code::MissingField])
                    && seen.reported(Code::ControlCharacter, ESCAPE))
        },
    },
    Difference {
        id: "next-line",
        why: "U+0085 is a line break there and a control character here",
        explains: |seen, complaint| {
            seen.ours(complaint, &[Code::ControlCharacter]) && complaint.says("U+0085")
        },
    },
    Difference {
        id: "half-character",
        why: "an escape for half a surrogate pair is a character there and an error here",
        explains: |seen, complaint| {
            seen.ours(complaint, &[Code::BadQuoting])
                && seen.any_line(|line| line.contains("\\ud8"))
        },
    },
    Difference {
        id: "mark-in-value",
        why: "a byte order mark at the start of a value is a character there and an error here",
        explains: |seen, complaint| {
            seen.ours(complaint, &[Code::InvalidYaml])
                && complaint.says("a BOM must not appear inside a document")
        },
    },
    Difference {
        id: "html-entity",
        why: "`&nbsp;` inside a text is only text to YAML, but never what its author meant",
        explains: |seen, complaint| {
            seen.ours(complaint, &[Code::UnquotedScalar]) && complaint.says("&nbsp;")
        },
    },
    Difference {
        id: "touching-comment",
        why: "a comment right behind a quote is one there; YAML wants a blank between them",
        explains: |seen, complaint| {
            seen.ours(complaint, &[Code::BadQuoting, Code::InvalidYaml])
                && seen.any_line(|line| line.contains("\"#") || line.contains("'#"))
                && !seen.has_unindented_text()
        },
    },
    Difference {
        id: "unindented-text",
        why: "a text may go on at the start of a line there; YAML wants it indented",
        explains: |seen, complaint| {
            const CODES: &[Code] = &[Code::InvalidYaml, Code::UnindentedText];
            seen.ours(complaint, CODES) && seen.has_unindented_text() && !complaint.says("a BOM")
        },
    },
];

fn is_comment_behind_key(line: &str) -> bool {
    let value = line.split_once(':').map_or("", |(_, value)| value);
    value.trim_start().starts_with('#')
}
