//! The abstract interpreter: every unit is run over abstract values, and what it does is noted.

mod assign;
mod branch;
mod builtin;
mod call;
mod command;
mod command_data;
mod command_decode;
mod command_net;
mod command_run;
mod command_system;
mod execute;
mod expression;
mod external;
mod files;
mod member;
mod method;
mod module;
mod network;
mod operator;
mod powershell;
mod statement;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use prowess_spec::Span;

use super::collect::Facts;
use super::facts::{
    CapabilityKind, CodeLanguage, FLOW_STEPS, FlowKind, Step, Unit, UnparsedReason,
};
use super::ir::{Name, Stmt};
use super::parse::Parser;
use super::step::StepKind;
use super::value::{Closure, Taint, TaintKind, Trail, Value};

/// Expressions, statements and calls inside of one another; each takes a few frames of the stack.
const DEPTH: usize = 160;
/// Calls of functions inside of one another.
const CALLS: usize = 12;
/// Functions and classes that are looked at although nothing calls them.
const CLOSURES: usize = 4000;

/// Names with their values; a function's scope has the one it was made in as its parent.
#[derive(Debug, Default)]
pub(super) struct Scope {
    vars: BTreeMap<Name, Value>,
    parent: Option<usize>,
    globals: BTreeSet<Name>,
}

/// An object that a class made.
#[derive(Debug)]
struct Object {
    class: Rc<super::value::Class>,
    fields: BTreeMap<Name, Value>,
}

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Next,
    Continue,
    Break,
    Return,
}

/// How far a module has been run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModuleState {
    Waiting,
    Running(usize),
    Done(usize),
}

