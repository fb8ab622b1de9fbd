//! Abstract values: what is known of a value, and where it came from.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;

use super::facts::{FLOW_STEPS, Step};
use super::ir::{Function, Name};
use super::step::{StepKind, Store};
use crate::base::is_known_installer;

/// Stands for a part of a text that is not known.
pub(super) const HOLE: char = '\u{fffc}';
/// Bytes of a text or a list of bytes that is followed.
pub(super) const TEXT_MAX: usize = 64 * 1024;
/// Items of a list or a map.
pub(super) const ITEMS_MAX: usize = 4096;
/// Lists and maps inside of one another: dropping them recurses as deeply.
const LEVELS: usize = 24;
/// Marks of one value.
const TAINTS_MAX: usize = 6;
/// Alternatives of one value.
const ALTERNATIVES: usize = 4;
/// Bytes of the name of something outside.
const NAME_MAX: usize = 160;

/// What is known of a value, and where it came from.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    pub data: Data,
    pub taints: Vec<Taint>,
}

/// What is known of a value.
#[derive(Clone, Debug, Default)]
pub(super) enum Data {
    #[default]
    Unknown,
    None,
    Bool(bool),
    Int(i64),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    List(Rc<Items>),
    Map(Rc<Entries>),
    /// Something of a library: a module, a function, what a call of it returned.
    External(External),
    Function(Rc<Closure>),
    Class(Rc<Class>),
    Object(usize),
    /// A unit that was imported.
    Module(usize),
    /// A method that was taken off its object.
    Method(Rc<(Value, Name)>),
    /// `functools.partial` and `bind`: a callee with its first arguments.
    Partial(Rc<(Value, Vec<Value>)>),
    OneOf(Rc<Vec<Data>>),
}

/// The items of a list, and how deeply lists are nested in it.
#[derive(Debug)]
pub(super) struct Items {
    list: Vec<Value>,
    level: usize,
}

impl Deref for Items {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.list
    }
}

/// The entries of a map, and how deeply maps are nested in it.
#[derive(Debug)]
pub(super) struct Entries {
    pub map: BTreeMap<Rc<str>, Value>,
    level: usize,
}

impl Deref for Entries {
    type Target = BTreeMap<Rc<str>, Value>;

    fn deref(&self) -> &BTreeMap<Rc<str>, Value> {
        &self.map
    }
}

/// Something of a library, by its dotted name; `()` stands for a call.
#[derive(Clone, Debug)]
pub(super) struct External {
    pub name: Rc<str>,
    /// The host, path or program that it was made for.
    pub origin: Option<Rc<str>>,
}

/// A function with the scope it was made in.
#[derive(Debug)]
pub(super) struct Closure {
    pub function: Rc<Function>,
    pub unit: usize,
    pub scope: usize,
    pub this: Option<Value>,
}

/// A class: its members are the names of its scope.
#[derive(Debug)]
pub(super) struct Class {
    pub name: Name,
    pub scope: usize,
    pub bases: Vec<Value>,
}

/// A mark of where a value came from.
#[derive(Clone, Debug)]
pub(super) struct Taint {
    pub kind: TaintKind,
    pub trail: Rc<Trail>,
}

impl Taint {
    /// How bad what comes of it can be.
    fn weight(&self) -> u8 {
        let vouched = |kind: &StepKind| match kind {
            StepKind::Clones(_) => true,
            StepKind::Opens { store, .. } => *store == Store::KeychainEntry,
            StepKind::Receives { from, .. } => from
                .address
                .as_ref()
                .is_some_and(|address| address.is_vendor() || is_known_installer(address)),
            _ => false,
        };
        match self.kind {
            TaintKind::File | TaintKind::PublicKey | TaintKind::Surroundings => 0,
            TaintKind::SecretName(_) | TaintKind::Outside => 1,
            _ if vouched(&self.trail.first().kind) => 1,
            _ => 2,
        }
    }
}

/// What a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TaintKind {
    /// A credential file.
    Secret,
    /// A variable of the environment, or a tool, that holds a credential.
    SecretName(Rc<str>),
    /// A file of settings such as `.env`.
    Settings,
    Personal,
    /// The whole environment.
    Environment,
    /// A file of the user or the project.
    File,
    Remote,
    Decoded,
    /// A file outside of the skill.
    Outside,
    /// The time, the machine, the surroundings: conditions on it are evasive.
    Surroundings,
    /// A network connection.
    Socket,
    /// The public half of a key.
    PublicKey,
}

