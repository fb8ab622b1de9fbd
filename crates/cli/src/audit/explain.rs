//! `prowess audit --explain`: what a rule looks for, with examples.

use std::fmt::Write as _;

use prowess_scan::{Rule, Sample, base_rules};
use prowess_spec::manifest::Keyword as _;

use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::terminal;

pub(super) fn run(id: &str) -> Result<Exit> {
    if id == "unverified" {
        terminal::print(UNVERIFIED)?;
        return Ok(Exit::Success);
    }
    if id == "all" {
        terminal::print(&rules_reference())?;
        return Ok(Exit::Success);
    }
    let Some(rule) = base_rules().find(|rule| rule.id == id) else {
        let nearest = base_rules()
            .map(|rule| (strsim::damerau_levenshtein(rule.id, id), rule.id))
            .min();
        let error = CommandError::failure(format!("unknown rule `{id}`"));
        return Err(match nearest {
            Some((distance, near)) if distance <= 4 => {
                error.hint(format!("did you mean `{near}`?"))
            }
            _ => error.hint("`prowess audit --explain all` prints every rule".to_owned()),
        });
    };
    terminal::print(&page(rule))?;
    Ok(Exit::Success)
}

/// What is not a rule and has a name all the same.
const UNVERIFIED: &str = "### unverified\n\nCode or data could not be read: a binary, a locked archive, an unknown encoding, a program that is too large, \
     too deep or that runs code that is not known before it runs.\n\nWhat to do: review these files yourself, or do not use the skill.\n";

/// The page of a rule, in Markdown.
fn page(rule: &Rule) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "### {}\n", rule.id);
    let _ = writeln!(
        out,
        "{}: {}.\n",
        capital(rule.severity.as_str()),
        rule.message
    );
    let _ = writeln!(out, "What to do: {}.\n", rule.help);
    out.push_str("The severity can be lower or higher, by what stands around it.\n\nFound in:\n\n");
    rule.bad
        .iter()
        .take(3)
        .for_each(|sample| example(&mut out, sample));
    out.push_str("Not found in:\n\n");
    rule.good
        .iter()
        .take(3)
        .for_each(|sample| example(&mut out, sample));
    out
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

fn example(out: &mut String, sample: &Sample) {
    let language = match sample.path.rsplit('.').next() {
        Some("md") => "text",
        Some(extension) => extension,
        None => "",
    };
    let lines: Vec<String> = sample.text.lines().map(terminal::printable).collect();
    let text = lines.join("\n");
    let fence = if text.contains("```") { "````" } else { "```" };
    let _ = writeln!(out, "{fence}{language}\n{}\n{fence}\n", text.trim_end());
}

/// Every rule, for the reference.
pub fn rules_reference() -> String {
    let mut out = String::from("| rule | severity | |\n|---|---|---|\n");
    for rule in base_rules() {
        let _ = writeln!(
            out,
            "| [`{id}`](#{id}) | {severity} | {message} |",
            id = rule.id,
            severity = rule.severity.as_str(),
            message = rule.message
        );
    }
    for rule in base_rules() {
        out.push('\n');
        out.push_str(page(rule).trim_end());
        out.push('\n');
    }
    out
}
