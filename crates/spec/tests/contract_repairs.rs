//! Rows F46 to F53 of the contract: what is repaired on load because other readers do so, too.
#![cfg(test)]

mod support;

use prowess_spec::{Code, Context, Profile, Severity, fix, head};
use support::{Outcome, file, frontmatter};

/// It loads as `pdf` with the warning `code`, and `--fix` writes `fixed`.
fn repaired(text: &str, code: Code, fixed: &str) -> Outcome {
    let outcome = file(text);
    outcome.tolerated(code);
    assert_eq!(outcome.skill().name.as_str(), "pdf", "{text:?}");
    assert!(!outcome.help(code).is_empty());
    let found = head(text.as_bytes(), None).unwrap();
    assert_eq!(found.description, outcome.skill().description);
    let written = fix(text, &Context::default()).unwrap().text;
    assert_eq!(written, fixed, "{text:?}");
    let again = file(&written);
    assert_eq!(again.check(), [], "{written:?}");
    assert_eq!(again.json(), outcome.json());
    assert_eq!(again.body, outcome.body);
    outcome
}

#[test]
fn f46_merge_conflict() {
    let fixed = "---\nname: pdf\ndescription: ours\n---\n# Body\n";
    for text in [
        "---\nname: pdf\n<<<<<<< HEAD\ndescription: ours\n=======\ndescription: theirs\n>>>>>>> other\n---\n# Body\n",
        "---\nname: pdf\n<<<<<<< HEAD\ndescription: ours\n||||||| 1a2b3c\ndescription: base\n=======\ndescription: theirs\n>>>>>>> other\n---\n# Body\n",
        "---\nname: pdf\n<<<<<<<\ndescription: ours\n=======\n>>>>>>>\n---\n# Body\n",
    ] {
        let outcome = repaired(text, Code::MergeConflict, fixed);
        assert_eq!(outcome.position(Code::MergeConflict).line, 3);
    }
    let twice = file(
        "---\n<<<<<<< a\nname: pdf\n=======\nname: x\n>>>>>>> b\n<<<<<<< a\ndescription: Use: it\n=======\n>>>>>>> b\nfoo: 1\n---\n",
    );
    assert_eq!(twice.skill().description, "Use: it");
    assert_eq!(twice.load().len(), 3);
    assert_eq!(twice.position(Code::UnknownField).line, 11);
}

#[test]
fn f47_fields_end_without_a_delimiter() {
    for body in [
        "# Title\nText\n",
        "\n# Title\n",
        "\nText of the body\n",
        "\n\n\nNote: a sentence\n",
        "\n```sh\nls\n```\n",
    ] {
        let outcome = repaired(
            &format!("---\nname: pdf\ndescription: Reads PDFs\n{body}"),
            Code::MissingDelimiter,
            &format!("---\nname: pdf\ndescription: Reads PDFs\n---\n{body}"),
        );
        assert_eq!(outcome.body, body.trim());
    }
    let outcome = repaired(
        "---\r\nname: pdf\r\n\r\ndescription: |\r\n  one\r\n\r\n  # two\r\n\r\n# Title\r\n",
        Code::MissingDelimiter,
        "---\r\nname: pdf\r\n\r\ndescription: |\r\n  one\r\n\r\n  # two\r\n---\r\n\r\n# Title\r\n",
    );
    assert_eq!(outcome.skill().description, "one\n\n# two");
    assert_eq!(outcome.position(Code::MissingDelimiter).line, 9);
    let comment = file("---\nname: pdf\n# about\ndescription: d\n# Title\n");
    assert_eq!(comment.body, "# Title");
    let large = format!(
        "---\nname: pdf\ndescription: d\n\n# Title\n{}",
        "text\n".repeat(20_000)
    );
    assert!(file(&large).skill.is_some());
}

#[test]
fn f48_malformed_closing_line() {
    for (line, body) in [
        (" ---\n# Title\n", "# Title\n"),
        ("\t---  \n# Title\n", "# Title\n"),
        ("-----\n# Title\n", "# Title\n"),
        ("---# Title\n", "# Title\n"),
        ("---  Text\n", "Text\n"),
        ("  --- # Title", "# Title"),
    ] {
        let outcome = repaired(
            &format!("---\nname: pdf\ndescription: d\n{line}"),
            Code::MalformedDelimiter,
            &format!("---\nname: pdf\ndescription: d\n---\n{body}"),
        );
        assert_eq!(outcome.body, body.trim());
        assert_eq!(outcome.position(Code::MalformedDelimiter).line, 4);
    }
    let block = file("---\nname: pdf\ndescription: |\n  one\n  ---\n  two\n ---\n# Title\n");
    assert_eq!(block.skill().description, "one\n---\ntwo");
    assert_eq!(block.body, "# Title");
    let exact = file("---\nname: pdf\ndescription: one\n --- two\n---\n# Title\n");
    assert_eq!(exact.skill().description, "one --- two");
    assert_eq!(exact.load(), []);
}

