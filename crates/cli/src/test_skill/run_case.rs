//! Runs one case, in a project of its own.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::SkillId;
use prowess_runtime::limits::PROMPT_BUDGET;
use prowess_runtime::{Listener, NamedFiles, ProjectFiles, RuntimeEvent};
use prowess_scan::{File, Rules};
use prowess_sdk::wire::{Finding, ScannedFile};
use prowess_spec::SkillPath;
use prowess_spec::manifest::Keyword;
use serde_json::{Value, json};

use super::case::{Action, Case};
use super::compare::{Answer, compare};
use super::report::Outcome;
use super::stop::Stop;
use crate::code_skills::{HostServices, ResolvedSkills, TestBench};
use crate::commands::why;
use crate::error::message_of;

/// Runs a case; also returns what the skill reported meanwhile.
pub(super) async fn run_case(
    resolved: &ResolvedSkills,
    id: &SkillId,
    case: &Case,
) -> (Outcome, Vec<String>) {
    let events = Arc::new(Events::default());
    let answered = answer(resolved, id, case, &events).await;
    let outcome = match answered {
        Ok(answer) => match compare(&case.expected, &answer) {
            Ok(()) => Outcome::Passed,
            Err(message) => Outcome::Failed(message),
        },
        Err(Stop::Failed(message)) => match &case.expected.error {
            Some(text) if message.contains(text) => Outcome::Passed,
            _ => Outcome::Failed(message),
        },
        Err(Stop::NotRun(message)) => Outcome::NotRun(message),
        Err(Stop::NotApproved(message, hint)) => Outcome::NotApproved(message, hint),
    };
    let lines = events.lines.lock().unwrap_or_else(PoisonError::into_inner);
    (outcome, lines.clone())
}

/// What a skill reported during a case.
#[derive(Default)]
struct Events {
    lines: Mutex<Vec<String>>,
    /// Failures of handlers.
    failures: Mutex<Vec<String>>,
}

impl Events {
    fn add(&self, event: RuntimeEvent) {
        let (list, line) = match event {
            RuntimeEvent::HookFailed { reason, .. } => (&self.failures, reason),
            RuntimeEvent::Log { message, .. } => (&self.lines, format!("log: {message}")),
            RuntimeEvent::Denied { call, reason, .. } => {
                (&self.lines, format!("{call} denied: {reason}"))
            }
            RuntimeEvent::WorkerEnded { reason, .. } => (&self.lines, reason),
            RuntimeEvent::CancelIgnored { phase, .. } => {
                (&self.lines, format!("{phase} cannot be cancelled"))
            }
            RuntimeEvent::Changed { .. } => return,
        };
        list.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    }
}

async fn answer(
    resolved: &ResolvedSkills,
    id: &SkillId,
    case: &Case,
    events: &Arc<Events>,
) -> Result<Answer, Stop> {
    if let Action::Trigger { .. } = case.action {
        return trigger(resolved, id, case);
    }
    let project = tempfile::Builder::new().prefix("prowess-test-").tempdir()?;
    for (path, text) in &case.files {
        let file = project.path().join(path.as_str());
        fs::create_dir_all(file.parent().unwrap_or(project.path()))?;
        fs::write(file, text)?;
    }
    let receiver = Arc::clone(events);
    let services = HostServices {
        listener: Listener::new(move |event| receiver.add(event)),
        // A test costs nothing and has one result.
        model: None,
    };
    let bench = resolved.test_bench(project.path(), services)?;
    if let Action::Script { path, arguments } = &case.action {
        return script(&bench, id, case, project.path(), path, arguments).await;
    }
    bench.runtime.activate(id).await?;
    let answered = call(&bench, id, case, events).await;
    bench.runtime.shut_down().await;
    let mut answer = answered?;
    // The code may have left links and pipes.
    let files = ProjectFiles::open(project.path())?;
    answer.files = expected_files(case, |path| {
        let text = files.read(path.as_str()).ok()?;
        Some(text.into_bytes())
    });
    Ok(answer)
}

/// The files that a case expects, as far as they can be read.
fn expected_files(
    case: &Case,
    read: impl Fn(&SkillPath) -> Option<Vec<u8>>,
) -> Vec<(SkillPath, Vec<u8>)> {
    let paths = case.expected.files.iter();
    let files = paths.filter_map(|(path, _)| Some((path.clone(), read(path)?)));
    files.collect()
}

