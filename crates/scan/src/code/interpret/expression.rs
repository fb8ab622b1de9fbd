//! Expressions.

use std::collections::BTreeMap;
use std::rc::Rc;

use prowess_spec::Span;

use super::super::facts::CodeLanguage;
use super::super::ir::{Comprehension, Expr, ExprKind, Operation, Target};
use super::super::known::functions::module_name;
use super::super::known::names::{is_secret_name, is_surroundings, path_variable};
use super::super::step::StepKind;
use super::super::value::{Data, External, HOLE, ITEMS_MAX, TaintKind, Value};
use super::{Control, DEPTH, Interpreter};

impl Interpreter<'_> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &Expr) -> Value {
        if self.depth >= DEPTH || !self.tick() {
            return Value::unknown();
        }
        self.depth += 1;
        let folds = matches!(
            expr.kind,
            ExprKind::Binary(..)
                | ExprKind::Chain(..)
                | ExprKind::Template(_)
                | ExprKind::Call(_)
                | ExprKind::Index(..)
                | ExprKind::Slice(..)
                | ExprKind::Capture(_)
                | ExprKind::Expansion(_)
                | ExprKind::Pipeline(_)
        );
        if folds {
            if self.folds == 0 {
                self.how = "joined strings";
            }
            self.folds += 1;
        }
        let value = self.eval_kind(expr);
        if folds {
            self.charge(&value);
            self.folds -= 1;
            if self.folds == 0 {
                self.note_text(&value, expr.span);
            }
        }
        self.depth -= 1;
        value
    }

    /// Notes a text that is not written in the source.
    pub(super) fn note_text(&mut self, value: &Value, span: Span) {
        let text = match &value.data {
            Data::Text(text) if text.len() >= 8 && !text.contains(HOLE) => Rc::clone(text),
            Data::Bytes(bytes) if bytes.len() >= 8 => match std::str::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(_) => return,
            },
            _ => return,
        };
        let written = self
            .units
            .get(self.unit)
            .is_some_and(|unit| unit.source.len() < 200_000 && unit.source.contains(&*text));
        if !written {
            let span = self.outer.unwrap_or(span);
            self.facts.text(self.unit, span, &text, self.how);
        }
    }

    #[inline(never)]
    fn eval_kind(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Unknown(parts) => self.eval_unknown(parts),
            ExprKind::None => Value::none(),
            ExprKind::Bool(known) => Value::bool(*known),
            ExprKind::Int(number) => Value::int(*number),
            ExprKind::Text(text) => self.literal(text),
            ExprKind::Bytes(bytes) => Value::of(Data::bytes(bytes)),
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Member(object, name) => {
                let object = self.eval(object);
                self.member(&object, name, expr.span)
            }
            ExprKind::Index(object, index) => {
                let object = self.eval(object);
                let index = self.eval(index);
                self.index(&object, &index, expr.span)
            }
            ExprKind::Slice(object, bounds) => self.eval_slice(object, bounds),
            ExprKind::Call(call) => self.eval_call(call, expr.span),
            ExprKind::Binary(op, left, right) => {
                let left = self.eval(left);
                let right = self.eval(right);
                self.binary(*op, &left, &right, expr.span)
            }
            ExprKind::Chain(op, operands) => self.chain(*op, operands, expr.span),
            ExprKind::Not(inner) => {
                let value = self.eval(inner);
                let known = value
                    .truth()
                    .map_or(Data::Unknown, |truth| Data::Bool(!truth));
                Value::of(known).with(&value.taints)
            }
            ExprKind::Negative(inner) => {
                let value = self.eval(inner);
                let known = value
                    .as_int()
                    .map_or(Data::Unknown, |number| Data::Int(number.wrapping_neg()));
                Value::of(known).with(&value.taints)
            }
            ExprKind::Invert(inner) => {
                let value = self.eval(inner);
                let known = value
                    .as_int()
                    .map_or(Data::Unknown, |number| Data::Int(!number));
                Value::of(known).with(&value.taints)
            }
            ExprKind::List(items) => self.eval_list(items),
            ExprKind::Map(entries) => self.eval_map(entries),
            ExprKind::Template(parts) => self.template(parts),
            ExprKind::Spread(inner) => self.eval(inner),
            ExprKind::Function(function) => self.closure(function),
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension, expr.span),
            ExprKind::Conditional(parts) => self.ternary(parts),
            ExprKind::Assign(parts) => {
                let value = self.eval(&parts.1);
                self.assign_outward(&parts.0, value.clone(), expr.span);
                value
            }
            ExprKind::Augment(parts) => self.augmented(&parts.0, parts.1, &parts.2, expr.span),
            ExprKind::Capture(body) => self.capture(body),
            ExprKind::ProcessFile(body) => {
                // What it prints is the content of a file without a name.
                let output = self.capture(body);
                let path = format!("/dev/fd/{}-{}", expr.span.start, self.unit);
                self.files.insert(path.clone(), output);
                Value::text(path)
            }
            ExprKind::Command(command) => self.command(command, expr.span),
            ExprKind::Pipeline(parts) => self.pipeline(parts),
            ExprKind::Expansion(expansion) => self.expansion(expansion, expr.span),
            ExprKind::Block(body, redirects) => self.block_value(body, redirects, expr.span),
        }
    }

    fn eval_unknown(&mut self, parts: &[Expr]) -> Value {
        let mut value = Value::unknown();
        for part in parts {
            let part = self.eval(part);
            value.add_taints(&part.all_taints());
        }
        value
    }

    /// A literal; the unknown parts of a text that is interpreted are marked like that text.
    fn literal(&self, text: &Rc<str>) -> Value {
        let value = Value::of(Data::Text(Rc::clone(text)));
        if !self.holes.is_empty() && text.contains(HOLE) {
            return value.with(&self.holes);
        }
        value
    }

    /// The value of a name.
    pub(super) fn name(&mut self, name: &Rc<str>, span: Span) -> Value {
        if let Some(value) = self.lookup(name) {
            return value.clone();
        }
        match &**name {
            "__file__" | "__filename" => {
                let path = self.units.get(self.unit).map_or("", |unit| unit.path);
                Value::text(path)
            }
            "__dirname" => {
                let path = self.units.get(self.unit).map_or("", |unit| unit.path);
                Value::text(path.rsplit_once('/').map_or(".", |(folder, _)| folder))
            }
            "globalThis" | "window" | "global" | "self" if !self.is_python() => Value::external(""),
            "this" if !self.is_shell() => Value::external(""),
            "__builtins__" | "builtins" if self.is_python() => Value::external(""),
            "__name__" | "undefined" | "NaN" => Value::unknown(),
            _ if name.starts_with('[') => Value::external(name),
            _ if self.language == CodeLanguage::PowerShell => self.shell_variable(name, span),
            _ => Value::of(Data::External(External::new(module_name(name)))),
        }
    }

    /// The value of a variable of a shell: its own, or one of the environment.
    pub(super) fn shell_variable(&mut self, name: &str, span: Span) -> Value {
        if let Some(value) = self.lookup(name) {
            return value.clone();
        }
        match name {
            "@" | "*" => return self.arguments.clone(),
            "0" => {
                let path = self.units.get(self.unit).map_or("", |unit| unit.path);
                return Value::text(path);
            }
            "BASH_SOURCE" | "BASH_SOURCE[0]" => {
                let path = self.units.get(self.unit).map_or("", |unit| unit.path);
                return Value::text(path);
            }
            "#" | "?" | "$" | "!" | "-" | "RANDOM" | "LINENO" | "SECONDS" => {
                return Value::unknown();
            }
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            if let Data::List(items) = &self.arguments.data {
                return items
                    .get(number.saturating_sub(1))
                    .cloned()
                    .unwrap_or_default();
            }
            return Value::unknown().with(&self.arguments.taints);
        }
        self.environment_variable(name, span)
    }

    /// A variable of the environment.
    pub(super) fn environment_variable(&mut self, name: &str, span: Span) -> Value {
        if let Some(value) = self.environment.get(name) {
            return value.clone();
        }
        if let Some(path) = path_variable(name) {
            return Value::text(path);
        }
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain
            || name.is_empty()
            || self.is_shell() && name.chars().any(|c| c.is_ascii_lowercase())
        {
            return Value::unknown();
        }
        self.capability(super::CapabilityKind::ReadsEnvironment, span, name);
        if is_secret_name(name) {
            let kind = TaintKind::SecretName(name.into());
            let taint = self.taint(kind, span, StepKind::Variable(name.into()));
            return Value::unknown().with(&[taint]);
        }
        if is_surroundings(name) {
            let taint = self.taint(
                TaintKind::Surroundings,
                span,
                StepKind::LooksAt(format!("the variable {name}").into()),
            );
            return Value::unknown().with(&[taint]);
        }
        Value::unknown()
    }

    fn eval_list(&mut self, items: &[Expr]) -> Value {
        let mut list = Vec::new();
        for item in items {
            let value = self.eval(item);
            if matches!(item.kind, ExprKind::Spread(_)) {
                match value.items() {
                    Some(inner) => list.extend(inner),
                    None => list.push(Value::unknown().with(&value.all_taints())),
                }
            } else {
                list.push(value);
            }
        }
        Value::list(list)
    }

    fn eval_map(&mut self, entries: &[(Option<Expr>, Expr)]) -> Value {
        let mut map: BTreeMap<Rc<str>, Value> = BTreeMap::new();
        let mut whole = Value::unknown();
        for (key, value) in entries.iter().take(ITEMS_MAX) {
            let Some(key) = key else {
                let spread = self.eval(value);
                whole.add_taints(&spread.taints);
                if let Data::Map(inner) = &spread.data {
                    for (key, value) in inner.iter() {
                        map.insert(Rc::clone(key), value.clone());
                    }
                }
                if let Data::External(external) = &spread.data
                    && matches!(&*external.name, "os.environ" | "process.env")
                {
                    let taint = self.whole_environment(value.span);
                    whole.add_taints(&[taint]);
                }
                continue;
            };
            let key = self.eval(key);
            let value = self.eval(value);
            match key.as_text() {
                Some(key) => {
                    map.insert(key, value);
                }
                None => {
                    let key: Rc<str> = match key.as_int() {
                        Some(number) => number.to_string().into(),
                        None => format!("{HOLE}{}", map.len()).into(),
                    };
                    map.insert(key, value);
                }
            }
        }
        Value::map(map).with(&whole.taints)
    }

    /// Parts put together to one text.
    fn template(&mut self, parts: &[Expr]) -> Value {
        let mut text = String::new();
        let mut whole = Value::unknown();
        for part in parts {
            let value = self.eval(part);
            if text.len() <= super::super::value::TEXT_MAX {
                text.push_str(&value.shown());
            }
            whole.add_taints(&value.all_taints());
            if let Data::External(external) = &value.data
                && matches!(&*external.name, "os.environ" | "process.env")
            {
                let taint = self.whole_environment(part.span);
                whole.add_taints(&[taint]);
            }
        }
        Value::text(text).with(&whole.taints)
    }

    fn ternary(&mut self, parts: &(Expr, Expr, Expr)) -> Value {
        let condition = self.eval(&parts.0);
        match condition.truth() {
            Some(true) => self.eval(&parts.1),
            Some(false) => self.eval(&parts.2),
            None => {
                let yes = self.eval(&parts.1);
                let no = self.eval(&parts.2);
                self.either(&yes, &no)
            }
        }
    }

    fn comprehension(&mut self, comprehension: &Comprehension, span: Span) -> Value {
        let outer = self.scope;
        self.scope = self.new_scope(Some(outer));
        let mut items = Vec::new();
        let mut whole = Value::unknown();
        let known = self.clause(comprehension, 0, &mut items, &mut whole, span);
        // No function of a comprehension is worth keeping the scope for, unless it made one.
        self.scope = outer;
        if comprehension.key.is_some() {
            let mut map: BTreeMap<Rc<str>, Value> = BTreeMap::new();
            for pair in items {
                if let Data::List(pair) = &pair.data
                    && let (Some(key), Some(value)) = (pair.first(), pair.get(1))
                {
                    match key.as_text() {
                        Some(text) if map.len() < ITEMS_MAX => {
                            map.insert(text, value.clone());
                        }
                        _ => whole.add_taints(&value.all_taints()),
                    }
                }
            }
            return Value::map(map).with(&whole.taints);
        }
        if known {
            Value::list(items).with(&whole.taints)
        } else {
            for item in &items {
                whole.add_taints(&item.all_taints());
            }
            Value::unknown().with(&whole.taints)
        }
    }

    /// Runs one `for` of a comprehension; `false` when what it gives is not known.
    fn clause(
        &mut self,
        comprehension: &Comprehension,
        at: usize,
        items: &mut Vec<Value>,
        whole: &mut Value,
        span: Span,
    ) -> bool {
        let Some(clause) = comprehension.clauses.get(at) else {
            let value = self.eval(&comprehension.body);
            if let Some(key) = &comprehension.key {
                let key = self.eval(key);
                items.push(Value::list(vec![key, value]));
            } else {
                items.push(value);
            }
            return items.len() <= ITEMS_MAX;
        };
        let iter = self.eval(&clause.iter);
        let (list, mut known) = match iter.items() {
            Some(list) => (list, true),
            None => (vec![self.item_of(&iter, span)], false),
        };
        whole.add_taints(&iter.taints);
        for (round, item) in list.into_iter().enumerate() {
            if self.steps == 0 || items.len() > ITEMS_MAX {
                return false;
            }
            let hot = usize::from(round > 0);
            self.hot += hot;
            self.assign(&clause.target, item, span);
            let mut keep = true;
            for condition in &clause.conditions {
                match self.eval(condition).truth() {
                    Some(true) => {}
                    Some(false) => keep = false,
                    None => known = false,
                }
            }
            if keep {
                known &= self.clause(comprehension, at + 1, items, whole, span);
            }
            self.hot -= hot;
        }
        known
    }

    /// What a list or a text that is not known holds.
    pub(super) fn item_of(&mut self, values: &Value, span: Span) -> Value {
        match &values.data {
            Data::External(external) if matches!(&*external.name, "os.environ" | "process.env") => {
                let taint = self.whole_environment(span);
                Value::unknown().with(&[taint])
            }
            Data::External(external) => {
                let mut item = Value::of(Data::External(External {
                    name: Rc::clone(&external.name),
                    origin: external.origin.clone(),
                }));
                item.taints.clone_from(&values.taints);
                item
            }
            Data::OneOf(options) => {
                let mut joined = Value::unknown();
                for option in options.iter() {
                    if let Some(items) = Value::of(option.clone()).items() {
                        for item in items.iter().take(8) {
                            joined = joined.join(item);
                        }
                    }
                }
                joined.with(&values.taints)
            }
            _ => Value::unknown().with(&values.all_taints()),
        }
    }

    /// A block as a value: what its last expression is, or what a shell's block prints.
    fn block_value(
        &mut self,
        body: &Rc<Vec<super::super::ir::Stmt>>,
        redirects: &[super::super::ir::Redirect],
        span: Span,
    ) -> Value {
        if self.is_shell() {
            let saved = self.redirect_input(redirects, span);
            let output = self.capture(body);
            if let Some(stdin) = saved {
                self.stdin = stdin;
            }
            return self.redirect_output(redirects, &output, span);
        }
        let Some((last, front)) = body.split_last() else {
            return Value::none();
        };
        if self.block(front) != Control::Next {
            return Value::unknown();
        }
        if let super::super::ir::StmtKind::Expr(expr) = &last.kind {
            return self.eval(expr);
        }
        self.block(std::slice::from_ref(last));
        if let super::super::ir::StmtKind::Class(name, _, _) = &last.kind {
            return self.lookup(name).cloned().unwrap_or_default();
        }
        Value::unknown()
    }

    /// What a block of a shell prints.
    pub(super) fn capture(&mut self, body: &[super::super::ir::Stmt]) -> Value {
        self.outputs.push(Value::of(Data::text("")));
        self.block(body);
        let output = self.outputs.pop().unwrap_or_default();
        match &output.data {
            Data::Text(text) if text.ends_with('\n') => {
                Value::text(text.trim_end_matches('\n')).with(&output.taints)
            }
            _ => output,
        }
    }

    /// Adds to what the running block prints.
    pub(super) fn print(&mut self, value: &Value) {
        if matches!(value.data, Data::None) {
            return;
        }
        let addition = value.shown();
        let taints = value.all_taints();
        if let Some(output) = self.outputs.last_mut() {
            let mut text = output.shown();
            if text.len() <= super::super::value::TEXT_MAX {
                text.push_str(&addition);
            }
            output.data = Data::text(&text);
            output.add_taints(&taints);
        }
    }

    fn expansion(&mut self, expansion: &super::super::ir::Expansion, span: Span) -> Value {
        let value = self.shell_variable(&expansion.name, span);
        let text = value.full_text();
        match &expansion.operation {
            Operation::Default(None) => value,
            Operation::Default(Some(default)) => {
                let default = self.eval(default);
                if matches!(value.data, Data::Unknown) {
                    Value::of(default.data)
                        .with(&value.taints)
                        .with(&default.taints)
                } else {
                    value
                }
            }
            Operation::Substring(from, length) => match text {
                Some(text) => {
                    let count = i64::try_from(text.chars().count()).unwrap_or(0);
                    let start = if *from < 0 {
                        (count + from).max(0)
                    } else {
                        *from
                    };
                    let end = match length {
                        Some(length) if *length < 0 => count + length,
                        Some(length) => start.saturating_add(*length),
                        None => count,
                    };
                    let take = usize::try_from(end - start).unwrap_or(0);
                    let skip = usize::try_from(start).unwrap_or(0);
                    let part: String = text.chars().skip(skip).take(take).collect();
                    Value::text(part).with(&value.taints)
                }
                None => Value::unknown().with(&value.taints),
            },
            Operation::Replace { from, to, all } => {
                let from = self.eval(from);
                let to = to.as_ref().map(|to| self.eval(to));
                match (text, from.full_text()) {
                    (Some(text), Some(from)) if !from.is_empty() => {
                        let to = to.map(|to| to.shown()).unwrap_or_default();
                        let from = from.trim_matches(['[', ']']);
                        let result = if *all {
                            text.replace(from, &to)
                        } else {
                            text.replacen(from, &to, 1)
                        };
                        Value::text(result).with(&value.taints)
                    }
                    _ => Value::unknown().with(&value.taints),
                }
            }
            Operation::Trim { pattern, suffix } => {
                let pattern = self.eval(pattern).full_text();
                match (text, pattern) {
                    (Some(text), Some(pattern)) if !pattern.contains('*') => {
                        let result = if *suffix {
                            text.strip_suffix(&*pattern)
                        } else {
                            text.strip_prefix(&*pattern)
                        };
                        Value::text(result.unwrap_or(&text)).with(&value.taints)
                    }
                    _ => Value::unknown().with(&value.taints),
                }
            }
            Operation::Case { upper } => match text {
                Some(text) if *upper => Value::text(text.to_uppercase()).with(&value.taints),
                Some(text) => Value::text(text.to_lowercase()).with(&value.taints),
                None => value,
            },
            Operation::Indirect => match text {
                Some(name) => self.shell_variable(&name, span),
                None => Value::unknown().with(&value.taints),
            },
            Operation::Length => Value::unknown(),
        }
    }

    /// The value that a target holds now.
    pub(super) fn read_target(&mut self, target: &Target, span: Span) -> Value {
        match target {
            Target::Name(name) => match self.lookup(name) {
                Some(value) => value.clone(),
                None if self.is_shell() => Value::text(""),
                None => Value::unknown(),
            },
            Target::Member(object, name) => {
                let object = self.eval(object);
                self.member(&object, name, span)
            }
            Target::Index(object, index) => {
                let object = self.eval(object);
                let index = self.eval(index);
                self.index(&object, &index, span)
            }
            _ => Value::unknown(),
        }
    }
}