/// The steps of a value, last first.
#[derive(Debug)]
pub(super) struct Trail {
    pub step: Step,
    pub before: Option<Rc<Trail>>,
    length: usize,
}

impl Trail {
    /// The first step.
    pub(super) fn source(step: Step) -> Rc<Self> {
        Rc::new(Self {
            step,
            before: None,
            length: 1,
        })
    }

    /// One more step; when there are enough already, the trail stays as it is.
    pub(super) fn then(self: &Rc<Self>, step: Step) -> Rc<Self> {
        let known = self.step == step || self.length + 1 >= FLOW_STEPS;
        if known {
            return Rc::clone(self);
        }
        Rc::new(Self {
            step,
            before: Some(Rc::clone(self)),
            length: self.length + 1,
        })
    }

    /// The steps, first one first.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = vec![self.step.clone()];
        let mut at = &self.before;
        while let Some(trail) = at {
            steps.push(trail.step.clone());
            at = &trail.before;
        }
        steps.reverse();
        steps
    }

    /// Where it began.
    pub(super) fn first(&self) -> &Step {
        let mut at = self;
        while let Some(before) = &at.before {
            at = before;
        }
        &at.step
    }
}

impl Value {
    pub(super) fn unknown() -> Self {
        Self::default()
    }

    pub(super) fn of(data: Data) -> Self {
        Self {
            data,
            taints: Vec::new(),
        }
    }

    pub(super) fn text(text: impl AsRef<str>) -> Self {
        Self::of(Data::text(text.as_ref()))
    }

    pub(super) fn int(number: i64) -> Self {
        Self::of(Data::Int(number))
    }

    pub(super) fn bool(known: bool) -> Self {
        Self::of(Data::Bool(known))
    }

    pub(super) fn none() -> Self {
        Self::of(Data::None)
    }

    pub(super) fn list(items: Vec<Value>) -> Self {
        let level = 1 + items
            .iter()
            .map(|item| item.data.level())
            .max()
            .unwrap_or(0);
        if items.len() > ITEMS_MAX || level > LEVELS {
            let mut whole = Self::unknown();
            for item in &items {
                whole.add_taints(&item.all_taints());
            }
            return whole;
        }
        Self::of(Data::List(Rc::new(Items { list: items, level })))
    }

    pub(super) fn map(entries: BTreeMap<Rc<str>, Value>) -> Self {
        let level = 1 + entries
            .values()
            .map(|item| item.data.level())
            .max()
            .unwrap_or(0);
        if level > LEVELS {
            let mut whole = Self::unknown();
            for item in entries.values() {
                whole.add_taints(&item.all_taints());
            }
            return whole;
        }
        Self::of(Data::Map(Rc::new(Entries {
            map: entries,
            level,
        })))
    }

    /// A callee with its first arguments.
    pub(super) fn partial(callee: Value, args: Vec<Value>) -> Self {
        let level = args.iter().map(|arg| arg.data.level()).max().unwrap_or(0);
        if level.max(callee.data.level()) + 1 > LEVELS {
            return Self::unknown();
        }
        Self::of(Data::Partial(Rc::new((callee, args))))
    }

    pub(super) fn external(name: &str) -> Self {
        Self::of(Data::External(External::new(name)))
    }

    /// The same with these marks as well.
    #[must_use]
    pub(super) fn with(mut self, taints: &[Taint]) -> Self {
        self.add_taints(taints);
        self
    }

    pub(super) fn add_taints(&mut self, taints: &[Taint]) {
        for taint in taints {
            let known = self.taints.iter().any(|known| {
                known.kind == taint.kind && known.trail.first() == taint.trail.first()
            });
            if known {
                continue;
            }
            if self.taints.len() < TAINTS_MAX {
                self.taints.push(taint.clone());
            } else if let Some(least) = self.taints.iter_mut().min_by_key(|known| known.weight())
                && least.weight() < taint.weight()
            {
                // Harmless marks do not crowd out another.
                *least = taint.clone();
            }
        }
    }

    /// The marks of the value and of what it holds.
    pub(super) fn all_taints(&self) -> Vec<Taint> {
        let mut whole = Value {
            data: Data::Unknown,
            taints: self.taints.clone(),
        };
        whole.collect(&self.data, 4);
        whole.taints
    }

