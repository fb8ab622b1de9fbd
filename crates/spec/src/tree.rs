//! From a stream of scalars and brackets to values, within bounds.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::limits::{YAML_DEPTH, YAML_NODES, YAML_TEXT_BYTES};
use crate::span::Span;
use crate::value::{Mapping, MappingEntry, Node, Scalar, Style, Value};

/// The events of a YAML reader. Inside a mapping, keys and values alternate.
pub(crate) trait Sink<'s> {
    /// A scalar, as key or value.
    fn scalar(&mut self, text: Cow<'s, str>, style: Style, span: Span) -> Result<(), Refusal>;
    /// The start of a collection; only flow collections need the position.
    fn open(&mut self, kind: Collection, start: usize) -> Result<(), Refusal>;
    /// The end of the innermost collection; without brackets it spans its children.
    fn close(&mut self, end: Option<usize>) -> Result<(), Refusal>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collection {
    Sequence,
    Mapping,
}

/// Why a value was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Depth,
    Nodes,
    Text,
    /// A list or mapping as a key is refused: as text it would grow with every nesting.
    Key,
}

/// A duplicate key in one mapping.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Duplicate {
    pub(crate) key: String,
    pub(crate) first: Span,
    pub(crate) second: Span,
}

/// Builds [`Node`]s from what a reader feeds it.
#[derive(Debug, Default)]
pub(crate) struct TreeBuilder {
    stack: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    text_bytes: usize,
    duplicates: Vec<Duplicate>,
}

#[derive(Debug)]
struct Open {
    start: usize,
    collection: OpenCollection,
}

#[derive(Debug)]
enum OpenCollection {
    Sequence(Vec<Node>),
    Mapping {
        mapping: Mapping,
        key: Option<(String, Span)>,
        /// Keys and their positions, if there are too many for a linear search.
        index: HashMap<String, Span>,
    },
}

impl TreeBuilder {
    /// The finished value, and the keys that were left out because they stood there already.
    pub(crate) fn finish(self) -> (Option<Node>, Vec<Duplicate>) {
        (self.root, self.duplicates)
    }

    /// The value that was finished last, unless it was a key.
    pub(crate) fn last(&self) -> Option<&Node> {
        match self.stack.last().map(|open| &open.collection) {
            None => self.root.as_ref(),
            Some(OpenCollection::Sequence(items)) => items.last(),
            Some(OpenCollection::Mapping { key: Some(_), .. }) => None,
            Some(OpenCollection::Mapping { mapping, .. }) => {
                mapping.entries.last().map(|entry| &entry.value)
            }
        }
    }

    /// How many collections are open.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Puts a copy of `node` here, as an alias does.
    pub(crate) fn graft(&mut self, node: &Node, span: Span) -> Result<(), Refusal> {
        let size = Size::of(node);
        self.charge(size.nodes, size.text_bytes)?;
        if self.stack.len() + size.depth > YAML_DEPTH {
            return Err(Refusal::Depth);
        }
        let mut copy = node.clone();
        copy.span = span;
        self.place(copy)
    }

    fn charge(&mut self, nodes: usize, text_bytes: usize) -> Result<(), Refusal> {
        self.nodes += nodes;
        self.text_bytes += text_bytes;
        if self.nodes > YAML_NODES {
            return Err(Refusal::Nodes);
        }
        if self.text_bytes > YAML_TEXT_BYTES {
            return Err(Refusal::Text);
        }
        Ok(())
    }

    fn place(&mut self, node: Node) -> Result<(), Refusal> {
        match self.stack.last_mut().map(|open| &mut open.collection) {
            None => self.root = Some(node),
            Some(OpenCollection::Sequence(items)) => items.push(node),
            Some(OpenCollection::Mapping {
                mapping,
                key,
                index,
            }) => match key.take() {
                None => match node.value {
                    Value::Scalar(scalar) => *key = Some((scalar.text, node.span)),
                    Value::Sequence(_) | Value::Mapping(_) => return Err(Refusal::Key),
                },
                Some((key, key_span)) => match known_key(mapping, index, &key) {
                    Some(first) => self.duplicates.push(Duplicate {
                        first,
                        second: key_span,
                        key,
                    }),
                    None => mapping.entries.push(MappingEntry {
                        key,
                        key_span,
                        value: node,
                    }),
                },
            },
        }
        Ok(())
    }
}

