//! Reading a mapping field by field, reporting what does not fit.

use semver::{Version, VersionReq};

use super::keywords::Keyword;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::levels::Levels;
use crate::path::SkillPath;
use crate::skill::Context;
use crate::span::Span;
use crate::suggest::{by_distance, did_you_mean};
use crate::value::{Mapping, MappingEntry, Node, Resolved, Scalar, Value};

pub(super) struct Reader<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) out: &'a mut Vec<Diagnostic>,
}

/// A text and its position.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) span: Span,
}

impl Reader<'_> {
    pub(super) fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let found = Diagnostic::new(code, span, message).help(help);
        self.out.push(found.levels(match code {
            Code::WrongType => Levels::FATAL,
            _ => code.info().levels,
        }));
    }

    /// Reports the keys of `mapping` that are not in `known`.
    pub(super) fn known_keys(&mut self, mapping: &Mapping, known: &[&str]) {
        for MappingEntry { key, key_span, .. } in &mapping.entries {
            if known.contains(&key.as_str()) {
                continue;
            }
            let help = did_you_mean(key, known.iter().copied())
                .unwrap_or_else(|| format!("one of: {}", known.join(", ")));
            let message = format!("`{key}` is not a field of the manifest");
            self.out.push(
                Diagnostic::new(Code::UnknownField, *key_span, message)
                    .help(help)
                    .levels(Levels::TOLERATED),
            );
        }
    }

    fn wrong_type(&mut self, key: &str, node: &Node, expected: &str) {
        let message = format!("`{key}` must be {expected}, found {}", node.value.kind());
        self.report(
            Code::WrongType,
            node.span,
            message,
            format!("write {expected}"),
        );
    }

    /// Scalar text; null and blank text count as absent.
    pub(super) fn text(&mut self, mapping: &Mapping, key: &str) -> Option<Text> {
        let node = mapping.get(key).filter(|node| !node.is_null())?;
        self.node_text(key, node)
    }

    fn node_text(&mut self, key: &str, node: &Node) -> Option<Text> {
        let Some(scalar) = node.as_scalar() else {
            self.wrong_type(key, node, "text");
            return None;
        };
        let text = scalar.text.trim().to_owned();
        (!text.is_empty()).then_some(Text {
            text,
            span: node.span,
        })
    }

    /// Like [`Self::text`], reporting when it is absent.
    pub(super) fn required(&mut self, mapping: &Mapping, key: &str, at: Span) -> Option<Text> {
        let present = mapping.get(key).is_some_and(|node| !node.is_null());
        let text = self.text(mapping, key);
        let wrong_type = present
            && mapping
                .get(key)
                .is_some_and(|node| node.as_scalar().is_none());
        if text.is_none() && !wrong_type {
            self.missing(key, at);
        }
        text
    }

    pub(super) fn missing(&mut self, key: &str, at: Span) {
        let message = format!("`{key}` is missing or empty");
        self.report(Code::MissingField, at, message, format!("add `{key}:`"));
    }

    pub(super) fn mapping<'m>(&mut self, mapping: &'m Mapping, key: &str) -> Option<&'m Mapping> {
        let node = mapping.get(key).filter(|node| !node.is_null())?;
        let found = node.as_mapping();
        if found.is_none() {
            self.wrong_type(key, node, "a mapping");
        }
        found
    }

    /// The items of a list; absent is empty.
    pub(super) fn items<'m>(&mut self, mapping: &'m Mapping, key: &str) -> &'m [Node] {
        let Some(node) = mapping.get(key).filter(|node| !node.is_null()) else {
            return &[];
        };
        if let Value::Sequence(items) = &node.value {
            return items;
        }
        self.wrong_type(key, node, "a list");
        &[]
    }

    /// The texts of a list, blank ones left out.
    pub(super) fn texts(&mut self, mapping: &Mapping, key: &str) -> Vec<Text> {
        let items = self.items(mapping, key);
        items
            .iter()
            .filter_map(|item| self.node_text(key, item))
            .collect()
    }

    pub(super) fn strings(&mut self, mapping: &Mapping, key: &str) -> Vec<String> {
        self.texts(mapping, key)
            .into_iter()
            .map(|found| found.text)
            .collect()
    }

    /// The mappings of a list.
    pub(super) fn mappings<'m>(
        &mut self,
        mapping: &'m Mapping,
        key: &str,
    ) -> Vec<(&'m Mapping, Span)> {
        let mut found = Vec::new();
        for item in self.items(mapping, key) {
            match item.as_mapping() {
                Some(mapping) => found.push((mapping, item.span)),
                None => self.wrong_type(key, item, "a list of mappings"),
            }
        }
        found
    }

    pub(super) fn boolean(&mut self, mapping: &Mapping, key: &str) -> bool {
        let Some(node) = mapping.get(key) else {
            return false;
        };
        if let Some(Resolved::Bool(value)) = node.as_scalar().map(Scalar::resolve) {
            return value;
        }
        self.wrong_type(key, node, "`true` or `false`");
        false
    }

    pub(super) fn number(&mut self, mapping: &Mapping, key: &str) -> Option<usize> {
        let node = mapping.get(key).filter(|node| !node.is_null())?;
        match node.as_scalar().map(Scalar::resolve) {
            Some(Resolved::Int(value)) if value > 0 => usize::try_from(value).ok(),
            _ => {
                self.wrong_type(key, node, "a positive whole number");
                None
            }
        }
    }

    /// A keyword.
    pub(super) fn keyword<K: Keyword>(&mut self, key: &str, found: &Text) -> Option<K> {
        let word = K::parse(&found.text);
        if word.is_none() {
            let message = format!("invalid value `{}` of `{key}`", found.text);
            let help = format!(
                "one of: {}",
                by_distance(&found.text, &K::names()).join(", ")
            );
            self.report(Code::UnknownValue, found.span, message, help);
        }
        word
    }

    /// A list of keywords, each once.
    pub(super) fn keywords<K: Keyword + PartialEq>(
        &mut self,
        mapping: &Mapping,
        key: &str,
    ) -> Vec<K> {
        let mut words = Vec::new();
        for found in self.texts(mapping, key) {
            let Some(word) = self.keyword::<K>(key, &found) else {
                continue;
            };
            if words.contains(&word) {
                let message = format!("duplicate value `{}` in `{key}`", found.text);
                self.report(Code::RepeatedValue, found.span, message, "remove it");
            } else {
                words.push(word);
            }
        }
        words
    }

    pub(super) fn version(&mut self, found: &Text) -> Option<Version> {
        let version = Version::parse(&found.text);
        if let Err(error) = &version {
            let message = format!("invalid version `{}`: {error}", found.text);
            self.report(
                Code::InvalidVersion,
                found.span,
                message,
                "write MAJOR.MINOR.PATCH, such as `1.0.0`",
            );
        }
        version.ok()
    }

    pub(super) fn range(&mut self, mapping: &Mapping, key: &str) -> Option<VersionReq> {
        let found = self.text(mapping, key)?;
        let range = VersionReq::parse(&found.text);
        if let Err(error) = &range {
            let message = format!("invalid version range `{}`: {error}", found.text);
            self.report(
                Code::InvalidVersion,
                found.span,
                message,
                "write a range such as `^1.2` or `>=1.5, <3`",
            );
        }
        range.ok()
    }

    /// A file of the skill.
    pub(super) fn file(&mut self, key: &str, found: &Text) -> Option<SkillPath> {
        match SkillPath::parse(&found.text) {
            Ok(path) => {
                if self
                    .context
                    .exists
                    .is_some_and(|exists| !exists(path.as_str()))
                {
                    let message = format!("file not found: `{path}` in `{key}`");
                    self.report(
                        Code::MissingFile,
                        found.span,
                        message,
                        "add the file, or correct the path",
                    );
                }
                Some(path)
            }
            Err(problem) => {
                let message = format!(
                    "invalid path in `{key}`: `{}` {problem}",
                    found.text.escape_debug()
                );
                self.report(
                    Code::PathEscapes,
                    found.span,
                    message,
                    "use a path inside the skill",
                );
                None
            }
        }
    }
}
