//! From a parser's tree to an array.

use std::collections::HashMap;

use tree_sitter::{Tree, TreeCursor};

use crate::limits::NODES;
use crate::tree::{NodeData, SyntaxTree};

/// The nodes of `tree`, up to a bound.
pub(crate) fn flatten(tree: &Tree) -> SyntaxTree {
    let mut flat = SyntaxTree::default();
    let mut names = Names::default();
    let mut cursor = tree.walk();
    let mut open: Vec<usize> = Vec::new();
    'nodes: loop {
        if flat.nodes.len() >= NODES {
            flat.cut = true;
            break;
        }
        flat.nodes.push(names.data(&cursor));
        open.push(flat.nodes.len() - 1);
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            close(&mut flat, &mut open);
            if cursor.goto_next_sibling() {
                continue 'nodes;
            }
            if !cursor.goto_parent() {
                break 'nodes;
            }
        }
    }
    while !open.is_empty() {
        close(&mut flat, &mut open);
    }
    flat.kinds = names.kinds.list;
    flat.fields = names.fields.list;
    flat
}

fn close(flat: &mut SyntaxTree, open: &mut Vec<usize>) {
    let next = u32::try_from(flat.nodes.len()).unwrap_or(u32::MAX);
    if let Some(node) = open.pop().and_then(|at| flat.nodes.get_mut(at)) {
        node.next = next;
    }
}

/// Names that occurred, numbered in their order.
#[derive(Default)]
struct Names {
    kinds: Table,
    fields: Table,
}

#[derive(Default)]
struct Table {
    list: Vec<Box<str>>,
    /// By the grammar's own numbers.
    numbers: HashMap<u16, usize>,
}

impl Table {
    fn number(&mut self, id: u16, name: impl FnOnce() -> Box<str>) -> usize {
        *self.numbers.entry(id).or_insert_with(|| {
            self.list.push(name());
            self.list.len() - 1
        })
    }
}

impl Names {
    fn data(&mut self, cursor: &TreeCursor<'_>) -> NodeData {
        let node = cursor.node();
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let kind = self.kinds.number(node.kind_id(), || node.kind().into());
        let field = cursor.field_id().map_or(0, |id| {
            let name = || cursor.field_name().unwrap_or_default().into();
            self.fields.number(id.get(), name) + 1
        });
        NodeData {
            kind: u16::try_from(kind).unwrap_or(u16::MAX),
            field: u8::try_from(field).unwrap_or(0),
            flags: flag(node.is_named(), NodeData::NAMED)
                | flag(node.is_extra(), NodeData::EXTRA)
                | flag(node.is_error(), NodeData::ERROR),
            start: u32::try_from(node.start_byte()).unwrap_or(u32::MAX),
            end: u32::try_from(node.end_byte()).unwrap_or(u32::MAX),
            next: 0,
        }
    }
}
