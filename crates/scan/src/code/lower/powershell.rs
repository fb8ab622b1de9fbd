//! Statements and commands of `PowerShell`.

use tree_sitter::Node;

use super::super::ir::Stmt;
use super::Lower;

/// The statements of a script.
pub(in super::super) fn module(_lower: &mut Lower<'_>, _root: Node<'_>) -> Vec<Stmt> {
    Vec::new()
}