    fn collect(&mut self, data: &Data, depth: usize) {
        if depth == 0 {
            return;
        }
        match data {
            Data::List(items) => {
                for item in items.iter() {
                    self.add_taints(&item.taints);
                    self.collect(&item.data, depth - 1);
                }
            }
            Data::Map(entries) => {
                for item in entries.values() {
                    self.add_taints(&item.taints);
                    self.collect(&item.data, depth - 1);
                }
            }
            Data::Method(method) => self.add_taints(&method.0.taints),
            Data::OneOf(options) => {
                for option in options.iter() {
                    self.collect(option, depth - 1);
                }
            }
            _ => {}
        }
    }

    /// Whether a mark of this kind is on it.
    pub(super) fn is_marked(&self, kind: &TaintKind) -> bool {
        self.taints.iter().any(|taint| taint.kind == *kind)
    }

    /// The text, when all of it or a part of it is known.
    pub(super) fn as_text(&self) -> Option<Rc<str>> {
        self.data.as_text()
    }

    /// The text when all of it is known.
    pub(super) fn full_text(&self) -> Option<Rc<str>> {
        self.as_text().filter(|text| !text.contains(HOLE))
    }

    /// The bytes when all of them are known.
    pub(super) fn as_bytes(&self) -> Option<Vec<u8>> {
        match &self.data {
            Data::Bytes(bytes) => Some(bytes.to_vec()),
            Data::Text(text) if !text.contains(HOLE) => Some(text.as_bytes().to_vec()),
            Data::List(items) => items
                .iter()
                .map(|item| {
                    item.as_int()
                        .and_then(|number| u8::try_from(number & 255).ok())
                })
                .collect(),
            Data::OneOf(options) => options
                .iter()
                .find_map(|data| Value::of(data.clone()).as_bytes()),
            _ => None,
        }
    }

    pub(super) fn as_int(&self) -> Option<i64> {
        match &self.data {
            Data::Int(number) => Some(*number),
            Data::Bool(known) => Some(i64::from(*known)),
            _ => None,
        }
    }

    /// The items of a list, the characters of a text, the bytes as numbers, the keys of a map.
    pub(super) fn items(&self) -> Option<Vec<Value>> {
        match &self.data {
            Data::List(items) => Some(items.to_vec()),
            Data::Text(text) if !text.contains(HOLE) && text.len() <= ITEMS_MAX => Some(
                text.chars()
                    .map(|c| Value::text(c.to_string()).with(&self.taints))
                    .collect(),
            ),
            Data::Bytes(bytes) if bytes.len() <= ITEMS_MAX => Some(
                bytes
                    .iter()
                    .map(|byte| Value::int(i64::from(*byte)).with(&self.taints))
                    .collect(),
            ),
            Data::Map(entries) => Some(
                entries
                    .keys()
                    .map(|key| Value::text(key).with(&self.taints))
                    .collect(),
            ),
            _ => None,
        }
    }

    /// Whether it counts as true, when that is certain.
    pub(super) fn truth(&self) -> Option<bool> {
        match &self.data {
            Data::None => Some(false),
            Data::Bool(known) => Some(*known),
            Data::Int(number) => Some(*number != 0),
            Data::Text(text) if !text.contains(HOLE) => Some(!text.is_empty()),
            Data::Bytes(bytes) => Some(!bytes.is_empty()),
            Data::List(items) => Some(!items.is_empty()),
            _ => None,
        }
    }

    /// As it reads inside of a text.
    pub(super) fn shown(&self) -> String {
        match &self.data {
            Data::Text(text) => text.to_string(),
            Data::Int(number) => number.to_string(),
            Data::Bool(known) => known.to_string(),
            Data::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Data::OneOf(options) => options
                .iter()
                .find_map(Data::as_text)
                .map_or_else(|| HOLE.to_string(), |text| text.to_string()),
            Data::List(items) if items.iter().all(|item| item.as_text().is_some()) => {
                let mut out = String::new();
                for item in items.iter() {
                    if !out.is_empty() {
                        out.push(' ');
                    }
                    out.push_str(&item.shown());
                }
                out
            }
            _ => HOLE.to_string(),
        }
    }

