//! Reading the kinds of values that keys take.

use std::collections::BTreeMap;
use std::time::Duration;

use prowess_spec::manifest::Keyword;
use toml::de::DeValue;

use crate::layer::{Stated, span_of};
use crate::limits::Bounds;
use crate::origin::Origin;
use crate::problem::ProblemKind;
use crate::reader::{Reader, Width};
use crate::rules;
use crate::shape::{Field, FieldType, Need};
use crate::show::{Shown, shown};
use crate::values::{self, Flaw, TextValue, ValueContext};

impl Reader<'_, '_> {
    /// `true` or `false`.
    pub(crate) fn flag(&mut self, name: &'static str, about: &'static str, default: bool) -> bool {
        let field = Field {
            name,
            about,
            kind: FieldType::Flag,
            need: Need::Default(default.into()),
        };
        // Enabling a flag allows more, except for the one that ignores skills.
        let of = |value: &bool| f64::from(u8::from(*value != (name == "strict")));
        let default_width = of(&default);
        let width = Width {
            of: &of,
            default: default_width,
        };
        let convert = |_: &ValueContext<'_>, value: &DeValue<'_>| values::flag(value);
        self.read(field, Shown::Plain, Some(&width), convert)
            .unwrap_or(default)
    }

    /// A whole number.
    pub(crate) fn number(
        &mut self,
        name: &'static str,
        about: &'static str,
        bounds: &Bounds,
    ) -> u32 {
        let field = Field {
            name,
            about,
            kind: FieldType::Number {
                least: *bounds.range.start(),
                greatest: *bounds.range.end(),
            },
            need: Need::Default(bounds.default.into()),
        };
        let width = Width {
            of: &|value: &u32| f64::from(*value),
            default: f64::from(bounds.default),
        };
        let convert = |_: &ValueContext<'_>, value: &DeValue<'_>| values::number(value, bounds);
        self.read(field, Shown::Plain, Some(&width), convert)
            .unwrap_or(bounds.default)
    }

    /// A whole number of things in memory.
    pub(crate) fn count(
        &mut self,
        name: &'static str,
        about: &'static str,
        bounds: &Bounds,
    ) -> usize {
        usize::try_from(self.number(name, about, bounds)).unwrap_or(usize::MAX)
    }

    /// A whole number of seconds.
    pub(crate) fn seconds(
        &mut self,
        name: &'static str,
        about: &'static str,
        bounds: &Bounds,
    ) -> Duration {
        Duration::from_secs(self.number(name, about, bounds).into())
    }

    /// One of a few words.
    pub(crate) fn keyword<K: Keyword>(
        &mut self,
        name: &'static str,
        about: &'static str,
        default: K,
    ) -> K {
        let field = Field {
            name,
            about,
            kind: FieldType::Keyword(K::names()),
            need: Need::Default(default.as_str().into()),
        };
        // The words of a type stand in order, the one that allows least first.
        let of = |value: &K| {
            let place = K::ALL
                .iter()
                .position(|known| known.as_str() == value.as_str());
            place
                .and_then(|place| u32::try_from(place).ok())
                .map_or(f64::MAX, f64::from)
        };
        let width = Width {
            of: &of,
            default: of(&default),
        };
        let convert = |context: &ValueContext<'_>, value: &DeValue<'_>| {
            Ok(values::keyword(&context.text(value)?.text)?)
        };
        self.read(field, Shown::Plain, Some(&width), convert)
            .unwrap_or(default)
    }

    /// A string.
    pub(crate) fn text<T>(
        &mut self,
        (name, about): (&'static str, &'static str),
        need: Need,
        how: Shown,
        convert: impl Fn(&ValueContext<'_>, &TextValue<'_>) -> Result<T, ProblemKind>,
    ) -> Option<T> {
        let field = Field {
            name,
            about,
            kind: FieldType::Text,
            need,
        };
        self.read(field, how, None, |context, value| {
            Ok(convert(context, &context.text(value)?)?)
        })
    }

    /// Names of the user's choice, each with a value; the strongest file wins name by name.
    pub(crate) fn map<T>(
        &mut self,
        (name, about): (&'static str, &'static str),
        item: FieldType,
        how: Shown,
        convert: impl Fn(&ValueContext<'_>, &str, &DeValue<'_>) -> Result<T, Flaw>,
    ) -> Vec<(String, T, Origin)> {
        let parts = self.parts_of(name);
        let mut child = self.child(name, parts.clone());
        let mut found: BTreeMap<&str, Option<(T, Origin)>> = BTreeMap::new();
        for part in parts {
            for (item_name, value) in part.table {
                let stated = Stated {
                    layer: part.layer,
                    key: span_of(item_name),
                    span: span_of(value),
                    value: value.get_ref(),
                };
                let item_name = item_name.get_ref().as_ref();
                child.log.conceal(&stated, how);
                let scope = child.context.scope(stated.layer);
                let refused = rules::refused(scope, &child.path, true);
                let converted =
                    convert(&child.value_context(stated.layer), item_name, stated.value)
                        .map_err(|flaw| child.fault(item_name, &stated, flaw))
                        .ok();
                if let Some(act) = refused {
                    child.ignore(child.key(item_name), &stated, act);
                    continue;
                }
                if found.contains_key(item_name) {
                    continue;
                }
                let origin = child.context.origin(stated.layer, stated.key);
                found.insert(item_name, converted.map(|value| (value, origin)));
                child.enter(child.key(item_name), shown(stated.value, how), &stated);
            }
        }
        self.shape.fields.push(Field {
            name,
            about,
            kind: FieldType::Map(Box::new(item)),
            need: Need::Optional,
        });
        let found = found.into_iter();
        found
            .filter_map(|(name, value)| value.map(|(value, at)| (name.to_owned(), value, at)))
            .collect()
    }
}
