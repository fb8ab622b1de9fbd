//! What a filter finds in an item.

use crate::terminal::shown;

/// The texts of an item as they are shown and searched.
pub(super) struct PickerRow {
    pub(super) name: Vec<char>,
    pub(super) description: Vec<char>,
    folded_name: Vec<char>,
    folded_description: Vec<char>,
}

/// Where a filter was found; better ones first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Characters of the name in one piece.
    Name(usize),
    /// Characters of the description in one piece.
    Description(usize),
    /// Characters of the name in their order.
    Letters(Vec<usize>),
}

impl Found {
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Name(_) => 0,
            Self::Description(_) => 1,
            Self::Letters(_) => 2,
        }
    }
}

impl PickerRow {
    pub(super) fn new(name: &str, description: &str) -> Self {
        let (name, description) = (one_line(name), one_line(description));
        Self {
            folded_name: fold(&name),
            folded_description: fold(&description),
            name,
            description,
        }
    }

    /// Looks for folded characters.
    pub(super) fn find(&self, filter: &[char]) -> Option<Found> {
        if let Some(at) = position(&self.folded_name, filter) {
            return Some(Found::Name(at));
        }
        if let Some(at) = position(&self.folded_description, filter) {
            return Some(Found::Description(at));
        }
        let mut wanted = filter.iter();
        let mut next = wanted.next();
        let mut letters = Vec::new();
        for (at, c) in self.folded_name.iter().enumerate() {
            if next == Some(c) {
                letters.push(at);
                next = wanted.next();
            }
        }
        next.is_none().then_some(Found::Letters(letters))
    }
}

/// Upper case is lower case.
pub(super) fn fold(text: &[char]) -> Vec<char> {
    let folded = |c: &char| c.to_lowercase().next().unwrap_or(*c);
    text.iter().map(folded).collect()
}

fn position(text: &[char], part: &[char]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    text.windows(part.len()).position(|window| window == part)
}

/// A text in one line that a terminal does not obey.
fn one_line(text: &str) -> Vec<char> {
    let words: Vec<&str> = text.split_whitespace().collect();
    shown(&words.join(" ")).chars().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pi1_what_a_filter_finds() {
        let row = PickerRow::new("pdf-Forms", "Fill in\n documents");
        for (filter, expected) in [
            ("", Some(Found::Name(0))),
            ("form", Some(Found::Name(4))),
            ("FORM", Some(Found::Name(4))),
            ("docu", Some(Found::Description(8))),
            ("in d", Some(Found::Description(5))),
            ("pfs", Some(Found::Letters(vec![0, 2, 8]))),
            ("sp", None),
            ("x", None),
        ] {
            let folded = fold(&filter.chars().collect::<Vec<_>>());
            assert_eq!(row.find(&folded), expected, "{filter}");
        }
    }
}
