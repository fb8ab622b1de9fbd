//! The state of a picker: keys in, a choice out.

use std::collections::BTreeSet;

use super::PickerItem;
use super::keys::Key;
use super::layout::Layout;
use super::matching::{Found, PickerRow, fold};
use crate::terminal::printable;

/// Characters of a filter.
const FILTER: usize = 200;

/// A list with a filter, a cursor and what is chosen.
pub(super) struct Picker<'a> {
    items: &'a [PickerItem],
    pub(super) title: String,
    pub(super) rows: Vec<PickerRow>,
    pub(super) filter: Vec<char>,
    /// The items that the filter finds, in the order of the list.
    pub(super) found: Vec<(usize, Found)>,
    /// A position in `found`.
    pub(super) cursor: usize,
    /// The first position in `found` that is drawn.
    pub(super) top: usize,
    pub(super) chosen: BTreeSet<usize>,
    pub(super) layout: Layout,
}

/// What a key led to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Continue,
    Accept(Vec<usize>),
    Cancel,
}

impl<'a> Picker<'a> {
    pub(super) fn new(items: &'a [PickerItem], title: &str) -> Self {
        let row = |item: &PickerItem| PickerRow::new(&item.name, &item.description);
        let mut picker = Self {
            items,
            title: printable(title),
            rows: items.iter().map(row).collect(),
            filter: Vec::new(),
            found: Vec::new(),
            cursor: 0,
            top: 0,
            chosen: BTreeSet::new(),
            layout: Layout::new(80, 24),
        };
        picker.search();
        picker
    }

    /// Fits the list into a terminal of this size.
    pub(super) fn resize(&mut self, columns: usize, rows: usize) {
        self.layout = Layout::new(columns, rows);
        self.scroll();
    }

    /// The item under the cursor.
    pub(super) fn current(&self) -> Option<usize> {
        self.found.get(self.cursor).map(|(item, _)| *item)
    }

