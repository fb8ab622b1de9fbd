//! What holds for every file, tried on files made of the parts that real ones are made of.

use std::borrow::Cow;

use proptest::prelude::*;
use prowess_spec::{Context, Parsed, fix, head, manifest, parse, render_frontmatter};
use prowess_testing::properties;

const CASES: u32 = 4_000;

const CONTEXT: Context<'_> = Context {
    directory: Some("some-dir"),
    exists: Some(&|_| false),
};

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z][a-z ,.()-]{0,30}",
        2 => "[a-z]{1,8}: [a-z ]{1,12}:?",
        1 => "[*&@`%,\\[{!|>#?-][a-zA-Z *`\\]}]{0,12}",
        1 => "\"[a-z' ]{0,8}(\\\\'|\\\\d|\\\\n|\")?[a-z ]{0,6}\"?",
        1 => "'[a-z ]{0,8}'?[a-z ]{0,6}'?",
        1 => "[|>][+-]?\n  [a-z: ]{1,12}\n\n?  [a-z:' ]{0,12}",
        1 => "[a-z ]{1,8}\n  [a-z:' ]{1,12}",
        1 => "\\[[a-z, ]{0,8}\\]|\\{[a-z]: [a-z]\\}|\\[",
        1 => "(1\\.10|yes|null|~|42|true|)",
        1 => "[a-z]{0,3}(&nbsp;|\u{7}|\u{0}|é|技|\t)[a-z]{0,3}",
        1 => "\"[a-z ]{0,5}\n[a-z:' ]{0,8}\n?[a-z]{0,3}\"?",
        1 => "'[a-z ]{0,5}\n[a-z:#\" ]{0,8}('')?'",
        1 => "# ?[A-Za-z: ]{0,8}",
        1 => "\n  [*&@`%][a-z*; ]{0,8}",
    ]
}

fn entry() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        3 => Just("name"),
        4 => Just("description"),
        1 => Just("Name"),
        1 => Just("license"),
        1 => Just("compatibility"),
        1 => Just("allowed-tools"),
        1 => Just("allowed_tools"),
        1 => Just("metadata:\n  a"),
        1 => Just("metadata:\n\tb"),
        1 => Just("user-invocable"),
        1 => Just("disable_model_invocation"),
        1 => Just("argument-hint"),
        1 => Just("requires-capabilities"),
        1 => Just("METADATA"),
        1 => Just("foo"),
        1 => Just("# comment"),
        1 => Just("## name"),
        1 => Just("## description"),
        1 => Just("- name"),
        1 => Just("  description"),
        1 => Just("<<<<<<< HEAD\nname"),
        1 => Just("||||||| base\nname"),
        1 => Just("=======\ndescription"),
        1 => Just(">>>>>>> other\nlicense"),
    ];
    let separator = prop_oneof![12 => Just(": "), 1 => Just(":"), 1 => Just(":\t"), 1 => Just(" ")];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("  \n\n")];
    (key, separator, value(), end)
        .prop_map(|(key, separator, value, end)| format!("{key}{separator}{value}{end}"))
}

fn skill_file() -> impl Strategy<Value = String> {
    let before = prop_oneof![12 => Just(""), 1 => Just("\u{feff}"), 1 => Just("\n"), 1 => Just("```\n"), 1 => Just("<!-- x -->\n")];
    let delimiter = || prop_oneof![12 => Just("---\n"), 1 => Just("---  \r\n"), 1 => Just("----\n"), 2 => Just(""), 1 => Just(" ---\n"), 1 => Just("---# ")];
    let body = prop_oneof![
        Just(""),
        Just("# Body\n"),
        Just("\nText\n"),
        Just("\n---\nmore\n```\n")
    ];
    (
        before,
        delimiter(),
        prop::collection::vec(entry(), 0..6),
        delimiter(),
        body,
    )
        .prop_map(|(before, opening, entries, closing, body)| {
            format!("{before}{opening}{}{closing}{body}", entries.concat())
        })
}

fn read(text: &str) -> Parsed<'_> {
    parse(text.as_bytes(), &CONTEXT)
}

proptest! {
    #![proptest_config(properties(CASES))]

    #[test]
    fn parsing_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        parse(&bytes, &Context::default());
        head(&bytes, None);
        manifest::parse(&bytes, &Context::default(), None);
    }

    #[test]
    fn spans_lie_in_the_file(text in skill_file()) {
        for found in read(&text).diagnostics {
            let spans = std::iter::once(found.span).chain(found.fix.iter().map(|edit| edit.span));
            for span in spans {
                prop_assert!(text.get(span.start..span.end).is_some(), "{span:?} of {text:?}");
            }
        }
    }

    #[test]
    fn head_equals_parse(text in skill_file()) {
        let parsed = read(&text).skill.map(|skill| (
            skill.name.to_string(),
            skill.description,
            skill.metadata,
            skill.requires_capabilities,
            (skill.client.disable_model_invocation, skill.client.user_invocable, skill.client.argument_hint),
        ));
        let head = head(text.as_bytes(), Some("some-dir")).map(|head| (
            head.name.into_owned(),
            head.description.into_owned(),
            head.metadata.into_iter().map(|(key, value)| (key.into_owned(), value.into_owned())).collect(),
            head.requires_capabilities.into_iter().map(Cow::into_owned).collect(),
            (head.disable_model_invocation, head.user_invocable, head.argument_hint.map(Cow::into_owned)),
        ));
        prop_assert_eq!(head, parsed, "{:?}", text);
    }

    #[test]
    fn rendered_frontmatter_parses_to_the_same_values(text in skill_file()) {
        if let Some(skill) = read(&text).skill {
            let rendered = render_frontmatter(&skill.frontmatter);
            let file = format!("---\n{rendered}---\n");
            let again = read(&file);
            let again = again.skill.map(|skill| serde_json::to_value(&skill.frontmatter).unwrap());
            prop_assert_eq!(again, Some(serde_json::to_value(&skill.frontmatter).unwrap()), "{}", rendered);
        }
    }

    #[test]
    fn repaired_files_pass_for_what_was_repaired(text in skill_file()) {
        let Some(skill) = read(&text).skill else { return Ok(()) };
        let Some(fixed) = fix(&text, &CONTEXT) else { return Ok(()) };
        let again = read(&fixed.text);
        let kept = again.skill.as_ref().map(|skill| (&skill.name, &skill.description));
        prop_assert_eq!(kept, Some((&skill.name, &skill.description)), "{:?} to {:?}", text, fixed);
        for found in &again.diagnostics {
            prop_assert!(found.fix.is_empty(), "{:?}: {:?} to {:?}", found, text, fixed.text);
        }
    }
}