impl<'s> Sink<'s> for TreeBuilder {
    fn scalar(&mut self, text: Cow<'s, str>, style: Style, span: Span) -> Result<(), Refusal> {
        self.charge(1, text.len())?;
        let text = text.into_owned();
        self.place(Node {
            value: Value::Scalar(Scalar { text, style }),
            span,
        })
    }

    fn open(&mut self, kind: Collection, start: usize) -> Result<(), Refusal> {
        self.charge(1, 0)?;
        if self.stack.len() >= YAML_DEPTH {
            return Err(Refusal::Depth);
        }
        let collection = match kind {
            Collection::Sequence => OpenCollection::Sequence(Vec::new()),
            Collection::Mapping => OpenCollection::Mapping {
                mapping: Mapping::default(),
                key: None,
                index: HashMap::new(),
            },
        };
        self.stack.push(Open { start, collection });
        Ok(())
    }

    fn close(&mut self, end: Option<usize>) -> Result<(), Refusal> {
        let Some(open) = self.stack.pop() else {
            return Ok(());
        };
        let (value, children) = match open.collection {
            OpenCollection::Sequence(items) => {
                let first = items.first().map(|item| item.span.start);
                let last = items.last().map(|item| item.span.end);
                (Value::Sequence(items), first.zip(last))
            }
            OpenCollection::Mapping { mapping, .. } => {
                let first = mapping.entries.first().map(|entry| entry.key_span.start);
                let last = mapping.entries.last();
                let last = last.map(|entry| entry.value.span.end.max(entry.key_span.end));
                (Value::Mapping(mapping), first.zip(last))
            }
        };
        let span = match (end, children) {
            (Some(end), _) => Span::new(open.start, end),
            (None, Some((first, last))) => Span::new(first, last),
            (None, None) => Span::at(open.start),
        };
        self.place(Node { value, span })
    }
}

/// The position of an existing `key`. Small mappings are searched, large ones indexed as they grow.
fn known_key(mapping: &Mapping, index: &mut HashMap<String, Span>, key: &str) -> Option<Span> {
    const SMALL: usize = 24;
    if mapping.entries.len() < SMALL {
        return mapping.entry(key).map(|entry| entry.key_span);
    }
    let unindexed = mapping.entries.iter().skip(index.len());
    index.extend(unindexed.map(|entry| (entry.key.clone(), entry.key_span)));
    index.get(key).copied()
}

/// The cost of a subtree.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    nodes: usize,
    text_bytes: usize,
    depth: usize,
}

impl Size {
    /// Recursion is safe: a finished node is at most [`YAML_DEPTH`] deep.
    fn of(node: &Node) -> Self {
        match &node.value {
            Value::Scalar(scalar) => Self {
                nodes: 1,
                text_bytes: scalar.text.len(),
                depth: 0,
            },
            Value::Sequence(items) => Self::of_children(items.iter(), 0),
            Value::Mapping(mapping) => {
                let keys = mapping.entries.iter().map(|entry| entry.key.len()).sum();
                Self::of_children(mapping.entries.iter().map(|entry| &entry.value), keys)
            }
        }
    }

    fn of_children<'n>(children: impl Iterator<Item = &'n Node>, key_bytes: usize) -> Self {
        let own = Self {
            nodes: 1,
            text_bytes: key_bytes,
            depth: 1,
        };
        children.map(Self::of).fold(own, |sum, child| Self {
            nodes: sum.nodes + child.nodes,
            text_bytes: sum.text_bytes + child.text_bytes,
            depth: sum.depth.max(child.depth + 1),
        })
    }
}
