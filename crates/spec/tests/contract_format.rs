//! Rows F1 to F45 of the contract; F21 is in `contract_bombs.rs`, F46 and later rows in `contract_repairs.rs`.
#![cfg(test)]

mod support;

use prowess_spec::{Code, Context, Profile, Severity, choose_skill_file, parse};
use support::{Outcome, file, frontmatter, in_directory};

/// A file that both profiles accept without a word.
fn clean(outcome: &Outcome) {
    assert_eq!(outcome.load(), [], "load");
    assert_eq!(outcome.check(), [], "check");
    assert!(outcome.skill.is_some());
}

#[test]
fn f1_name_and_description() {
    let outcome = file("---\nname: pdf\ndescription: Reads PDFs\n---\n\n\n# PDF\n\nText.\n\n");
    clean(&outcome);
    let skill = outcome.skill();
    assert_eq!(skill.name.as_str(), "pdf");
    assert_eq!(skill.description, "Reads PDFs");
    assert_eq!(outcome.body, "# PDF\n\nText.");
}

#[test]
fn f2_optional_fields() {
    let outcome = frontmatter(
        "name: pdf\ndescription: d\nlicense: MIT\ncompatibility: Needs git\nmetadata:\n  author: Ada\n  team: docs\nallowed-tools: Bash(git:*) Read\n",
    );
    clean(&outcome);
    let skill = outcome.skill();
    assert_eq!(skill.license.as_deref(), Some("MIT"));
    assert_eq!(skill.compatibility.as_deref(), Some("Needs git"));
    let metadata = [("author", "Ada"), ("team", "docs")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert_eq!(skill.metadata, metadata);
    assert_eq!(skill.allowed_tools, ["Bash(git:*)", "Read"]);
}

#[test]
fn f3_no_opening_line() {
    for text in [
        "# PDF\n",
        "",
        "name: pdf\ndescription: d\n",
        "----\nname: pdf\n----\n",
    ] {
        file(text).skipped(Code::MissingFrontmatter);
    }
}

#[test]
fn f4_no_closing_line() {
    for text in [
        "---\nname: pdf\ndescription: d\n",
        "---",
        "---\n",
        "---\n\n# PDF\n",
        "---\ntitle: PDF\n\n# PDF\n",
    ] {
        file(text).skipped(Code::UnclosedFrontmatter);
    }
}

#[test]
fn f5_invalid_yaml() {
    let outcome = frontmatter("name: [oops\ndescription: d\n");
    outcome.skipped(Code::InvalidYaml);
    // The closing delimiter's line is where the list could no longer be closed.
    assert!(outcome.position(Code::InvalidYaml).line >= 2);
}

#[test]
fn f6_not_a_mapping() {
    frontmatter("- a\n- b\n").skipped(Code::NotAMapping);
    frontmatter("just text\n").skipped(Code::NotAMapping);
    frontmatter("name:pdf\n").skipped(Code::NotAMapping);
}

#[test]
fn f7_empty_frontmatter() {
    let outcome = parse(b"---\n---\n# Body\n", &Context::default());
    let missing: Vec<_> = outcome.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(missing, [Code::MissingField, Code::MissingField]);
    assert!(outcome.skill.is_none());
    frontmatter("# only a comment\n").has(Profile::Check, Code::MissingField, Severity::Error);
}

#[test]
fn f8_invalid_names() {
    use Code::{NameCharacters, NameDoubleHyphen, NameEdgeHyphen, NameTooLong, NameUppercase};
    let long = "x".repeat(65);
    let rows: [(&str, &[Code]); 8] = [
        ("A", &[NameUppercase]),
        ("Invalid-Name", &[NameUppercase]),
        ("a_b", &[NameCharacters]),
        ("My Skill", &[NameUppercase, NameCharacters]),
        ("-a", &[NameEdgeHyphen]),
        ("a-", &[NameEdgeHyphen]),
        ("a--b", &[NameDoubleHyphen]),
        (&long, &[NameTooLong]),
    ];
    for (name, codes) in rows {
        let text = format!("---\nname: {name}\ndescription: d\n---\n");
        let outcome = in_directory("good-name", &text);
        assert_eq!(outcome.skill().name.as_str(), "good-name", "{name}");
        assert_eq!(
            outcome.load(),
            [(Code::InvalidName, Severity::Warning)],
            "{name}"
        );
        let errors: Vec<_> = codes.iter().map(|code| (*code, Severity::Error)).collect();
        assert_eq!(outcome.check(), errors, "{name}");
    }
    let nowhere = in_directory("!!!", "---\nname: '!!!'\ndescription: d\n---\n");
    assert!(nowhere.skill.is_none());
    nowhere.has(Profile::Load, Code::InvalidName, Severity::Error);
}

#[test]
fn f9_valid_names() {
    let long = "x".repeat(64);
    for name in ["a", "skill123", "my-123-skill", "a1-b2-c3", &long] {
        let text = format!("---\nname: {name}\ndescription: d\n---\n");
        clean(&in_directory(name, &text));
    }
}

#[test]
fn f10_names_in_other_scripts() {
    for (directory, name) in [
        ("技能", "技能"),
        ("навык", "навык"),
        ("é-clair", "e\u{301}-clair"),
    ] {
        let text = format!("---\nname: {name}\ndescription: d\n---\n");
        clean(&in_directory(directory, &text));
    }
    let upper = in_directory("навык", "---\nname: Навык\ndescription: d\n---\n");
    assert_eq!(upper.check(), [(Code::NameUppercase, Severity::Error)]);
}

#[test]
fn f11_name_differs_from_directory() {
    let outcome = in_directory("other", "---\nname: pdf\ndescription: d\n---\n");
    assert_eq!(outcome.skill().name.as_str(), "pdf");
    outcome.tolerated(Code::NameMismatch);
    let message = outcome.message(Code::NameMismatch);
    assert!(
        message.contains("`pdf`") && message.contains("`other`"),
        "{message}"
    );
}

#[test]
fn f12_no_description() {
    for text in [
        "name: a\n",
        "name: a\ndescription:\n",
        "name: a\ndescription: ''\n",
        "name: a\ndescription: '  '\n",
    ] {
        frontmatter(text).skipped(Code::MissingField);
    }
}

#[test]
fn f13_description_length_in_characters() {
    let exact = format!("name: pdf\ndescription: {}\n", "é".repeat(1024));
    clean(&frontmatter(&exact));
    let over = format!("name: pdf\ndescription: {}\n", "é".repeat(1025));
    frontmatter(&over).tolerated(Code::DescriptionTooLong);
}

#[test]
fn f14_compatibility_length() {
    let of = |text: &str| {
        frontmatter(&format!(
            "name: pdf\ndescription: d\ncompatibility: {text}\n"
        ))
    };
    clean(&of(&"x".repeat(500)));
    of(&"x".repeat(501)).tolerated(Code::CompatibilityTooLong);
    of("").tolerated(Code::EmptyField);
    of("''").tolerated(Code::EmptyField);
}

#[test]
fn f15_metadata_is_text() {
    let outcome = frontmatter("name: pdf\ndescription: d\nmetadata: draft\n");
    outcome.tolerated(Code::MetadataNotAMap);
    assert!(outcome.skill().metadata.is_empty());
}

#[test]
fn f16_metadata_keeps_source_text() {
    let outcome = frontmatter("name: pdf\ndescription: d\nmetadata: {v: 1.10, n: 42, b: yes}\n");
    let values: Vec<&str> = outcome
        .skill()
        .metadata
        .iter()
        .map(|(_, v)| v.as_str())
        .collect();
    assert_eq!(values, ["1.10", "42", "yes"]);
    assert_eq!(outcome.load(), []);
    assert_eq!(
        outcome.check(),
        [(Code::MetadataNotAString, Severity::Warning); 3]
    );
}

#[test]
fn f17_unknown_key() {
    let outcome = frontmatter("name: pdf\ndescription: d\nfoo: 1\n");
    assert_eq!(
        outcome.json(),
        r#"{"name":"pdf","description":"d","foo":1}"#
    );
    outcome.advice(Code::UnknownField);
}

#[test]
fn f18_name_is_a_number() {
    let outcome = in_directory("123", "---\nname: 123\ndescription: d\n---\n");
    assert_eq!(outcome.skill().name.as_str(), "123");
    outcome.tolerated(Code::NotAString);
}

#[test]
fn f19_line_endings_mark_and_blanks() {
    let crlf = file("---\r\nname: pdf\r\ndescription: d\r\n---\r\nBody\r\n");
    clean(&crlf);
    assert_eq!(crlf.body, "Body");
    clean(&file("---\nname: pdf\ndescription: d\n---   \nBody\n"));
    let mark = file("\u{feff}---\nname: pdf\ndescription: d\n---\n");
    assert_eq!(mark.load(), []);
    assert_eq!(mark.check(), [(Code::ByteOrderMark, Severity::Warning)]);
}

#[test]
fn f20_small_aliases() {
    let outcome = frontmatter("name: pdf\ndescription: &d Text\nmetadata:\n  summary: *d\n");
    assert_eq!(
        outcome.skill().metadata,
        [("summary".to_owned(), "Text".to_owned())]
    );
    outcome.advice(Code::YamlAlias);
}

#[test]
fn f22_duplicate_key() {
    let outcome = frontmatter("name: pdf\ndescription: first\ndescription: second\n");
    assert_eq!(outcome.skill().description, "first");
    outcome.tolerated(Code::DuplicateKey);
    assert_eq!(outcome.position(Code::DuplicateKey).line, 4);
}

#[test]
fn f23_what_is_not_a_delimiter() {
    let outcome =
        file("---\nname: pdf\ndescription: |\n  one\n  ---\n  two\n---\nBody\n---x\n----\n");
    clean(&outcome);
    assert_eq!(outcome.skill().description, "one\n---\ntwo");
    assert_eq!(outcome.body, "Body\n---x\n----");
}

#[test]
fn f24_unquoted_colon() {
    let outcome = frontmatter("name: pdf\ndescription: Use when: the user asks\n");
    assert_eq!(outcome.skill().description, "Use when: the user asks");
    outcome.tolerated(Code::UnquotedColon);
    let help = outcome.help(Code::UnquotedColon);
    assert_eq!(help, "write `description: \"Use when: the user asks\"`");
    let position = outcome.position(Code::UnquotedColon);
    assert_eq!((position.line, position.column), (3, 14));
}

#[test]
fn f25_tab_indentation() {
    let outcome =
        frontmatter("name: pdf\ndescription: d\nmetadata:\n\tauthor: Ada\n\tteam: docs\n");
    assert_eq!(outcome.skill().metadata.len(), 2);
    assert_eq!(
        outcome.load(),
        [(Code::TabIndentation, Severity::Warning); 2]
    );
    assert_eq!(
        outcome.check(),
        [(Code::TabIndentation, Severity::Error); 2]
    );
}

#[test]
fn f26_allowed_tools_in_other_forms() {
    let rows = [
        ("allowed-tools: Read, Bash, Read", Code::AllowedToolsFormat),
        (
            "allowed-tools: [Read, Bash, Read]",
            Code::AllowedToolsFormat,
        ),
        (
            "allowed-tools:\n  - Read\n  - Bash",
            Code::AllowedToolsFormat,
        ),
        ("allowed_tools: Read Bash", Code::KeySpelling),
    ];
    for (line, code) in rows {
        let outcome = frontmatter(&format!("name: pdf\ndescription: d\n{line}\n"));
        assert_eq!(outcome.skill().allowed_tools, ["Read", "Bash"], "{line}");
        outcome.advice(code);
    }
}

#[test]
fn f27_block_scalar_description() {
    let literal = frontmatter("name: pdf\ndescription: |\n  one\n\n  two\n");
    assert_eq!(literal.skill().description, "one\n\ntwo");
    clean(&literal);
    let folded = frontmatter("name: pdf\ndescription: >\n  one\n  two\n");
    assert_eq!(folded.skill().description, "one two");
    clean(&folded);
}

#[test]
fn f28_long_body() {
    let head = "---\nname: pdf\ndescription: d\n---\n";
    clean(&file(&format!("{head}{}", "line\n".repeat(500))));
    file(&format!("{head}{}", "line\n".repeat(501))).advice(Code::BodyTooLong);
    clean(&file(&format!("{head}{}", "word ".repeat(3_900))));
    file(&format!("{head}{}", "word ".repeat(4_100))).advice(Code::BodyTooLong);
}

#[test]
fn f29_missing_reference() {
    let text = "---\nname: pdf\ndescription: d\n---\n# PDF\n\nSee [forms](references/FORMS.md) and `scripts/fill.py`.\n";
    let exists = |path: &str| path == "scripts/fill.py";
    let context = Context {
        exists: Some(&exists),
        ..Context::default()
    };
    let outcome = Outcome::new(text.as_bytes(), &context);
    outcome.advice(Code::MissingReference);
    let position = outcome.position(Code::MissingReference);
    assert_eq!((position.line, position.column), (7, 13));
    assert!(
        outcome
            .message(Code::MissingReference)
            .contains("references/FORMS.md")
    );
}

#[test]
fn f30_not_utf8() {
    let bytes = b"---\nname: pdf\ndescription: caf\xe9\n---\n";
    let outcome = Outcome::new(bytes, &Context::default());
    outcome.skipped(Code::NotUtf8);
    assert!(outcome.message(Code::NotUtf8).contains("offset 30"));
}

#[test]
fn f31_custom_tags() {
    for value in [
        "!foo bar",
        "!!python/object x",
        "!!python/object:os.system [x]",
        "!<tag:x> y",
    ] {
        frontmatter(&format!("name: pdf\ndescription: {value}\n")).skipped(Code::YamlTag);
    }
    frontmatter("name: pdf\ndescription: !!str text\n").tolerated(Code::YamlTag);
}

#[test]
fn f32_both_spellings() {
    let (chosen, diagnostics) = choose_skill_file(&["skill.md", "README.md", "SKILL.md"]).unwrap();
    assert_eq!(chosen, "SKILL.md");
    let found: Vec<_> = diagnostics
        .iter()
        .map(|found| (found.code, found.severity(Profile::Check)))
        .collect();
    assert_eq!(found, [(Code::TwoSkillFiles, Some(Severity::Warning))]);
}

#[test]
fn f33_nested_metadata() {
    let outcome = frontmatter(
        "name: pdf\ndescription: d\nmetadata:\n  author:\n    name: Ada\n    ids: [1, 2]\n",
    );
    assert_eq!(
        outcome.skill().metadata,
        [(
            "author".to_owned(),
            r#"{"name":"Ada","ids":[1,2]}"#.to_owned()
        )]
    );
    assert_eq!(
        outcome.json(),
        r#"{"name":"pdf","description":"d","metadata":{"author":{"name":"Ada","ids":[1,2]}}}"#
    );
    outcome.advice(Code::MetadataNotAString);
}

#[test]
fn f34_leading_content() {
    for before in [
        "\n\n",
        "<!-- generated -->\n",
        "<!--\n a\n b\n-->\n\n",
        "  \r\n",
    ] {
        let outcome = file(&format!(
            "{before}---\nname: pdf\ndescription: d\n---\nBody\n"
        ));
        outcome.has(Profile::Load, Code::LeadingContent, Severity::Warning);
        outcome.has(Profile::Check, Code::LeadingContent, Severity::Error);
        assert_eq!(outcome.body, "Body");
    }
    file("# Title\n---\nname: pdf\ndescription: d\n---\n").skipped(Code::MissingFrontmatter);
}

#[test]
fn f35_code_fence() {
    for fence in ["```", "```markdown", "````md"] {
        let ticks = fence.trim_end_matches(char::is_alphabetic);
        let outcome = file(&format!(
            "{fence}\n---\nname: pdf\ndescription: d\n---\nBody\n{ticks}\n"
        ));
        outcome.tolerated(Code::CodeFence);
        assert_eq!(outcome.body, "Body");
    }
}

#[test]
fn f36_name_missing() {
    for line in ["", "name:\n", "name: null\n", "name: ~\n", "name: ''\n"] {
        let text = format!("---\n{line}description: d\n---\n");
        let outcome = in_directory("pdf", &text);
        assert_eq!(outcome.skill().name.as_str(), "pdf", "{line:?}");
        outcome.tolerated(Code::MissingField);
    }
    file("---\ndescription: d\n---\n").skipped(Code::MissingField);
}

#[test]
fn f37_scalars_that_need_quotes() {
    let values = [
        "**Bold** text",
        "&nbsp;text",
        "&nbsp; text",
        "a&nbsp;b",
        "@user",
        "`code` first",
        "%d items",
        ", then",
    ];
    for value in values {
        let outcome = frontmatter(&format!("name: pdf\ndescription: {value}\n"));
        assert_eq!(outcome.skill().description, value);
        outcome.tolerated(Code::UnquotedScalar);
        let help = outcome.help(Code::UnquotedScalar);
        assert!(
            help.contains(&format!("description: \"{value}\"")),
            "{help}"
        );
    }
    let tools = frontmatter("name: pdf\ndescription: d\nallowed-tools: *\n");
    assert_eq!(tools.skill().allowed_tools, ["*"]);
    tools.tolerated(Code::UnquotedScalar);
}

#[test]
fn f37_every_position_of_a_value() {
    for value in ["**Bold** text", "*one* two", "&nbsp; text"] {
        let rows = [
            format!("description: d\ntags:\n  - {value}\n  - b\n"),
            format!("description: d\ntags:\n- {value}\n- b\n"),
            format!("description: d\nauthors:\n  - name: {value}\n    age: 5\n"),
            format!("description: d\nmetadata:\n  a: {value}\n  b: c\n"),
            format!("description: {value}\n  and more\n"),
            format!("description:\n  {value}\n"),
            format!("description:\n  {value}\n  and more\n"),
        ];
        for row in rows {
            let outcome = frontmatter(&format!("name: pdf\n{row}license: MIT\n"));
            assert!(outcome.json().contains(value), "{}", outcome.json());
            assert_eq!(outcome.skill().license.as_deref(), Some("MIT"));
            assert_eq!(
                outcome.load(),
                [(Code::UnquotedScalar, Severity::Warning)],
                "{row}"
            );
            outcome.has(Profile::Check, Code::UnquotedScalar, Severity::Error);
        }
    }
    // Inside a plain value these are text to YAML, too.
    clean(&frontmatter(
        "name: pdf\ndescription: Reads\n  **bold** and *other* text\n",
    ));
}

#[test]
fn f38_bad_quoting() {
    let rows = [
        (r#""It\'s a skill""#, "It's a skill"),
        (r#""Matches \d+ digits""#, r"Matches \d+ digits"),
        (r#""PDF" and more"#, r#""PDF" and more"#),
        ("'It's a skill'", "It's a skill"),
        (r#""No end"#, "No end"),
    ];
    for (value, meant) in rows {
        let outcome = frontmatter(&format!("name: pdf\ndescription: {value}\nlicense: MIT\n"));
        assert_eq!(outcome.skill().description, meant);
        assert_eq!(outcome.skill().license.as_deref(), Some("MIT"));
        outcome.tolerated(Code::BadQuoting);
    }
}

#[test]
fn f39_structured_text_fields() {
    let list = frontmatter("name: pdf\ndescription: d\ncompatibility: [linux, macos]\n");
    assert_eq!(
        list.skill().compatibility.as_deref(),
        Some(r#"["linux","macos"]"#)
    );
    list.tolerated(Code::NotAString);
    let mapping = frontmatter("name: pdf\ndescription: d\nlicense:\n  name: MIT\n");
    assert_eq!(
        mapping.skill().license.as_deref(),
        Some(r#"{"name":"MIT"}"#)
    );
    mapping.tolerated(Code::NotAString);
}

#[test]
fn f40_names_that_yaml_takes_for_something_else() {
    for name in ["yes", "8004"] {
        let outcome = in_directory(name, &format!("---\nname: {name}\ndescription: d\n---\n"));
        assert_eq!(outcome.skill().name.as_str(), name);
        outcome.tolerated(Code::NotAString);
    }
    let null = in_directory("pdf", "---\nname: null\ndescription: d\n---\n");
    assert_eq!(null.skill().name.as_str(), "pdf");
    null.tolerated(Code::MissingField);
}

#[test]
fn f41_incomplete_conflicts_and_stray_lines() {
    let conflict = frontmatter("<<<<<<< HEAD\nname: a\n=======\nname: b\ndescription: d\n");
    conflict.skipped(Code::MergeConflict);
    assert_eq!(conflict.position(Code::MergeConflict).line, 2);
    let stray = frontmatter("description: d\nname x\n");
    stray.skipped(Code::InvalidYaml);
    assert_eq!(stray.position(Code::InvalidYaml).line, 3);
    let first = frontmatter("name x\ndescription: d\n");
    first.skipped(Code::InvalidYaml);
    assert_eq!(first.position(Code::InvalidYaml).line, 2);
}

#[test]
fn f42_control_characters() {
    for (value, meant) in [
        ("a\0b", "ab"),
        ("a\u{7}b", "ab"),
        ("a\u{1b}[31mb", "a[31mb"),
        ("\"a\\u0007b\"", "ab"),
        ("a\u{85}b", "ab"),
    ] {
        let outcome = frontmatter(&format!("name: pdf\ndescription: {value}\n"));
        assert_eq!(outcome.skill().description, meant, "{value:?}");
        outcome.tolerated(Code::ControlCharacter);
    }
    // The place of what follows is the place in the file, not in the cleaned text.
    let after = frontmatter("name: pdf\ndescription: a\0\0b\nfoo: 1\n");
    assert_eq!(after.position(Code::UnknownField).line, 4);
    let offset = after.file.find("foo").unwrap();
    assert_eq!(after.position(Code::UnknownField).byte, offset);
}

#[test]
fn f43_flow_collections() {
    let outcome = frontmatter(
        "name: pdf\ndescription: d\ntags: [a, b]\nmetadata: {a: x}\nmore: {\n\"k\": [1,\n2]\n}\n",
    );
    assert_eq!(
        outcome.json(),
        r#"{"name":"pdf","description":"d","tags":["a","b"],"metadata":{"a":"x"},"more":{"k":[1,2]}}"#
    );
    assert_eq!(outcome.load(), []);
    assert_eq!(
        outcome.check(),
        [(Code::UnknownField, Severity::Warning); 2]
    );
    clean(&frontmatter(
        "name: pdf\ndescription: d\nmetadata: {a: x, b: \"y: z\"}\n",
    ));
}

#[test]
fn f44_odd_file_names() {
    for name in ["SKILL.MD", "Skill.md"] {
        let (chosen, diagnostics) = choose_skill_file(&["README.md", name]).unwrap();
        assert_eq!(chosen, name);
        assert_eq!(diagnostics[0].code, Code::FileName);
        assert_eq!(
            diagnostics[0].severity(Profile::Load),
            Some(Severity::Warning)
        );
        assert_eq!(
            diagnostics[0].severity(Profile::Check),
            Some(Severity::Error)
        );
    }
    let (_, lower) = choose_skill_file(&["skill.md"]).unwrap();
    assert_eq!(lower[0].severity(Profile::Check), Some(Severity::Warning));
    assert!(choose_skill_file(&["README.md"]).is_none());
}

#[test]
fn f45_names_that_must_not_travel() {
    for name in [
        "a/b",
        "a b",
        "'a: b'",
        "'--help'",
        "../../etc/passwd",
        "'$(reboot)'",
    ] {
        let outcome = in_directory("safe", &format!("---\nname: {name}\ndescription: d\n---\n"));
        assert_eq!(outcome.skill().name.as_str(), "safe", "{name}");
        outcome.has(Profile::Load, Code::InvalidName, Severity::Warning);
        assert!(!outcome.is_valid(Profile::Check), "{name}");
    }
}
