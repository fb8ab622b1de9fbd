//! The binary `prowess`.
fn main() {}
