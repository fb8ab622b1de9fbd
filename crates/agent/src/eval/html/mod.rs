//! A report that needs nothing but a browser.

mod chart;
mod escape;
mod page;
mod parts;
mod style;

pub use page::{GENERATOR, html};
