//! Markdown for a terminal, while it is still being written.
//!
//! It is read once, from front to back, a word at a time, and what was printed stays: a terminal that scrolls cannot
//! be corrected. Whatever the parts are in which a text arrives, the same comes out.

mod inline;
mod line;
mod link;
mod stream;
mod table;

pub(crate) use stream::Markdown;
