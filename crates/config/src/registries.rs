//! Reading `[[registries]]`.

use std::collections::BTreeSet;

use serde::Serialize;
use toml::de::DeValue;

use crate::address::Url;
use crate::layer::{Log, Part, Stated, span_of};
use crate::origin::key_part;
use crate::places;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::rules;
use crate::shape::{Field, FieldType, Need};
use crate::show::Shown;
use crate::texts;
use crate::values::{self, Flaw, Variables};

/// The key of the list.
const KEY: &str = "registries";

/// An entry of `[[registries]]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RegistryEntry {
    /// The name for `--registry`.
    pub name: String,
    /// Its URL.
    pub url: Url,
    /// The owners whose packages are in this registry and in no other; none: it is asked about all other packages.
    pub namespaces: Vec<String>,
}

/// The registries of the user's file, in order.
pub(crate) fn read(t: &mut Reader<'_, '_>) -> Vec<RegistryEntry> {
    let shape = {
        let mut log = Log::default();
        let none = Vec::new();
        let mut t = Reader::new(t.context, &mut log, Variables::Literal, String::new(), none);
        fields(&mut t);
        t.finish()
    };
    let statements = t.know(Field {
        name: KEY,
        about: "Further registries, in the order in which they are asked.",
        kind: FieldType::Tables(vec![shape]),
        need: Need::Optional,
    });
    let mut registries: Vec<RegistryEntry> = Vec::new();
    for stated in statements {
        // A project that names a registry would redirect requests.
        let refused = rules::refused(t.context.scope(stated.layer), KEY, true);
        let mut log = Log::default();
        let found = entries(t, &stated, &mut log);
        t.log.hidden.append(&mut log.hidden);
        t.log.faults.append(&mut log.faults);
        let names: BTreeSet<&str> = found.iter().map(|it| it.name.as_str()).collect();
        if names.len() < found.len() {
            t.fault(KEY, &stated, same_name());
        }
        if let Some(act) = refused {
            t.ignore(KEY.to_owned(), &stated, act);
            continue;
        }
        t.log.entries.append(&mut log.entries);
        registries.extend(found);
    }
    registries
}

fn entries(t: &mut Reader<'_, '_>, stated: &Stated<'_>, log: &mut Log) -> Vec<RegistryEntry> {
    let items = match values::items(stated.value) {
        Ok(items) => items,
        Err(flaw) => {
            t.log.conceal(stated, Shown::Secret);
            t.fault(KEY, stated, flaw);
            return Vec::new();
        }
    };
    let mut entries = Vec::new();
    for item in items {
        let DeValue::Table(table) = item.get_ref() else {
            t.log.hide_texts(stated.layer, item);
            let Flaw { kind, .. } = values::wrong_type(item.get_ref(), "a table");
            let span = Some(span_of(item));
            t.fault(KEY, stated, Flaw { span, kind });
            continue;
        };
        let name = table.get("name").and_then(|it| it.get_ref().as_str());
        let path = match name {
            Some(name) => format!("{KEY}.{}", key_part(name)),
            None => KEY.to_owned(),
        };
        let part = Part {
            layer: stated.layer,
            span: span_of(item),
            table,
        };
        let mut t = Reader::new(t.context, log, Variables::Literal, path, vec![part]);
        entries.extend(fields(&mut t));
        t.finish();
    }
    entries
}

fn fields(t: &mut Reader<'_, '_>) -> Option<RegistryEntry> {
    let before = t.log.entries.len();
    let about = "Name of the registry, for `--registry`.";
    let name = t.text(("name", about), Need::Required, Shown::Plain, texts::name);
    // The name is in the key of every other entry.
    t.log.entries.truncate(before);
    let url = ("url", "URL of the registry.");
    let url = t.text(url, Need::Required, Shown::Url, places::base_url);
    let field = Field {
        name: "namespaces",
        about: "Owners whose packages are only in this registry; it is asked about no other packages.",
        kind: FieldType::List(Box::new(FieldType::Text)),
        need: Need::Optional,
    };
    let namespaces = t.read(field, Shown::Plain, None, |context, value| {
        let names = values::each(value, |item| {
            let text = context.text(item)?.text;
            if text.contains('/') || !text.is_ascii() {
                return Err(no_owner().into());
            }
            Ok(texts::id(&text).map_err(|_| no_owner())?)
        })?;
        // Without a name in it, the list would turn a private registry into one for every package.
        if names.is_empty() {
            return Err(no_owner().into());
        }
        Ok(names)
    });
    Some(RegistryEntry {
        name: name?,
        url: url?,
        namespaces: namespaces.unwrap_or_default(),
    })
}

fn no_owner() -> ProblemKind {
    ProblemKind::Unfit {
        rule: "is not a list of owners: an owner has lower-case letters, digits and hyphens",
        help: "write owners such as `[\"acme\"]`, or remove the key",
    }
}

fn same_name() -> ProblemKind {
    ProblemKind::Unfit {
        rule: "has two entries with the same name",
        help: "give each registry a name of its own",
    }
}
