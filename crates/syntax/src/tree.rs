//! A syntax tree as an array of nodes.

use std::fmt;
use std::ops::Range;

/// A syntax tree. Nodes are in the order in which they begin, a parent before its children.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SyntaxTree {
    pub(crate) nodes: Vec<NodeData>,
    /// Names of the kinds that occur.
    pub(crate) kinds: Vec<Box<str>>,
    /// Names of the fields that occur.
    pub(crate) fields: Vec<Box<str>>,
    /// Whether there were more nodes.
    pub(crate) cut: bool,
}

impl SyntaxTree {
    /// The first node, which all others are in; absent in an empty tree.
    pub fn root(&self) -> Option<Node<'_>> {
        (!self.nodes.is_empty()).then_some(Node { tree: self, at: 0 })
    }

    /// Whether nodes are missing at the end, because there were too many.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn data(&self, at: usize) -> NodeData {
        self.nodes.get(at).copied().unwrap_or_default()
    }
}

impl fmt::Debug for SyntaxTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.root() {
            Some(root) => root.fmt(f),
            None => f.write_str("()"),
        }
    }
}

/// What the array holds of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeData {
    pub(crate) kind: u16,
    /// One more than the number of the field's name; zero without one.
    pub(crate) field: u8,
    pub(crate) flags: u8,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Number of the first node that is not inside of this one.
    pub(crate) next: u32,
}

impl NodeData {
    pub(crate) const NAMED: u8 = 1;
    pub(crate) const EXTRA: u8 = 2;
    pub(crate) const ERROR: u8 = 4;
    pub(crate) const ALL_FLAGS: u8 = Self::NAMED | Self::EXTRA | Self::ERROR;
}

/// A node of a [`SyntaxTree`].
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t SyntaxTree,
    at: usize,
}

/// Two nodes of one tree are equal if they are the same one.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.at == other.at
    }
}

impl Eq for Node<'_> {}

impl<'t> Node<'t> {
    fn data(self) -> NodeData {
        self.tree.data(self.at)
    }

    fn is(self, flag: u8) -> bool {
        self.data().flags & flag != 0
    }

    /// The name that the grammar gives to such nodes; `ERROR` for what could not be parsed.
    pub fn kind(self) -> &'t str {
        let kind = self.tree.kinds.get(usize::from(self.data().kind));
        kind.map_or("", |kind| kind)
    }

    /// Where it begins in the source, in bytes.
    pub fn start_byte(self) -> usize {
        index(self.data().start)
    }

    /// One past its end.
    pub fn end_byte(self) -> usize {
        index(self.data().end)
    }

    /// From [`start_byte`](Self::start_byte) to [`end_byte`](Self::end_byte).
    pub fn byte_range(self) -> Range<usize> {
        self.start_byte()..self.end_byte()
    }

    /// Whether it is more than a token such as `(`.
    pub fn is_named(&self) -> bool {
        self.is(NodeData::NAMED)
    }

    /// Whether it may stand anywhere, as comments may.
    pub fn is_extra(&self) -> bool {
        self.is(NodeData::EXTRA)
    }

    /// Whether it holds what could not be parsed.
    pub fn is_error(&self) -> bool {
        self.is(NodeData::ERROR)
    }

    /// All children, tokens as well.
    pub fn children(self) -> Children<'t> {
        Children {
            tree: self.tree,
            at: self.at + 1,
            end: index(self.data().next),
        }
    }

    /// The children that are more than tokens.
    pub fn named_children(self) -> impl Iterator<Item = Node<'t>> {
        self.children().filter(Node::is_named)
    }

    /// The named child of this number, from zero.
    pub fn named_child(self, number: usize) -> Option<Self> {
        self.named_children().nth(number)
    }

    /// The first child in this field.
    pub fn child_by_field_name(self, field: &str) -> Option<Self> {
        self.children_by_field_name(field).next()
    }

    /// Every child in this field.
    pub fn children_by_field_name(self, field: &str) -> impl Iterator<Item = Self> {
        let wanted = self
            .tree
            .fields
            .iter()
            .position(|name| **name == *field)
            .and_then(|at| u8::try_from(at + 1).ok())
            // No child has this number, because there are fewer names.
            .unwrap_or(u8::MAX);
        self.children()
            .filter(move |child| child.data().field == wanted)
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}", self.kind())?;
        for child in self.named_children() {
            f.write_str(" ")?;
            child.fmt(f)?;
        }
        f.write_str(")")
    }
}

/// The children of a node.
#[derive(Clone)]
pub struct Children<'t> {
    tree: &'t SyntaxTree,
    at: usize,
    end: usize,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.at >= self.end {
            return None;
        }
        let node = Node {
            tree: self.tree,
            at: self.at,
        };
        // A tree from the wire was checked; this holds whatever is in it.
        self.at = index(node.data().next).max(self.at + 1);
        Some(node)
    }
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
