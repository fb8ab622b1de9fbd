//! Reading a table key by key, from every file that states it, and reporting what does not fit.

use std::path::{Path, PathBuf};

use prowess_spec::{Span, nearest};
use prowess_trust::Act;
use serde_json::Value;
use toml::de::DeValue;

use crate::ignored::IgnoredKey;
use crate::layer::{Context, Fault, Log, Part, Stated, span_of};
use crate::origin::{ConfigEntry, Origin, Scope, key_part};
use crate::problem::ProblemKind;
use crate::rules;
use crate::shape::{Field, FieldType, Need, Shape};
use crate::show::{Shown, shown};
use crate::values::{self, Flaw, ValueContext, Variables};

/// Reads one table.
pub(crate) struct Reader<'a, 'd> {
    pub(crate) context: Context<'a>,
    pub(crate) log: &'a mut Log,
    pub(crate) variables: Variables,
    /// The dotted key of the table.
    pub(crate) path: String,
    parts: Vec<Part<'d>>,
    pub(crate) shape: Shape,
    /// The keys whose values may be shown.
    plain: Vec<&'static str>,
}

/// How much a value allows, so that two statements of one key can be compared.
pub(crate) struct Width<'w, T> {
    pub(crate) of: &'w dyn Fn(&T) -> f64,
    /// That of the default.
    pub(crate) default: f64,
}

impl<'a, 'd> Reader<'a, 'd> {
    /// A reader of the table at `path`.
    pub(crate) fn new(
        context: Context<'a>,
        log: &'a mut Log,
        variables: Variables,
        path: String,
        parts: Vec<Part<'d>>,
    ) -> Self {
        Self {
            context,
            log,
            variables,
            path,
            parts,
            shape: Shape::default(),
            plain: Vec::new(),
        }
    }

    /// The end of the table: reports unknown keys.
    pub(crate) fn finish(self) -> Shape {
        let known: Vec<&'static str> = self.shape.names().collect();
        let is_repository = self.path.starts_with("skills.repositories");
        for part in &self.parts {
            for (name, value) in part.table {
                if known.contains(&name.get_ref().as_ref()) {
                    continue;
                }
                let near = nearest(name.get_ref(), known.iter().copied());
                let is_plain = near.first().is_some_and(|near| self.plain.contains(near));
                // A mistyped key may well hold a secret, most of all that of a repository.
                if is_repository || !is_plain {
                    self.log.hide_texts(part.layer, value);
                }
                self.log.faults.push(Fault {
                    layer: part.layer,
                    span: span_of(name),
                    key: join(&self.path, name.get_ref()),
                    kind: ProblemKind::UnknownKey {
                        near: near.first().copied(),
                        known: known.clone(),
                    },
                });
            }
        }
        self.shape
    }

    pub(crate) fn key(&self, name: &str) -> String {
        join(&self.path, name)
    }

