use super::*;
use crate::offsets::apply_edits;

fn check(text: &str, codes: &[Code], fixed: &str) {
    let found = repairs(text);
    let found_codes: Vec<Code> = found.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(found_codes, codes, "{text:?}");
    let edits: Vec<Edit> = found
        .into_iter()
        .flat_map(|diagnostic| diagnostic.fix)
        .collect();
    let result = apply_edits(text, &edits);
    assert_eq!(result, fixed, "{text:?}");
    assert!(parses(&result), "{result:?}");
}

#[test]
fn valid_yaml_is_not_repaired() {
    check("a: b\nc: [d]\n", &[], "a: b\nc: [d]\n");
}

#[test]
fn colons_are_quoted() {
    use Code::UnquotedColon;
    check(
        "d: Use when: asked\n",
        &[UnquotedColon],
        "d: \"Use when: asked\"\n",
    );
    check("d: ends with:\n", &[UnquotedColon], "d: \"ends with:\"\n");
    check(
        "d: one: two # why\n",
        &[UnquotedColon],
        "d: \"one: two\" # why\n",
    );
    check(
        "d: one\n  two: three\n",
        &[UnquotedColon],
        "d: \"one two: three\"\n",
    );
    check(
        "m:\n  a: b: c\n  d: e\n",
        &[UnquotedColon],
        "m:\n  a: \"b: c\"\n  d: e\n",
    );
    check(
        "m:\n  - b: c: d\n",
        &[UnquotedColon],
        "m:\n  - b: \"c: d\"\n",
    );
    check(
        "d: say \"x: y\" now: ok\r\n",
        &[UnquotedColon],
        "d: 'say \"x: y\" now: ok'\r\n",
    );
}

#[test]
fn indicators_are_quoted() {
    use Code::UnquotedScalar;
    check(
        "d: **Bold** text\n",
        &[UnquotedScalar],
        "d: \"**Bold** text\"\n",
    );
    check(
        "d: [Beta] does: x\n",
        &[UnquotedScalar],
        "d: \"[Beta] does: x\"\n",
    );
    check(
        "d: @user\ne: `x`\n",
        &[UnquotedScalar; 2],
        "d: \"@user\"\ne: \"`x`\"\n",
    );
    check(
        "d: > not a block\n",
        &[UnquotedScalar],
        "d: \"> not a block\"\n",
    );
}

#[test]
fn broken_quotes_are_repaired() {
    use Code::BadQuoting;
    check(r#"d: "it\'s""#, &[BadQuoting], r#"d: "it's""#);
    check("d: 'it's'\n", &[BadQuoting], "d: \"it's\"\n");
    check(
        "d: \"A\" and more\n",
        &[BadQuoting],
        "d: '\"A\" and more'\n",
    );
    check(
        "d: \"no end\ne: f\n",
        &[BadQuoting],
        "d: \"no end\"\ne: f\n",
    );
    check(r#"d: "a \d+ b""#, &[BadQuoting], r"d: 'a \d+ b'");
}

#[test]
fn quoted_lines_have_no_keys() {
    let text = "d: 'one\n  two: a&nbsp;b'\n";
    assert_eq!(misread(text), []);
}

#[test]
fn tabs_become_spaces_also_in_blocks() {
    use Code::TabIndentation;
    check("m:\n\ta: 1\n", &[TabIndentation], "m:\n  a: 1\n");
    check("d: |\n\ttext: x\n", &[TabIndentation], "d: |\n  text: x\n");
}

#[test]
fn stray_lines_are_found() {
    assert_eq!(stray_line("name x\nd: e\n"), Some(Span::new(0, 6)));
    assert_eq!(stray_line("d: e\n  more\n# c\n- x\n"), None);
}
