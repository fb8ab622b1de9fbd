//! `prowess test --watch`.

use std::fmt::Write as _;
use std::sync::Arc;

use prowess_runtime::{NoApprover, SkillContent};
use prowess_sources::watch;
use tokio::sync::Notify;

use super::arguments::TestArguments;
use super::command::{plan, show};
use crate::arguments::Global;
use crate::code_skills::{PathOrigin, ResolvedSkills, resolve_path};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::target::{self, PathKind};
use crate::terminal;

/// Tests now and after each change, until Ctrl-C; returns the exit code of the last run.
pub(super) async fn run(
    arguments: &TestArguments,
    global: &Global,
    mut interrupts: Interrupts,
) -> Result<Exit> {
    let path = arguments.path();
    let kind = target::kind(path).with_context(|| format!("cannot watch {}", path.display()))?;
    if !matches!(kind, PathKind::Directory(_)) {
        let message = format!("cannot watch {}: not a directory", path.display());
        return Err(CommandError::usage(message));
    }
    // Watching begins before the first run, so that no change is missed.
    let approver = Arc::new(NoApprover);
    let resolved = resolve_path(path, PathOrigin::Default, &[], global, approver).await?;
    let changed = Arc::new(Notify::new());
    let notified = Arc::clone(&changed);
    let watching = watch(&resolved.skills, move |_| notified.notify_one());
    let _watching = watching.map_err(|error| CommandError::failure(error.to_string()))?;
    let mut approve_skills = arguments.approve_skills.clone();
    let mut exit = Exit::Success;
    let mut tested = String::new();
    loop {
        let state = state(&resolved, arguments).await;
        if state != tested {
            tested = state;
            let mut plan = plan(arguments);
            plan.approve_skills = &approve_skills;
            tokio::select! {
                report = plan.run(global) => match report {
                    Ok(report) => {
                        show(&report, arguments, global)?;
                        exit = report.exit();
                    }
                    Err(error) => {
                        error.print();
                        exit = error.kind.exit();
                    }
                },
                () = interrupts.interrupted() => return Ok(exit),
            }
            // A digest approves the first content only; a changed skill is asked about.
            approve_skills.retain(|name| !name.contains('@'));
            terminal::note("waiting for changes; press Ctrl-C to end");
        }
        tokio::select! {
            () = changed.notified() => {}
            () = interrupts.interrupted() => return Ok(exit),
        }
    }
}

/// What a run depends on. The watch also reports changes of files that belong to no skill.
async fn state(resolved: &ResolvedSkills, arguments: &TestArguments) -> String {
    let skills = &resolved.skills;
    let mut state = String::new();
    for id in resolved.ids_of(arguments.path()) {
        let line = match SkillContent::read(skills, &id).await {
            Ok(content) => content.subject().content.to_string(),
            Err(error) => error.to_string(),
        };
        let _ = writeln!(state, "{id} {line}");
    }
    for (source, invalid) in skills.catalog().invalid() {
        let _ = writeln!(state, "{source} {invalid:?}");
    }
    state
}
