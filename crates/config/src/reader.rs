//! Reading a table key by key, from every file that states it, and reporting what does not fit.

use std::path::Path;

use prowess_spec::{Span, nearest};
use serde_json::Value;
use toml::de::DeValue;

use crate::layer::{Context, Fault, Log, Part, Stated, span_of};
use crate::origin::{Entry, Origin, Scope, key_part};
use crate::problem::ProblemKind;
use crate::shape::{Field, Kind, Need, Shape};
use crate::show::{Shown, shown};
use crate::site::{self, Flaw, Site, Variables};

/// Reads one table.
pub(crate) struct Reader<'a, 'd> {
    pub(crate) context: Context<'a>,
    pub(crate) log: &'a mut Log,
    pub(crate) variables: Variables,
    /// The dotted key of the table.
    pub(crate) path: String,
    parts: Vec<Part<'d>>,
    pub(crate) shape: Shape,
}

/// Keys that a project's file cannot state: whoever wrote the project does not say where approvals and chats are kept,
/// where a key is sent, or what is taken for one.
const OWN_KEYS: [&str; 3] = ["store.url", "model.base_url", "model.api_key_env"];

/// Keys of which a project's file states what holds where the user's own file does not: whoever chose who hears what
/// they say is not overruled.
const OWN_FIRST: [&str; 4] = [
    "model.provider",
    "model.name",
    "model.tools",
    "model.context_window",
];

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
        }
    }

    /// The end of the table: reports the keys that nobody asked for.
    pub(crate) fn finish(self) -> Shape {
        let known: Vec<&'static str> = self.shape.names().collect();
        for part in &self.parts {
            for (name, value) in part.table {
                if known.contains(&name.get_ref().as_ref()) {
                    continue;
                }
                // A mistyped key may well hold a secret.
                self.log.hide_texts(part.layer, value);
                let near = nearest(name.get_ref(), known.iter().copied());
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

    pub(crate) fn site(&self, layer: usize) -> Site<'a> {
        let layer = self.context.layers.get(layer);
        Site {
            base: layer.map_or(Path::new(""), |layer| &layer.base),
            lookup: self.context.lookup,
            variables: self.variables,
            scope: layer.map(|layer| layer.scope),
        }
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

    /// What the files say of a key, the strongest first.
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

    /// The value of a key in the strongest file that states it. Every statement is checked.
    pub(crate) fn read<T>(
        &mut self,
        field: Field,
        how: Shown,
        convert: impl Fn(&Site<'_>, &DeValue<'_>) -> Result<T, Flaw>,
    ) -> Option<T> {
        let name = field.name;
        let need = field.need.clone();
        let statements = self.know(field);
        let mut values = Vec::new();
        for stated in &statements {
            self.log.conceal(stated, how);
            match convert(&self.site(stated.layer), stated.value) {
                Ok(value) => values.push(Some(value)),
                Err(flaw) => {
                    values.push(None);
                    self.fault(name, stated, flaw);
                }
            }
        }
        let key = self.key(name);
        let theirs = |stated: &Stated<'_>| self.is_project(stated.layer);
        let own = statements.iter().position(|stated| !theirs(stated));
        let (first, dropped) = if OWN_KEYS.contains(&key.as_str()) {
            (own, statements.iter().filter(|it| theirs(it)).collect())
        } else if OWN_FIRST.contains(&key.as_str()) && own.is_some() {
            (own, Vec::new())
        } else {
            (statements.first().map(|_| 0), Vec::new())
        };
        let dropped: Vec<(String, Origin)> = dropped
            .into_iter()
            .map(|it| (key.clone(), self.context.origin(it.layer, it.key)))
            .collect();
        self.log.ignored.extend(dropped);
        let counted = first.and_then(|first| statements.get(first));
        match (counted, need) {
            (Some(stated), _) => self.enter(self.key(name), shown(stated.value, how), stated),
            (None, Need::Default(value)) => self.log.entries.push(Entry {
                key: self.key(name),
                value,
                origin: Origin::Default,
            }),
            (None, _) => {}
        }
        values.into_iter().nth(first?).flatten()
    }

    /// Whether whoever wrote the project wrote the file.
    fn is_project(&self, layer: usize) -> bool {
        let layer = self.context.layers.get(layer);
        layer.is_some_and(|layer| layer.scope == Scope::Project)
    }

    pub(crate) fn enter(&mut self, key: String, value: Value, stated: &Stated<'_>) {
        let origin = self.context.origin(stated.layer, stated.key);
        self.log.entries.push(Entry { key, value, origin });
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
            kind: Kind::Table(shape),
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
                self.fault(name, &stated, site::wrong_type(stated.value, "a table"));
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
