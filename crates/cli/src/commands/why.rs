//! `prowess why`: what makes a skill active, or would.

use std::fmt::Write;

use clap::Args;
use prowess_runtime::{Activation, Cause, CodeSkill};
use prowess_spec::manifest::{Keyword, Manifest};
use serde_json::json;

use super::print_json;
use crate::arguments::{Global, ModeArgument};
use crate::code_skills::{self, CodeSkillArguments};
use crate::completer::skill_ids;
use crate::error::Result;
use crate::exit::Exit;
use crate::{open, terminal};

const HELP: &str = "\
Examples:
  prowess why kubernetes
  prowess why kubernetes --message deploy the pods
  prowess why rfc-writer --json";

/// Arguments of `why`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct WhyArguments {
    /// Id of the skill
    #[arg(add = skill_ids())]
    pub(crate) skill: String,
    /// Message to search for keywords
    #[arg(long, num_args = 1.., value_name = "WORDS")]
    pub(crate) message: Vec<String>,
    #[command(flatten)]
    pub(crate) mode: ModeArgument,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &WhyArguments, global: &Global) -> Result<Exit> {
    code_skills::block_on(why(arguments, global))
}

async fn why(arguments: &WhyArguments, global: &Global) -> Result<Exit> {
    let opened = code_skills::open(&arguments.code_skills, global).await?;
    let id = open::parse_id(&arguments.skill)?;
    let id = opened.manifests.named(id.as_str()).unwrap_or(&id).clone();
    let message = arguments.message.join(" ");
    let mode = arguments.mode.mode();
    if opened.runtime.skills().catalog().get(id.as_str()).is_none() {
        let error = prowess_core::SourceError::NotFound(id.clone());
        return Err(super::load_error(
            opened.runtime.skills(),
            id.as_str(),
            &error,
        ));
    }
    let active = opened.evaluate(&message, mode)?;
    let found = active.into_iter().find(|it| it.id == id);
    let manifest = opened.manifests.get(&id);
    let error = opened.manifests.error(&id);
    let skill = CodeSkill::read(opened.runtime.skills(), &id).await.ok();
    let undecided = skill
        .as_ref()
        .map(|skill| opened.runtime.approvals().undecided(skill))
        .unwrap_or_default();
    if arguments.json {
        let words: Vec<&str> = undecided.iter().map(|it| it.as_str()).collect();
        print_json(&json!({
            "skill": id,
            "active": found.is_some(),
            "score": found.as_ref().map_or(0, |it| it.score),
            "causes": found.as_ref().map_or(&[][..], |it| &it.causes),
            "error": error,
            "triggers": manifest.map(|it| &it.triggers),
            "not_approved": words,
        }))?;
    } else if let Some(error) = error {
        let line = format!("{id} cannot be activated: {error}\n");
        terminal::print(&terminal::printable(&line))?;
    } else {
        let text = explained(id.as_str(), found.as_ref(), manifest, mode.as_str());
        terminal::print(&text)?;
        if !undecided.is_empty() {
            let words: Vec<&str> = undecided.iter().map(|it| it.as_str()).collect();
            terminal::print(&format!("needs approval: {}\n", words.join(", ")))?;
        }
    }
    Ok(match error {
        Some(_) => Exit::Failure,
        None => Exit::Success,
    })
}

fn explained(
    id: &str,
    found: Option<&Activation>,
    manifest: Option<&Manifest>,
    mode: &str,
) -> String {
    let mut text = String::new();
    if let Some(found) = found {
        let _ = writeln!(
            text,
            "{id} is activated here, with a score of {}:",
            found.score
        );
        for cause in &found.causes {
            let _ = writeln!(text, "  {}", sentence(cause));
        }
        return text;
    }
    let _ = writeln!(text, "{id} is not activated automatically here.");
    let Some(manifest) = manifest else {
        text.push_str(
            "It contains instructions only; a model loads it when its description matches.\n",
        );
        return text;
    };
    let triggers = &manifest.triggers;
    let mut row = |what: &str, values: &[String], not: &str| {
        if !values.is_empty() {
            let _ = writeln!(text, "  {what:<10} {} ({not})", values.join(", "));
        }
    };
    row("files", &triggers.files, "no matching file");
    row("keywords", &triggers.keywords, "not in the message");
    row("languages", &triggers.languages, "not detected");
    let modes: Vec<String> = triggers
        .modes
        .iter()
        .map(|it| it.as_str().to_owned())
        .collect();
    row("modes", &modes, &format!("current mode: {mode}"));
    if triggers == &prowess_spec::manifest::Triggers::default() {
        text.push_str("It has no triggers and must be named.\n");
    }
    let _ = writeln!(text, "To activate it, use --skills {id}");
    text
}

/// A cause, for users.
pub(crate) fn sentence(cause: &Cause) -> String {
    match cause {
        Cause::Explicit => "named explicitly".to_owned(),
        Cause::File { pattern, file } if pattern == file => format!("{file} exists"),
        Cause::File { pattern, file } => format!("{file} matches {pattern}"),
        Cause::Keyword { keyword } => format!("the message contains \"{keyword}\""),
        Cause::Language { language } => format!("the language is {language}"),
        Cause::Mode { mode } => format!("the mode is {mode}"),
    }
}
