//! `prowess test`, from the arguments to the exit code.

use std::sync::Arc;

use super::arguments::{TestArguments, TestFormat};
use super::document::TestDocument;
use super::report::TestReport;
use super::skills::TestPlan;
use super::{junit, print, watch};
use crate::arguments::Global;
use crate::code_skills::{self, TerminalApprover};
use crate::error::Result;
use crate::exit::Exit;
use crate::terminal;

pub(crate) fn run(arguments: &TestArguments, global: &Global) -> Result<Exit> {
    if arguments.watch {
        return code_skills::with_threads(|interrupts| watch::run(arguments, global, interrupts));
    }
    code_skills::block_on(async {
        let report = plan(arguments).run(global).await?;
        show(&report, arguments, global)?;
        Ok(report.exit())
    })
}

pub(super) fn plan(arguments: &TestArguments) -> TestPlan<'_> {
    TestPlan {
        path: arguments.path(),
        origin: arguments.origin(),
        only: arguments.only.as_deref(),
        approve_skills: &arguments.approve_skills,
        approver: Arc::new(TerminalApprover),
    }
}

pub(super) fn show(report: &TestReport, arguments: &TestArguments, global: &Global) -> Result<()> {
    match arguments.format() {
        TestFormat::Human => print::print(report, global.quiet)?,
        TestFormat::Json => terminal::print_json(&TestDocument::new(report))?,
        TestFormat::Junit => terminal::print(&junit::render(report))?,
    }
    Ok(())
}
