//! From units to facts.

use std::rc::Rc;

use prowess_spec::Span;
use prowess_syntax::SyntaxTrees;

use super::collect::Facts;
use super::facts::{Analysis, CodeBudget, Unit, UnparsedReason};
use super::interpret::Interpreter;
use super::parse::Parser;

/// What the code of a skill does. Nothing is run, and the same units give the same facts.
pub(crate) fn analyse(
    units: &[Unit<'_>],
    trees: &dyn SyntaxTrees,
    budget: &CodeBudget,
) -> Analysis {
    let mut facts = Facts::default();
    let mut parser = Parser::new(trees, budget);
    let mut total = 0_usize;
    let mut programs = Vec::with_capacity(units.len());
    for (at, unit) in units.iter().enumerate() {
        let whole = Span::new(0, unit.source.len());
        let fits = unit.source.len() <= budget.unit_bytes
            && total.saturating_add(unit.source.len()) <= budget.total_bytes;
        if !fits {
            facts.unparsed(at, whole, UnparsedReason::TooLarge);
            programs.push(Rc::new(Vec::new()));
            continue;
        }
        total += unit.source.len();
        let program = parser.program(unit.source, unit.language, None);
        if let Some(problem) = program.problem {
            facts.unparsed(at, whole, problem);
        }
        programs.push(Rc::new(program.body));
    }
    let mut interpreter = Interpreter::new(units, programs, parser, facts);
    interpreter.run(budget.steps);
    interpreter.facts.into_analysis()
}
