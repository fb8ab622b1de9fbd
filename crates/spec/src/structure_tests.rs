use super::*;
use crate::offsets::apply_edits;

fn check(repair: impl Fn(&str) -> Vec<Diagnostic>, text: &str, fixed: &str) {
    let edits: Vec<Edit> = repair(text)
        .into_iter()
        .flat_map(|found| found.fix)
        .collect();
    assert_eq!(apply_edits(text, &edits), fixed, "{text:?}");
}

#[test]
fn first_side_of_a_conflict_is_taken() {
    check(
        conflicts,
        "a: b\n<<<<<<< HEAD\nc: d\n=======\nc: e\n>>>>>>> x\nf: g\n",
        "a: b\nc: d\nf: g\n",
    );
    check(
        conflicts,
        "<<<<<<< HEAD\r\nc: d\r\n||||||| base\r\nc: z\r\n=======\r\n>>>>>>> x\r\n",
        "c: d\r\n",
    );
    for incomplete in [
        "<<<<<<< HEAD\na: b\n",
        "<<<<<<< HEAD\na: b\n=======\na: c\n",
        "a: b\n>>>>>>> x\n",
        "<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> b\n",
    ] {
        check(conflicts, incomplete, incomplete);
    }
}

#[test]
fn heading_marks_are_removed_where_the_description_is_missing() {
    check(
        headings_as_keys,
        "## name: a\n### description: b\n## About\n",
        "name: a\ndescription: b\n## About\n",
    );
    for valid in [
        "name: a\ndescription: b\n## description: c\n",
        "description: b\n## name: c\n",
        "# description: a\n",
    ] {
        check(headings_as_keys, valid, valid);
    }
}

#[test]
fn only_a_list_of_one_mapping_is_taken_out() {
    check(
        list_of_one,
        "# c\n- name: a\n  m:\n    x: y\n",
        "# c\nname: a\nm:\n  x: y\n",
    );
    check(list_of_one, "-   name: a\n    m: b\n", "name: a\nm: b\n");
    for other in ["- name: a\n- name: b\n", "- a\n", "- x: y\n", "name: a\n"] {
        check(list_of_one, other, other);
    }
}

#[test]
fn lines_of_quoted_text_are_indented() {
    check(
        unindented_text,
        "d: \"one\ntwo: \\\"x\\\"\n\nthree\" # c\ne: f\n",
        "d: \"one\n  two: \\\"x\\\"\n\n  three\" # c\ne: f\n",
    );
    check(
        unindented_text,
        "m:\n  a: 'it''s\nhere'\n  b:\n    - \"x\n  y\"\n",
        "m:\n  a: 'it''s\n    here'\n  b:\n    - \"x\n        y\"\n",
    );
    for other in [
        "d: \"one\n  two\"\n",
        "d: \"one\" two\n",
        "d: \"no end\ne: \"f\"\n",
        "d: \"no end\n",
        "d: |\n  a: \"b\n  c\"\n",
    ] {
        check(unindented_text, other, other);
    }
}