    /// Either of both.
    #[must_use]
    pub(super) fn join(&self, other: &Value) -> Value {
        let data = if self.data.same(&other.data) {
            self.data.clone()
        } else if let (Data::List(first), Data::List(second)) = (&self.data, &other.data) {
            // The longer one, with the marks of the other.
            let (long, short) = if first.len() >= second.len() {
                (self, other)
            } else {
                (other, self)
            };
            let mut joined = long.clone();
            joined.add_taints(&short.all_taints());
            return joined;
        } else if let (Data::Map(first), Data::Map(second)) = (&self.data, &other.data) {
            let mut entries = first.map.clone();
            for (key, value) in second.iter() {
                if entries.len() < ITEMS_MAX {
                    entries
                        .entry(Rc::clone(key))
                        .or_insert_with(|| value.clone());
                }
            }
            return Value::map(entries).with(&self.taints).with(&other.taints);
        } else {
            let mut options = Vec::new();
            for side in [&self.data, &other.data] {
                let list = match side {
                    Data::OneOf(list) => list.to_vec(),
                    single => vec![single.clone()],
                };
                for data in list {
                    if options.len() < ALTERNATIVES
                        && !options.iter().any(|known: &Data| known.same(&data))
                    {
                        options.push(data);
                    }
                }
            }
            Data::OneOf(options.into())
        };
        let mut joined = Value {
            data,
            taints: self.taints.clone(),
        };
        joined.add_taints(&other.taints);
        joined
    }

    /// Each alternative by itself.
    pub(super) fn alternatives(&self) -> Vec<Value> {
        match &self.data {
            Data::OneOf(options) => options
                .iter()
                .map(|data| Value {
                    data: data.clone(),
                    taints: self.taints.clone(),
                })
                .collect(),
            _ => vec![self.clone()],
        }
    }
}

impl Data {
    pub(super) fn text(text: &str) -> Self {
        if text.len() <= TEXT_MAX {
            return Data::Text(text.into());
        }
        // The beginning is still worth knowing: hosts, programs and paths stand there.
        let mut end = 1024;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut short = text.get(..end).unwrap_or_default().to_owned();
        short.push(HOLE);
        Data::Text(short.into())
    }

    pub(super) fn bytes(bytes: &[u8]) -> Self {
        if bytes.len() <= TEXT_MAX {
            Data::Bytes(bytes.into())
        } else {
            Data::Unknown
        }
    }

    /// How deeply values are nested in it.
    fn level(&self) -> usize {
        match self {
            Data::List(items) => items.level,
            Data::Map(entries) => entries.level,
            Data::OneOf(options) => options.iter().map(Data::level).max().unwrap_or(0),
            Data::Partial(partial) => {
                let args = partial.1.iter().map(|arg| arg.data.level()).max();
                1 + partial.0.data.level().max(args.unwrap_or(0))
            }
            Data::Method(method) => 1 + method.0.data.level(),
            _ => 0,
        }
    }

    fn as_text(&self) -> Option<Rc<str>> {
        match self {
            Data::Text(text) => Some(Rc::clone(text)),
            Data::Bytes(bytes) => std::str::from_utf8(bytes).ok().map(Into::into),
            Data::OneOf(options) => options.iter().find_map(Data::as_text),
            _ => None,
        }
    }

    /// Whether both are certainly the same; lists are compared by identity.
    pub(super) fn same(&self, other: &Data) -> bool {
        match (self, other) {
            (Data::Unknown, Data::Unknown) | (Data::None, Data::None) => true,
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::Int(a), Data::Int(b)) => a == b,
            (Data::Text(a), Data::Text(b)) => a == b,
            (Data::Bytes(a), Data::Bytes(b)) => a == b,
            (Data::List(a), Data::List(b)) => Rc::ptr_eq(a, b),
            (Data::Map(a), Data::Map(b)) => Rc::ptr_eq(a, b),
            (Data::External(a), Data::External(b)) => a.name == b.name && a.origin == b.origin,
            (Data::Function(a), Data::Function(b)) => Rc::ptr_eq(a, b),
            (Data::Class(a), Data::Class(b)) => Rc::ptr_eq(a, b),
            (Data::Object(a), Data::Object(b)) | (Data::Module(a), Data::Module(b)) => a == b,
            (Data::OneOf(a), Data::OneOf(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl External {
    pub(super) fn new(name: &str) -> Self {
        let mut end = name.len().min(NAME_MAX);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        Self {
            name: name.get(..end).unwrap_or_default().into(),
            origin: None,
        }
    }
}
