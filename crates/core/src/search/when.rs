//! What a skill says about when to use it.

/// Where that part of a description begins.
const MARKS: [&str; 14] = [
    "use when",
    "use this skill",
    "use this when",
    "use this for",
    "use it when",
    "use for",
    "use if",
    "use whenever",
    "use proactively",
    "used when",
    "when the user",
    "activate when",
    "invoke when",
    "trigger",
];

/// Headings of that part of a body.
const HEADINGS: [&str; 9] = [
    "when to use",
    "when to activate",
    "when to apply",
    "when to invoke",
    "when should",
    "use this skill when",
    "use when",
    "use cases",
    "triggers",
];

/// The heading is looked for in so many bytes, and so many bytes below it are taken.
const SEARCHED: usize = 8 * 1024;
const TAKEN: usize = 1536;

/// The part of a description; empty if it has none.
pub(super) fn in_description(description: &str) -> &str {
    let lower = description.to_ascii_lowercase();
    let start = MARKS.iter().filter_map(|mark| lower.find(mark)).min();
    start
        .and_then(|start| description.get(start..))
        .unwrap_or_default()
}

/// The part of a body; empty if it has none.
pub(super) fn in_body(body: &str) -> &str {
    let searched = body
        .get(..body.floor_char_boundary(SEARCHED))
        .unwrap_or(body);
    let mut at = 0;
    for line in searched.split_inclusive('\n') {
        at += line.len();
        let title = line.trim_start_matches(['#', '*', ' ']);
        let is_heading = title.len() < line.len() && line.len() < 80;
        if is_heading && is_when(title) {
            let rest = body.get(at..).unwrap_or_default();
            let end = rest.find("\n#").unwrap_or(rest.len()).min(TAKEN);
            return rest
                .get(..rest.floor_char_boundary(end))
                .unwrap_or_default();
        }
    }
    ""
}

fn is_when(title: &str) -> bool {
    let lower = title.to_ascii_lowercase();
    HEADINGS.iter().any(|heading| lower.starts_with(heading))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_description() {
        for (description, expected) in [
            (
                "Fills in forms. Use when a PDF has fields.",
                "Use when a PDF has fields.",
            ),
            (
                "When the user wants copy, or says \"write\".",
                "When the user wants copy, or says \"write\".",
            ),
            ("Fills in forms.", ""),
            ("", ""),
        ] {
            assert_eq!(in_description(description), expected);
        }
    }

    #[test]
    fn of_a_body() {
        let body =
            "# Forms\n\nText.\n\n## When to Use\n\n- a form\n- a field\n\n## Steps\n\nFill.\n";
        assert_eq!(in_body(body), "\n- a form\n- a field\n");
        assert_eq!(in_body("Use when you like.\n"), "");
        assert_eq!(in_body(""), "");
        assert_eq!(in_body("## When to use"), "");
    }
}