/// Calls the code of an active skill.
async fn call(
    bench: &TestBench,
    id: &SkillId,
    case: &Case,
    events: &Events,
) -> Result<Answer, Stop> {
    let runtime = &bench.runtime;
    let text = |content: String, is_error: bool| Answer {
        error: is_error.then(|| content.clone()),
        text: content,
        ..Answer::default()
    };
    let unknown = |error: prowess_runtime::UnknownContribution| Stop::Failed(error.to_string());
    Ok(match &case.action {
        Action::Tool { name, input } => {
            let called = runtime.call_tool(name, input.clone().into()).await;
            let result = called.map_err(unknown)?;
            text(result.content, result.is_error)
        }
        Action::Workflow { name, input } => {
            let run = runtime.run_workflow(id, name, input.clone().into()).await;
            let output = run.map_err(unknown)?;
            text(output.content, output.is_error)
        }
        Action::Hook { phase, input } => {
            if !runtime.has_handler(id, *phase) {
                return Err(Stop::Failed(format!("`{id}` has no handler for {phase}")));
            }
            let result = runtime.run_handlers(*phase, input.clone()).await;
            let failures = events
                .failures
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            match (result, failures.first()) {
                (_, Some(reason)) => text(reason.clone(), true),
                (Err(cancelled), None) => text(cancelled.reason, true),
                (Ok(payload), None) => value(Value::Object(payload)),
            }
        }
        Action::Scan => scan(bench, case).await?,
        Action::Prompt | Action::Script { .. } | Action::Trigger { .. } => {
            let (fragments, _) = runtime.prompt("", PROMPT_BUDGET).await;
            let texts: Vec<String> = fragments.into_iter().map(|it| it.text).collect();
            text(texts.join("\n"), false)
        }
    })
}

fn value(value: Value) -> Answer {
    Answer {
        text: value.to_string(),
        value: Some(value),
        ..Answer::default()
    }
}

/// The findings of the rules and scanners of a skill, in the order of the files.
async fn scan(bench: &TestBench, case: &Case) -> Result<Answer, Stop> {
    let rules = bench.runtime.security_rules().into_iter();
    let rules = rules.fold(Rules::none(), Rules::with);
    let files = case.files.iter().map(|(path, text)| File {
        path: path.as_str(),
        bytes: text.as_bytes(),
    });
    let matched = rules.scan(files, None).findings.into_iter();
    let mut findings: Vec<Finding> = matched
        .map(|it| Finding {
            rule: it.rule.as_str().to_owned(),
            severity: it.severity.as_str().to_owned(),
            file: it.file,
            line: Some(it.start.line),
            message: it.message,
        })
        .collect();
    let texts = case.files.iter().map(|(path, text)| ScannedFile {
        path: path.to_string(),
        text: text.clone(),
    });
    let texts: Vec<ScannedFile> = texts.collect();
    let (found, problems) = bench.runtime.scan(&texts).await;
    if let Some(problem) = problems.into_iter().next() {
        return Err(Stop::Failed(problem));
    }
    findings.extend(found);
    findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(value(json!(findings)))
}

async fn script(
    bench: &TestBench,
    id: &SkillId,
    case: &Case,
    project: &Path,
    path: &SkillPath,
    arguments: &[String],
) -> Result<Answer, Stop> {
    let named = NamedFiles::find(project, arguments).map_err(|it| Stop::Failed(message_of(&it)))?;
    let approved = bench.scripts.approve(id, path).await?;
    let run = bench.scripts.run_with_files(&approved, arguments, named);
    let (output, results) = run.await?;
    let read = |path: &SkillPath| {
        let file = results.files.iter().find(|it| it.path == path.as_str())?;
        results.read(file).ok()
    };
    let failed = output.exit_code != 0;
    Ok(Answer {
        files: expected_files(case, read),
        error: failed.then(|| format!("exit code {}\n{}", output.exit_code, output.stderr)),
        exit_code: Some(output.exit_code.into()),
        text: output.stdout,
        value: None,
    })
}

fn trigger(resolved: &ResolvedSkills, id: &SkillId, case: &Case) -> Result<Answer, Stop> {
    let Action::Trigger {
        active,
        message,
        mode,
    } = &case.action
    else {
        return Ok(Answer::default());
    };
    if !resolved.has_manifest(id) {
        let message = "it has no valid SKILL.yaml with triggers".to_owned();
        return Err(Stop::Failed(message));
    }
    let files = case.files.iter().map(|(path, _)| path.to_string());
    let found = resolved.triggered(id, files.collect(), message, *mode)?;
    let error = match (active, found) {
        (true, Some(_)) | (false, None) => None,
        (true, None) => Some("expected to be activated; no trigger matches".to_owned()),
        (false, Some(found)) => {
            let causes: Vec<String> = found.causes.iter().map(why::sentence).collect();
            let causes = causes.join(", ");
            Some(format!("expected not to be activated; {causes}"))
        }
    };
    Ok(Answer {
        error,
        ..Answer::default()
    })
}
