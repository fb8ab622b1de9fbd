//! The configuration as every command gets it, and its problems as people get them.

use std::env;
use std::path::Path;
use std::sync::Once;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use prowess_config::{Error, IgnoredKey, Lookup, Origin, Problem, SkillsConfig};
use prowess_spec::LineIndex;
use prowess_trust::{Decision, ReachList};

use crate::arguments::Global;
use crate::check::excerpt::excerpt;
use crate::error::{CommandError, Context, Result, message_of};
use crate::{environment, terminal};

/// How many ignored keys are explained one by one.
const EXPLAINED: usize = 3;

/// Loads the file that was named, or the project's over the user's.
pub(crate) fn load(global: &Global) -> Result<SkillsConfig> {
    static WARNED: Once = Once::new();
    let directory = env::current_dir().context("cannot find the current directory")?;
    let user = environment::user_directories();
    let records = environment::trust_records();
    let trusts = |root: &Path, reach: &ReachList| {
        let decision = records.as_ref().and_then(|it| it.decision(root, reach));
        decision == Some(Decision::Trusted)
    };
    let lookup = Lookup {
        directory: &directory,
        home: user.home.as_deref(),
        user_config: user.config.as_deref(),
        variables: &|name| env::var_os(name),
        trusts: &trusts,
    };
    let config = match &global.config {
        Some(file) => SkillsConfig::load_file(file, &lookup)?,
        None => SkillsConfig::load(&lookup)?,
    };
    if !global.quiet {
        // A command may load it more than once.
        WARNED.call_once(|| {
            for warning in warnings(&config) {
                terminal::note(&format!("warning: {warning}"));
            }
        });
    }
    Ok(config)
}

/// Ignored statements of project files, one line each; many keys are one line.
pub(crate) fn warnings(config: &SkillsConfig) -> Vec<String> {
    let files = config.ignored_files.iter().map(|file| {
        let path = shown(&file.path);
        format!("{path} ignored: {}", file.reason)
    });
    let mut warnings: Vec<String> = files.collect();
    let ignored = config.ignored();
    if ignored.len() <= EXPLAINED {
        warnings.extend(ignored.iter().map(|it| {
            let at = origin(&it.origin);
            format!(
                "{at}: `{}` ignored: a project file cannot {}",
                it.key, it.act
            )
        }));
    } else {
        let key = |it: &IgnoredKey| match &it.origin {
            Origin::File { line, .. } => format!("{} (line {line})", it.key),
            Origin::Default => it.key.clone(),
        };
        let file = ignored.first().map(|it| origin(&it.origin));
        let file = file.unwrap_or_default();
        let (file, _) = file.rsplit_once(':').unwrap_or((&file, ""));
        let keys: Vec<String> = ignored.iter().map(key).collect();
        warnings.push(format!(
            "{file}: ignored {} keys that only your own configuration can set: {}",
            keys.len(),
            keys.join(", ")
        ));
    }
    warnings.iter().map(|it| terminal::printable(it)).collect()
}

/// That skills are disabled, and by which file.
pub(crate) fn disabled(config: &SkillsConfig) -> Option<String> {
    let entry = config
        .entries()
        .iter()
        .find(|entry| entry.key == "skills.enabled");
    let entry = entry.filter(|_| !config.skills.enabled)?;
    let at = origin(&entry.origin);
    Some(format!("skills are disabled: `enabled = false` at {at}"))
}

/// Where a value is stated, as a person would type it here.
pub(crate) fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::File { path, line, .. } => format!("{}:{line}", shown(path)),
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        let Error::Invalid { problems, omitted } = &error else {
            return Self::failure(message_of(&error));
        };
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let mut drawing: Vec<String> = problems.iter().map(render).collect();
        if *omitted > 0 {
            drawing.push(format!("... and {omitted} more"));
        }
        Self {
            hints: problems.iter().filter_map(Problem::help).collect(),
            drawing: Some(drawing.join("\n")),
            ..Self::failure(messages.join("; "))
        }
    }
}

/// A problem with the line that it is about.
pub(crate) fn render(problem: &Problem) -> String {
    let bytes = problem.source().as_bytes();
    let span = problem.span();
    let lines = LineIndex::new(bytes);
    let excerpt = excerpt(bytes, lines.position(span.start), lines.position(span.end));
    let snippet = Snippet::source(excerpt.text.as_str())
        .path(shown(problem.file()))
        .line_start(problem.position().line)
        .annotation(AnnotationKind::Primary.span(excerpt.start..excerpt.end));
    let title = Level::ERROR.primary_title(terminal::printable(&problem.message()));
    let help = problem
        .help()
        .map(|help| Level::HELP.message(terminal::printable(&help)));
    let renderer = Renderer::styled().term_width(terminal::width());
    renderer.render(&[title.element(snippet).elements(help)])
}

/// A path as a person would type it here.
pub(crate) fn shown(path: &Path) -> String {
    let here = env::current_dir().ok();
    let inside = here
        .as_deref()
        .and_then(|here| path.strip_prefix(here).ok());
    let home = environment::user_directories().home;
    let at_home = home
        .as_deref()
        .and_then(|home| path.strip_prefix(home).ok());
    terminal::printable(&match (inside, at_home) {
        (Some(inside), _) => inside.display().to_string(),
        (None, Some(inside)) => format!("~/{}", inside.display()),
        (None, None) => path.display().to_string(),
    })
}
