//! How much of a program could not be parsed.

use tree_sitter::Tree;

/// The errors of a tree, and the bytes inside of them, each counted once.
pub(crate) fn errors(tree: &Tree) -> (usize, usize) {
    if !tree.root_node().has_error() {
        return (0, 0);
    }
    let mut cursor = tree.walk();
    let (mut count, mut bytes) = (0_usize, 0_usize);
    // Inside of an error there are more: each of them was recovered from.
    let mut outside = 0;
    loop {
        let node = cursor.node();
        if node.is_missing() {
            count += 1;
        }
        if node.is_error() {
            count += 1;
            if node.start_byte() >= outside {
                bytes += node.end_byte().saturating_sub(node.start_byte());
                outside = node.end_byte();
            }
            // A flat error holds what was skipped.
            count += usize::try_from(node.child_count()).unwrap_or(0) / 4;
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (count, bytes);
            }
        }
    }
}