    /// The text beside the list.
    pub(super) fn preview(&self) -> &'a str {
        let item = self.current().and_then(|item| self.items.get(item));
        item.map_or("", |item| item.preview.as_str())
    }

    pub(super) fn press(&mut self, key: Key) -> Step {
        let last = self.found.len().saturating_sub(1);
        match key {
            Key::Character(' ') => self.toggle(),
            Key::Character(c) if self.filter.len() < FILTER => {
                self.filter.push(c);
                self.search();
            }
            Key::Character(_) => {}
            Key::Backspace => {
                self.filter.pop();
                self.search();
            }
            Key::Clear => {
                self.filter.clear();
                self.search();
            }
            Key::Up => self.cursor = self.cursor.saturating_sub(1),
            Key::Down => self.cursor = last.min(self.cursor + 1),
            Key::PageUp => self.cursor = self.cursor.saturating_sub(self.layout.list),
            Key::PageDown => self.cursor = last.min(self.cursor + self.layout.list),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = last,
            Key::All => self.toggle_found(),
            Key::Cancel => return Step::Cancel,
            Key::Enter => return self.accept(),
        }
        self.scroll();
        Step::Continue
    }

    fn accept(&self) -> Step {
        if !self.chosen.is_empty() {
            return Step::Accept(self.chosen.iter().copied().collect());
        }
        match self.current() {
            Some(item) => Step::Accept(vec![item]),
            None => Step::Continue,
        }
    }

    fn toggle(&mut self) {
        if let Some(item) = self.current()
            && !self.chosen.remove(&item)
        {
            self.chosen.insert(item);
        }
    }

    /// Chooses everything that the filter finds, or nothing of it if all of it was chosen.
    fn toggle_found(&mut self) {
        let found = self.found.iter().map(|(item, _)| *item);
        if found.clone().all(|item| self.chosen.contains(&item)) {
            for item in found {
                self.chosen.remove(&item);
            }
        } else {
            self.chosen.extend(found);
        }
    }

    fn search(&mut self) {
        let filter = fold(&self.filter);
        let find = |(item, row): (usize, &PickerRow)| Some((item, row.find(&filter)?));
        self.found = self.rows.iter().enumerate().filter_map(find).collect();
        self.found.sort_by_key(|(_, found)| found.rank());
        self.cursor = 0;
        self.scroll();
    }

    /// Keeps the cursor among the rows that are drawn.
    fn scroll(&mut self) {
        let height = self.layout.list.max(1);
        let lowest = (self.cursor + 1).saturating_sub(height);
        // A list that became shorter, or a larger terminal, leaves no empty rows at the end.
        let last = self.found.len().saturating_sub(height);
        self.top = self.top.clamp(lowest, self.cursor.max(lowest)).min(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(names: &[&str]) -> Vec<PickerItem> {
        let item = |name: &&str| PickerItem {
            name: (*name).to_owned(),
            ..PickerItem::default()
        };
        names.iter().map(item).collect()
    }

    fn type_text(picker: &mut Picker<'_>, text: &str) {
        for c in text.chars() {
            assert_eq!(picker.press(Key::Character(c)), Step::Continue);
        }
    }

    fn found(picker: &Picker<'_>) -> Vec<usize> {
        picker.found.iter().map(|(item, _)| *item).collect()
    }

    #[test]
    fn pi1_better_matches_come_first() {
        let mut items = items(&["p-d-f", "xml", "my-pdf", "pdf"]);
        items[1].description = "From PDF".to_owned();
        let mut picker = Picker::new(&items, "t");
        assert_eq!(found(&picker), [0, 1, 2, 3]);
        type_text(&mut picker, "pdf");
        assert_eq!(found(&picker), [2, 3, 1, 0]);
        type_text(&mut picker, "x");
        assert_eq!((found(&picker), picker.current()), (vec![], None));
        assert_eq!(picker.press(Key::Enter), Step::Continue);
        picker.press(Key::Backspace);
        assert_eq!(found(&picker), [2, 3, 1, 0]);
        picker.press(Key::Clear);
        assert_eq!(found(&picker), [0, 1, 2, 3]);
    }

    #[test]
    fn pi2_choosing() {
        let items = items(&["a1", "b1", "a2", "b2"]);
        let mut picker = Picker::new(&items, "t");
        picker.press(Key::Down);
        assert_eq!(picker.press(Key::Enter), Step::Accept(vec![1]));
        type_text(&mut picker, "a");
        picker.press(Key::All);
        picker.press(Key::Clear);
        picker.press(Key::End);
        picker.press(Key::Character(' '));
        assert_eq!(picker.press(Key::Enter), Step::Accept(vec![0, 2, 3]));
        type_text(&mut picker, "a");
        picker.press(Key::All);
        assert_eq!(picker.press(Key::Enter), Step::Accept(vec![3]));
        picker.press(Key::Clear);
        picker.press(Key::End);
        type_text(&mut picker, " ");
        assert_eq!(picker.chosen.len(), 0);
        assert_eq!(picker.press(Key::Cancel), Step::Cancel);
        let mut nothing = Picker::new(&[], "t");
        for key in [
            Key::Enter,
            Key::Character(' '),
            Key::All,
            Key::End,
            Key::PageDown,
        ] {
            assert_eq!(nothing.press(key), Step::Continue);
        }
    }

    #[test]
    fn pi3_the_cursor_stays_in_sight() {
        let names: Vec<String> = (0..10_000)
            .map(|number| format!("skill-{number}"))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let items = items(&names);
        let mut picker = Picker::new(&items, "t");
        picker.resize(100, 23);
        let page = picker.layout.list;
        assert_eq!(page, 20);
        for (key, cursor, top) in [
            (Key::Up, 0, 0),
            (Key::Down, 1, 0),
            (Key::PageDown, 21, 2),
            (Key::PageDown, 41, 22),
            (Key::Up, 40, 22),
            (Key::PageUp, 20, 20),
            (Key::End, 9_999, 9_980),
            (Key::Down, 9_999, 9_980),
            (Key::PageUp, 9_979, 9_979),
            (Key::Home, 0, 0),
            (Key::End, 9_999, 9_980),
        ] {
            picker.press(key);
            assert_eq!((picker.cursor, picker.top), (cursor, top), "{key:?}");
        }
        picker.resize(100, 8);
        assert_eq!((picker.cursor, picker.top), (9_999, 9_995));
        picker.resize(100, 103);
        assert_eq!((picker.cursor, picker.top), (9_999, 9_900));
        type_text(&mut picker, "9999");
        assert_eq!((found(&picker), picker.top), (vec![9_999], 0));
    }
}