#[test]
fn f49_no_opening_line() {
    for (end, kept) in [
        ("---\n# Title\n", "---\n# Title\n"),
        ("\n# Title\n", "---\n\n# Title\n"),
        ("# Title\n", "---\n# Title\n"),
        ("\nText\n\n---\n\nmore\n", "---\n\nText\n\n---\n\nmore\n"),
    ] {
        let text = format!("name: pdf\ndescription: d\n{end}");
        let fixed = format!("---\nname: pdf\ndescription: d\n{kept}");
        let outcome = file(&text);
        outcome.has(Profile::Load, Code::MissingDelimiter, Severity::Warning);
        assert_eq!(outcome.position(Code::MissingDelimiter).line, 1);
        assert!(outcome.is_valid(Profile::Load));
        assert!(!outcome.is_valid(Profile::Check));
        assert_eq!(outcome.skill().description, "d");
        let written = fix(&text, &Context::default()).unwrap().text;
        assert_eq!(written, fixed);
        assert_eq!(file(&written).body, outcome.body);
    }
    for other in [
        "# PDF\n\nname: pdf\ndescription: d\n\nText\n",
        "Note: this is text\n\nname: pdf\n\nText\n",
        "name is missing\n\nText\n",
        "title: PDF\n\n# PDF\n",
    ] {
        file(other).skipped(Code::MissingFrontmatter);
    }
}

#[test]
fn f50_headings_as_keys() {
    let outcome = frontmatter("## name: pdf\n## description: Reads PDFs\n");
    assert_eq!(outcome.skill().description, "Reads PDFs");
    assert_eq!(outcome.load(), [(Code::HeadingAsKey, Severity::Warning); 2]);
    assert_eq!(outcome.check(), [(Code::HeadingAsKey, Severity::Error); 2]);
    repaired(
        "---\nname: pdf\n## description: Reads PDFs\n---\n# Body\n",
        Code::HeadingAsKey,
        "---\nname: pdf\ndescription: Reads PDFs\n---\n# Body\n",
    );
    let start = file("## name: pdf\n## description: Use when: asked\n\n# Title\n");
    assert_eq!(start.skill().description, "Use when: asked");
    assert_eq!(start.body, "# Title");
    // A comment remains one where nothing is missing, and where it has a single `#`.
    let comment = frontmatter("name: pdf\ndescription: d\n## name: other\n");
    assert_eq!(comment.load(), []);
    frontmatter("name: pdf\n# description: d\n").skipped(Code::MissingField);
}

#[test]
fn f51_list_of_one_mapping() {
    let outcome = repaired(
        "---\n- name: pdf\n  description: d\n  metadata:\n    a: b\n---\n# Body\n",
        Code::NotAMapping,
        "---\nname: pdf\ndescription: d\nmetadata:\n  a: b\n---\n# Body\n",
    );
    assert_eq!(outcome.skill().metadata.len(), 1);
    let colon = frontmatter("- name: pdf\n  description: Use when: asked\n");
    assert_eq!(colon.skill().description, "Use when: asked");
    frontmatter("- name: pdf\n  description: d\n- name: x\n").skipped(Code::NotAMapping);
}

#[test]
fn f52_quoted_text_that_is_not_indented() {
    let outcome = repaired(
        "---\nname: pdf\ndescription: \"First line\nsecond: line, not indented\n\nthird \\\"line\\\".\"\nlicense: MIT\n---\n",
        Code::UnindentedText,
        "---\nname: pdf\ndescription: \"First line\n  second: line, not indented\n\n  third \\\"line\\\".\"\nlicense: MIT\n---\n",
    );
    let description = "First line second: line, not indented\nthird \"line\".";
    assert_eq!(outcome.skill().description, description);
    assert_eq!(outcome.position(Code::UnindentedText).line, 4);
    let single = frontmatter(
        "name: pdf\ndescription: 'It''s one\n# two\n- three'\nmetadata:\n  a: \"b\nc\"\n",
    );
    assert_eq!(single.skill().description, "It's one # two - three");
    assert_eq!(
        single.skill().metadata,
        [("a".to_owned(), "b c".to_owned())]
    );
}

#[test]
fn f53_comment_in_place_of_a_value() {
    let outcome = repaired(
        "---\nname: pdf\ndescription: # Reads PDFs\n---\n",
        Code::UnquotedScalar,
        "---\nname: pdf\ndescription: \"Reads PDFs\"\n---\n",
    );
    assert_eq!(outcome.skill().description, "Reads PDFs");
    let message = outcome.message(Code::UnquotedScalar);
    assert!(message.contains("`#` starts a comment"), "{message}");
    let help = outcome.help(Code::UnquotedScalar);
    assert!(help.contains("`description: \"Reads PDFs\"`"), "{help}");
    let below = frontmatter("name: pdf\ndescription: # see below\n  Reads PDFs\n");
    assert_eq!(below.skill().description, "Reads PDFs");
    assert_eq!(below.load(), []);
    let optional = frontmatter("name: pdf\ndescription: d\nlicense: # MIT\n");
    assert_eq!(optional.skill().license, None);
    frontmatter("name: pdf\ndescription: #\n").skipped(Code::MissingField);
}