    pub(crate) fn value_context(&self, layer: usize) -> ValueContext<'a> {
        let layer = self.context.layers.get(layer);
        let is_project = layer.is_some_and(|layer| layer.scope == Scope::Project);
        ValueContext {
            base: layer.map_or(Path::new(""), |layer| &layer.base),
            lookup: self.context.lookup,
            variables: match self.variables {
                Variables::ExpandForUser if is_project => Variables::Literal,
                Variables::ExpandForUser => Variables::Expand,
                variables => variables,
            },
        }
    }

    /// The directory of the file, if it is a project's.
    pub(crate) fn project_base(&self) -> Option<PathBuf> {
        let layer = self.context.layers.get(self.parts.first()?.layer)?;
        (layer.scope == Scope::Project).then(|| layer.base.clone())
    }

    pub(crate) fn fault(&mut self, name: &str, stated: &Stated<'_>, flaw: impl Into<Flaw>) {
        let Flaw { span, kind } = flaw.into();
        self.log.faults.push(Fault {
            layer: stated.layer,
            span: span.unwrap_or(stated.span),
            key: self.key(name),
            kind,
        });
    }

    /// The statements of a key, highest priority first.
    pub(crate) fn stated(&self, name: &str) -> Vec<Stated<'d>> {
        let find = |part: &Part<'d>| {
            let (key, value) = part.table.get_key_value(name)?;
            Some(Stated {
                layer: part.layer,
                key: span_of(key),
                span: span_of(value),
                value: value.get_ref(),
            })
        };
        self.parts.iter().filter_map(find).collect()
    }

    /// Makes a key known, and reports it where it has to be and is not.
    pub(crate) fn know(&mut self, field: Field) -> Vec<Stated<'d>> {
        let name = field.name;
        if field.need == Need::Required {
            for part in &self.parts {
                if !part.table.contains_key(name) {
                    self.log.faults.push(Fault {
                        layer: part.layer,
                        span: part.span,
                        key: self.key(name),
                        kind: ProblemKind::Missing,
                    });
                }
            }
        }
        self.shape.fields.push(field);
        self.stated(name)
    }

    /// The value of a key in the strongest file that may state it. Every statement is checked.
    pub(crate) fn read<T>(
        &mut self,
        field: Field,
        how: Shown,
        width: Option<&Width<'_, T>>,
        convert: impl Fn(&ValueContext<'_>, &DeValue<'_>) -> Result<T, Flaw>,
    ) -> Option<T> {
        let name = field.name;
        if how == Shown::Plain {
            self.plain.push(name);
        }
        let need = field.need.clone();
        let statements = self.know(field);
        let mut values = Vec::new();
        for stated in &statements {
            self.log.conceal(stated, how);
            match convert(&self.value_context(stated.layer), stated.value) {
                Ok(value) => values.push(Some(value)),
                Err(flaw) => {
                    values.push(None);
                    self.fault(name, stated, flaw);
                }
            }
        }
        let key = self.key(name);
        let mut chosen = None;
        for (index, stated) in statements.iter().enumerate() {
            let weaker = values.iter().skip(index + 1).flatten().next();
            let more = match (width, values.get(index)) {
                (Some(width), Some(Some(value))) => {
                    let own = weaker.map_or(width.default, width.of);
                    (width.of)(value) > own
                }
                _ => true,
            };
            match rules::refused(self.context.scope(stated.layer), &key, more) {
                None => {
                    chosen = Some((index, stated));
                    break;
                }
                Some(act) => self.ignore(key.clone(), stated, act),
            }
        }
        match (chosen, need) {
            (Some((_, stated)), _) => self.enter(key, shown(stated.value, how), stated),
            (None, Need::Default(value)) => self.log.entries.push(ConfigEntry {
                key,
                value,
                origin: Origin::Default,
            }),
            (None, _) => {}
        }
        values.into_iter().nth(chosen?.0).flatten()
    }

    /// Reports a statement that is not obeyed.
    pub(crate) fn ignore(&mut self, key: String, stated: &Stated<'_>, act: Act) {
        let origin = self.context.origin(stated.layer, stated.key);
        self.log.ignored.push(IgnoredKey { key, origin, act });
    }

    pub(crate) fn enter(&mut self, key: String, value: Value, stated: &Stated<'_>) {
        let origin = self.context.origin(stated.layer, stated.key);
        self.log.entries.push(ConfigEntry { key, value, origin });
    }

    /// A table whose keys have defaults.
    pub(crate) fn section<T>(
        &mut self,
        name: &'static str,
        about: &'static str,
        read: impl FnOnce(&mut Reader<'_, 'd>) -> T,
    ) -> T {
        let parts = self.parts_of(name);
        let mut child = self.child(name, parts);
        let value = read(&mut child);
        let shape = child.finish();
        self.shape.fields.push(Field {
            name,
            about,
            kind: FieldType::Table(shape),
            need: Need::Optional,
        });
        value
    }

    /// A table that may be absent as a whole.
    pub(crate) fn table<T>(
        &mut self,
        name: &'static str,
        about: &'static str,
        read: impl FnOnce(&mut Reader<'_, 'd>) -> Option<T>,
    ) -> Option<T> {
        let absent = self.stated(name).is_empty();
        let before = self.log.entries.len();
        let value = self.section(name, about, read);
        if absent {
            self.log.entries.truncate(before);
            return None;
        }
        value
    }

    pub(crate) fn child(&mut self, name: &str, parts: Vec<Part<'d>>) -> Reader<'_, 'd> {
        let path = self.key(name);
        Reader::new(self.context, self.log, self.variables, path, parts)
    }

    pub(crate) fn parts_of(&mut self, name: &str) -> Vec<Part<'d>> {
        let mut parts = Vec::new();
        for stated in self.stated(name) {
            if let DeValue::Table(table) = stated.value {
                parts.push(Part {
                    layer: stated.layer,
                    span: stated.key,
                    table,
                });
            } else {
                self.log.conceal(&stated, Shown::Secret);
                self.fault(name, &stated, values::wrong_type(stated.value, "a table"));
            }
        }
        parts
    }

    /// Exactly one of `keys` has to be there.
    pub(crate) fn one_of(&mut self, keys: &'static [&'static str]) {
        self.shape.choice = keys;
        for part in &self.parts {
            let stated = part.table.iter();
            let mut stated: Vec<Span> = stated
                .filter(|(name, _)| keys.contains(&name.get_ref().as_ref()))
                .map(|(name, _)| span_of(name))
                .collect();
            stated.sort_unstable();
            let (span, kind) = match stated.as_slice() {
                [] => (part.span, ProblemKind::NoneOf { keys }),
                [_] => continue,
                [_, second, ..] => (*second, ProblemKind::MoreThanOne { keys }),
            };
            self.log.faults.push(Fault {
                layer: part.layer,
                span,
                key: self.path.clone(),
                kind,
            });
        }
    }

    /// `name` means something only beside `other`.
    pub(crate) fn only_with(&mut self, name: &'static str, other: &'static str) {
        self.shape.only_with.push((name, other));
        for part in &self.parts {
            if part.table.contains_key(other) {
                continue;
            }
            if let Some((key, _)) = part.table.get_key_value(name) {
                self.log.faults.push(Fault {
                    layer: part.layer,
                    span: span_of(key),
                    key: self.key(name),
                    kind: ProblemKind::OnlyWith { key: other },
                });
            }
        }
    }
}

fn join(path: &str, name: &str) -> String {
    let name = key_part(name);
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}
