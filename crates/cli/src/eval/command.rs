//! `prowess eval`, from the arguments to the exit code.

use std::path::Path;
use std::sync::Arc;

use prowess_agent::Cancel;
use prowess_agent::eval::{self, Benchmark, Figure};

use super::approver::StartupApprover;
use super::arguments::EvalArguments;
use super::output::OutputDirectory;
use super::progress::EvalProgress;
use super::setup::{self, EvalModels};
use super::{comparison, print, skill};
use crate::arguments::Global;
use crate::code_skills::StoreNeed;
use crate::error::{CommandError, ErrorKind, Result};
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::{code_skills, configuration, model, terminal};

pub(crate) fn run(arguments: &EvalArguments, global: &Global) -> Result<Exit> {
    code_skills::with_threads(|interrupts| evaluate(arguments, global, interrupts))
}

async fn evaluate(
    arguments: &EvalArguments,
    global: &Global,
    mut interrupts: Interrupts,
) -> Result<Exit> {
    // Read first: it may be the very file that is replaced.
    let before = arguments
        .baseline
        .as_deref()
        .map(comparison::read)
        .transpose()?;
    let approver = StartupApprover::default();
    let layers = skill::layers(arguments);
    let config = configuration::load(global)?;
    let chosen = model::select(&arguments.model, &config, global)?;
    let window = arguments.model.window(&config, &chosen);
    let approver_of_skills = Arc::new(approver.clone());
    // Nothing of it is saved.
    let need = StoreNeed::Optional;
    let resolving = code_skills::resolve(config, window, &layers, global, approver_of_skills, need);
    let resolved = interrupts.unless(resolving).await??;
    let skill = skill::find(&arguments.skill, &resolved.skills.catalog()).await?;
    let suite = skill::suite(arguments, &resolved.skills, &skill).await?;
    let catalog = resolved.skills.catalog();
    let home = resolved.skills.sources().location(&catalog, &skill);
    let home = home.as_deref().map(Path::new);
    let out = OutputDirectory::new(arguments.out.as_deref(), &skill, home)?;
    let models = EvalModels::choose(arguments, &resolved, global)?;
    let runs = usize::from(arguments.runs);
    let print_note = |line: &str| {
        if !global.quiet {
            terminal::note(&terminal::printable(line));
        }
    };
    let name = skill.as_str().rsplit('/').next();
    if let Some(other) = suite.skill_name.as_deref().filter(|it| Some(*it) != name) {
        print_note(&format!(
            "warning: evals/evals.json names another skill: `{other}`"
        ));
    }
    let opening = setup::open(&skill, &suite, runs, resolved, &models);
    let setup = Box::pin(interrupts.unless(opening)).await??;
    approver.close();
    for line in print::estimate(&suite, runs, &models) {
        print_note(&line);
    }
    let total = suite.chats(runs);
    let bar = EvalProgress::new(total, global.quiet, arguments.progress_json);
    let cancel = Cancel::new();
    let emit = |progress| {
        setup.clear_scratch();
        bar.update(&progress);
    };
    let measured = tokio::select! {
        measured = eval::run(&setup.contest, &suite, &emit, &cancel) => measured,
        () = second_interrupt(&mut interrupts, &cancel, &bar) => return Err(CommandError::new(ErrorKind::Interrupted, "interrupted twice: nothing written")),
    };
    drop(bar);
    setup.shut_down().await;
    let benchmark = measured?;
    report(arguments, &benchmark, before.as_ref(), &out, &print_note)
}

/// The first Ctrl-C ends it early, the second at once.
async fn second_interrupt(interrupts: &mut Interrupts, cancel: &Cancel, bar: &EvalProgress) {
    interrupts.interrupted().await;
    cancel.cancel();
    bar.note("stopping; press Ctrl-C again to discard the results");
    interrupts.interrupted().await;
}

/// Prints and writes what was measured.
fn report(
    arguments: &EvalArguments,
    benchmark: &Benchmark,
    before: Option<&Benchmark>,
    out: &OutputDirectory,
    print_note: &dyn Fn(&str),
) -> Result<Exit> {
    if benchmark.runs.is_empty() && benchmark.triggers.is_empty() {
        let message = "stopped before the first result: nothing written";
        return Err(CommandError::failure(message));
    }
    let json = format!("{}\n", terminal::json(benchmark)?);
    let text = if arguments.json {
        json.clone()
    } else {
        let mut text = print::results(benchmark);
        if let Some(before) = before {
            text.push('\n');
            text.push_str(&comparison::render(before, benchmark));
        }
        text
    };
    // If either fails, the results so far are not lost.
    let printed = terminal::print(&text);
    let wrote = out.write(benchmark, &json);
    for note in &benchmark.notes {
        print_note(&format!("warning: {}", print::one_line(note)));
    }
    if let Some(before) = before {
        for warning in comparison::warnings(before, benchmark) {
            print_note(&warning);
        }
    }
    printed?;
    print_note(&wrote?);
    if benchmark.partial {
        let hint = "run the command again for complete results";
        terminal::print_problem("stopped early: the results are incomplete", Some(hint));
        return Ok(Exit::Failure);
    }
    let rate = benchmark.run_summary.with_skill.pass_rate.mean;
    if let Some(least) = arguments.fail_under
        // Thirds and fifths do not add up to the last digit.
        && rate * 100.0 + 1e-9 < f64::from(least)
    {
        let shown = Figure::PassRate.show(rate);
        let message = format!("the pass rate with the skill is {shown}, below {least}%");
        terminal::print_problem(&message, None);
        return Ok(Exit::Findings);
    }
    Ok(Exit::Success)
}