/// The state of an analysis.
pub(super) struct Interpreter<'a> {
    units: &'a [Unit<'a>],
    programs: Vec<Rc<Vec<Stmt>>>,
    modules: Vec<ModuleState>,
    parser: Parser<'a>,
    /// Steps that the running unit has left.
    steps: usize,
    depth: usize,
    scopes: Vec<Scope>,
    scope: usize,
    module_scope: usize,
    unit: usize,
    language: CodeLanguage,
    objects: Vec<Object>,
    /// What each running function returned so far.
    returns: Vec<Option<Value>>,
    calls: Vec<*const super::ir::Function>,
    closures: Vec<Rc<Closure>>,
    classes: Vec<Rc<super::value::Class>>,
    called: BTreeSet<usize>,
    instantiated: BTreeSet<usize>,
    /// Branches around the running statement that may not run.
    branches: usize,
    /// Rounds of loops that run for real: nothing is looked at twice there.
    hot: usize,
    /// Folding expressions around the running one.
    folds: usize,
    stdin: Value,
    outputs: Vec<Value>,
    arguments: Value,
    files: BTreeMap<String, Value>,
    environment: BTreeMap<Name, Value>,
    /// What the unknown parts of the running text are made of.
    holes: Vec<Taint>,
    /// The place of the text that the running code stands in.
    outer: Option<Span>,
    conditions: Vec<Step>,
    programs_of_texts: BTreeMap<(CodeLanguage, u64, usize), Rc<Vec<Stmt>>>,
    how: &'static str,
    pub(super) facts: Facts,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(
        units: &'a [Unit<'a>],
        programs: Vec<Rc<Vec<Stmt>>>,
        parser: Parser<'a>,
        facts: Facts,
    ) -> Self {
        let modules = vec![ModuleState::Waiting; units.len()];
        Self {
            units,
            programs,
            modules,
            parser,
            steps: 0,
            depth: 0,
            scopes: vec![Scope::default()],
            scope: 0,
            module_scope: 0,
            unit: 0,
            language: CodeLanguage::Shell,
            objects: Vec::new(),
            returns: Vec::new(),
            calls: Vec::new(),
            closures: Vec::new(),
            classes: Vec::new(),
            called: BTreeSet::new(),
            instantiated: BTreeSet::new(),
            branches: 0,
            hot: 0,
            folds: 0,
            stdin: Value::unknown(),
            outputs: Vec::new(),
            arguments: Value::unknown(),
            files: BTreeMap::new(),
            environment: BTreeMap::new(),
            holes: Vec::new(),
            outer: None,
            conditions: Vec::new(),
            programs_of_texts: BTreeMap::new(),
            how: "joined strings",
            facts,
        }
    }

    /// Runs every unit with `steps` for all of them, and twice when files pass values from one to another.
    pub(super) fn run(&mut self, steps: usize) {
        let mut left = steps;
        for _round in 0..2 {
            self.modules.fill(ModuleState::Waiting);
            self.called.clear();
            self.instantiated.clear();
            self.closures.clear();
            self.classes.clear();
            for unit in 0..self.units.len() {
                // A part of what is left for each: one that needs much leaves enough for those that follow.
                let parts = (self.units.len() - unit).clamp(1, 6);
                let share = (left / parts).max(left.min(8_000));
                self.steps = share;
                if self.modules.get(unit) == Some(&ModuleState::Waiting) {
                    self.run_module(unit);
                }
                self.call_the_uncalled();
                if self.steps == 0 {
                    let span = Span::new(0, self.units.get(unit).map_or(0, |one| one.source.len()));
                    self.facts.unparsed(unit, span, UnparsedReason::StepsUsedUp);
                }
                left = left.saturating_sub(share - self.steps);
            }
            let passes_values = self.files.values().any(|file| !file.taints.is_empty())
                || !self.environment.is_empty();
            if self.units.len() < 2 || !passes_values {
                break;
            }
        }
    }

    /// Takes a step; `false` when there are none left.
    fn tick(&mut self) -> bool {
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        true
    }

    /// Takes the steps that working on a large value costs.
    fn charge(&mut self, value: &Value) {
        let cost = match &value.data {
            super::value::Data::Text(text) => text.len() / 8,
            super::value::Data::Bytes(bytes) => bytes.len() / 24,
            super::value::Data::List(items) => items.len() / 3,
            super::value::Data::Map(entries) => entries.len(),
            _ => 0,
        };
        self.steps = self.steps.saturating_sub(cost);
    }

    /// The place to name for a span: that of the text when the code stands in one.
    fn step(&self, span: Span, kind: StepKind) -> Step {
        Step {
            unit: self.unit,
            span: self.outer.unwrap_or(span),
            kind,
        }
    }

    /// A mark that begins here.
    fn taint(&self, kind: TaintKind, span: Span, what: StepKind) -> Taint {
        Taint {
            kind,
            trail: Trail::source(self.step(span, what)),
        }
    }

    /// The same marks with one more step.
    fn onward(&self, taints: &[Taint], span: Span, what: StepKind) -> Vec<Taint> {
        if taints.is_empty() {
            return Vec::new();
        }
        let step = self.step(span, what);
        taints
            .iter()
            .map(|taint| Taint {
                kind: taint.kind.clone(),
                trail: taint.trail.then(step.clone()),
            })
            .collect()
    }

    fn capability(&mut self, kind: CapabilityKind, span: Span, detail: &str) {
        let span = self.outer.unwrap_or(span);
        self.facts.capability(kind, self.unit, span, detail);
    }

    /// Notes a flow from where `taint` began to here.
    fn flow(&mut self, kind: FlowKind, taint: &Taint, span: Span, what: StepKind) {
        let mut steps = taint.trail.steps();
        let last = self.step(span, what);
        if steps.last() != Some(&last) {
            if steps.len() >= FLOW_STEPS {
                steps.remove(steps.len() - 2);
            }
            steps.push(last);
        }
        self.note(kind, steps);
    }

    /// Notes a flow that has no source: something that is done.
    fn deed(&mut self, kind: FlowKind, span: Span, what: StepKind) {
        let step = self.step(span, what);
        self.note(kind, vec![step]);
    }

    fn note(&mut self, kind: FlowKind, steps: Vec<Step>) {
        let serious = !matches!(
            kind,
            FlowKind::FileToNetwork | FlowKind::AgentTampering | FlowKind::Persistence
        );
        if serious && let (Some(condition), Some(last)) = (self.conditions.first(), steps.last()) {
            let trigger = vec![condition.clone(), last.clone()];
            self.facts.flow(FlowKind::ConditionalTrigger, trigger);
        }
        self.facts.flow(kind, steps);
    }

    /// Runs `then` with the state of another unit, and comes back.
    fn inside<T>(
        &mut self,
        unit: usize,
        outer: Option<Span>,
        then: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let language = self
            .units
            .get(unit)
            .map_or(self.language, |one| one.language);
        let saved = (self.unit, self.language, self.outer, self.folds);
        self.unit = unit;
        self.language = language;
        self.outer = outer;
        self.folds = 0;
        let result = then(self);
        (self.unit, self.language, self.outer, self.folds) = saved;
        result
    }

    fn is_shell(&self) -> bool {
        matches!(
            self.language,
            CodeLanguage::Shell | CodeLanguage::PowerShell
        )
    }

    fn is_python(&self) -> bool {
        self.language == CodeLanguage::Python
    }

    /// A new scope below `parent`.
    fn new_scope(&mut self, parent: Option<usize>) -> usize {
        self.scopes.push(Scope {
            parent,
            ..Scope::default()
        });
        self.scopes.len() - 1
    }

    /// The value of a name in the running scope or one around it.
    fn lookup(&self, name: &str) -> Option<&Value> {
        let mut at = Some(self.scope);
        for _ in 0..64 {
            let scope = self.scopes.get(at?)?;
            if let Some(value) = scope.vars.get(name) {
                return Some(value);
            }
            at = scope.parent;
        }
        None
    }
}
