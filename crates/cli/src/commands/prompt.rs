//! `prowess prompt`: the exact skill catalog of a model.

use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use prowess_agent::limits::RECENT_SKILLS;
use prowess_config::SkillsConfig;
use prowess_core::wire::MAX_SKILLS;
use prowess_core::{CatalogFormat, CatalogPlacement, Hints, Prompt, SkillId};
use prowess_runtime::{Project, ProjectLimits};
use prowess_trust::ProjectRoot;

use crate::arguments::{Global, SourceArguments};
use crate::error::{Context, Result};
use crate::exit::Exit;
use crate::model::{self, ModelArguments};
use crate::{agent, code_skills, configuration, environment, open, terminal};

const HELP: &str = "\
Examples:
  prowess prompt                          print the catalog for a model
  prowess prompt --budget 4000            limit it to 4,000 characters
  prowess prompt --dialect claude-code    print it for another host";

/// Arguments of `prompt`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct PromptArguments {
    /// Format of the catalog [default: as the dialect prescribes]
    #[arg(long, value_enum)]
    pub(crate) format: Option<PromptFormat>,
    /// Maximum number of characters [default: as the dialect prescribes]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// Dialect: prowess, meerkat, remcochat, vibe-tavern, ruby-llm or claude-code [default: prowess]
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// First message of the conversation; if not all skills fit, those that match it are listed
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Catalog format, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptFormat {
    /// Elements with the id as attribute
    Xml,
    /// Elements with name and description inside
    XmlElements,
    /// Empty elements with attributes
    XmlAttributes,
    /// One JSON object
    Json,
    /// A list
    Markdown,
}

impl From<PromptFormat> for CatalogFormat {
    fn from(format: PromptFormat) -> Self {
        match format {
            PromptFormat::Xml => Self::Xml,
            PromptFormat::XmlElements => Self::XmlElements,
            PromptFormat::XmlAttributes => Self::XmlAttributes,
            PromptFormat::Json => Self::Json,
            PromptFormat::Markdown => Self::Markdown,
        }
    }
}

pub(crate) fn run(arguments: &PromptArguments, global: &Global) -> Result<Exit> {
    let mut config = configuration::load(global)?;
    if let Some(name) = &arguments.dialect {
        // In place of the configured one, so that configured thresholds still count.
        config.skills.dialect = open::dialect(name)?;
    }
    let chosen = model::select(&arguments.model, &config, global)?;
    let window = arguments.model.window(&config, &chosen);
    let skills = open::skills_with(
        &config,
        window,
        &arguments.sources,
        global,
        |mut builder| {
            if let Some(format) = arguments.format {
                builder = builder.catalog_format(format.into());
            }
            match arguments.budget {
                Some(chars) => builder.catalog_chars(chars),
                None => builder,
            }
        },
    )?;
    let session = skills.session();
    let mut prompt = session.prompt_for(chosen.tool_use());
    if prompt.report.omitted + prompt.report.undescribed > 0 {
        // A project can be large: it is scanned only if that changes the order.
        let root = project_root()?;
        session.rank(&Hints {
            pinned: &agent::pinned(&config),
            message: arguments.message.as_deref().unwrap_or_default(),
            project: &Project::scan(&root, &ProjectLimits::default()).words(),
            recent: &recent(&config, &root, global.quiet),
        });
        prompt = session.prompt_for(chosen.tool_use());
    }
    let Prompt { text, report } = prompt;
    if arguments.json {
        super::print_json(&serde_json::json!({"prompt": text, "report": report}))?;
        return Ok(Exit::Success);
    }
    if !text.is_empty() {
        let text = format!("{text}\n");
        terminal::print_content(text.as_bytes(), terminal::Content::ForReader)?;
    }
    if !global.quiet {
        let placement = match skills.settings().dialect.catalog_placement {
            CatalogPlacement::SystemPrompt => "the system prompt",
            CatalogPlacement::BeforeLastUserMessage => {
                "a system message before the last user message"
            }
            CatalogPlacement::ToolDescription => "the tool description",
        };
        let mut note = format!(
            "{} of {} skills listed, about {} tokens, for {placement}",
            report.shown, report.total, report.tokens_after
        );
        if report.shortened > 0 {
            let _ = write!(note, "; {} descriptions shortened", report.shortened);
        }
        if report.undescribed > 0 {
            let _ = write!(note, "; {} without description", report.undescribed);
        }
        if report.omitted > 0 {
            let _ = write!(
                note,
                "; {} available through collections or search",
                report.omitted
            );
        }
        let omitted = skills.catalog().omitted();
        if omitted > 0 {
            let _ = write!(note, "; {omitted} omitted (`{MAX_SKILLS}`)");
        }
        terminal::note(&note);
    }
    Ok(Exit::Success)
}

/// The root of the project of the current directory.
pub(crate) fn project_root() -> Result<PathBuf> {
    let directory = env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    let root = ProjectRoot::find(&directory, home.as_deref());
    Ok(root.path().to_owned())
}

/// The skills that chats in the project used last; none where the store cannot be opened.
fn recent(config: &SkillsConfig, root: &Path, quiet: bool) -> Vec<SkillId> {
    let recent = code_skills::block_on(async {
        let store = code_skills::open_store_to_read(config).await?;
        let project = root.display().to_string();
        Ok(store.recent_skills(&project, RECENT_SKILLS).await?)
    });
    recent.unwrap_or_else(|error| {
        if !quiet {
            let note = format!("warning: {error}: recently used skills are unknown");
            terminal::note(&terminal::printable(&note));
        }
        Vec::new()
    })
}
