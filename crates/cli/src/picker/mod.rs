//! Choosing among many things in a terminal: type to filter, space to choose, with a preview.
//!
//! Keys become a state in `model.rs`, and a state becomes lines in `view.rs`; both know no terminal. `screen.rs` is the
//! edge: it switches the terminal over, reads keys, and switches it back however that ends.

mod keys;
mod layout;
mod matching;
mod model;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod signals;
#[cfg(all(test, unix))]
mod terminal_tests;
mod view;

use crate::error::Result;

/// Something to choose. Its texts may come from strangers.
#[derive(Clone, Debug, Default)]
pub(crate) struct PickerItem {
    pub(crate) name: String,
    /// One line.
    pub(crate) description: String,
    /// Shown while the cursor is on it.
    pub(crate) preview: String,
}

/// Whether there is a terminal that can show a picker.
pub(crate) fn can_pick() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|it| it.is_empty() || it == "dumb");
    cfg!(unix) && !is_dumb && crate::terminal::can_ask()
}

/// Lets the user choose; `None` if the user cancels. The indices are in the order of the items.
#[cfg(unix)]
pub(crate) fn pick(items: &[PickerItem], title: &str) -> Result<Option<Vec<usize>>> {
    screen::run(model::Picker::new(items, title))
}

#[cfg(not(unix))]
pub(crate) fn pick(_: &[PickerItem], _: &str) -> Result<Option<Vec<usize>>> {
    let message = "cannot show a picker on this system";
    Err(crate::error::CommandError::failure(message))
}
