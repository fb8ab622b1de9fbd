//! Lists in pages, with cursors that die when the list changes.

use rmcp::ErrorData;

use crate::limits::{PAGE_BYTES, PAGE_ENTRIES};

/// Part of a list.
#[derive(Debug)]
pub(crate) struct Page<'l, T> {
    pub(crate) items: &'l [T],
    pub(crate) next: Option<String>,
}

/// The part of `list` that `cursor` points at, or the first one.
///
/// A cursor names the version of the list that it was made for: in another one its position would mean something
/// else, and entries would be missed or seen twice.
pub(crate) fn page<'l, T>(
    list: &'l [T],
    version: u64,
    cursor: Option<&str>,
    weight: impl Fn(&T) -> usize,
) -> Result<Page<'l, T>, ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => parse_cursor(cursor, version)?,
    };
    let rest = list
        .get(start..)
        .filter(|rest| !rest.is_empty() || start == 0);
    let rest = rest.ok_or_else(unknown)?;
    let mut bytes = 0;
    let fits = |item: &&T| {
        let fits = bytes < PAGE_BYTES;
        bytes += weight(item);
        fits
    };
    let count = rest.iter().take(PAGE_ENTRIES).take_while(fits).count();
    let (items, left) = rest.split_at_checked(count).unwrap_or((rest, &[]));
    let next = (!left.is_empty()).then(|| format!("{version:016x}-{}", start + count));
    Ok(Page { items, next })
}

fn unknown() -> ErrorData {
    ErrorData::invalid_params("invalid cursor", None)
}

fn parse_cursor(cursor: &str, version: u64) -> Result<usize, ErrorData> {
    let (list, position) = cursor.split_once('-').ok_or_else(unknown)?;
    let list = u64::from_str_radix(list, 16).map_err(|_| unknown())?;
    let position = position.parse().map_err(|_| unknown())?;
    if list != version {
        let message = "expired cursor: the list changed; start again without a cursor";
        return Err(ErrorData::invalid_params(message, None));
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_comes_once_and_none_is_split() {
        let list: Vec<usize> = (0..2_500).collect();
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = page(&list, 7, cursor.as_deref(), |_| 1).unwrap();
            assert!(page.items.len() <= PAGE_ENTRIES);
            seen.extend_from_slice(page.items);
            match page.next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(seen, list);
    }

    #[test]
    fn an_item_larger_than_a_page_has_one_to_itself() {
        let list = [PAGE_BYTES * 2, 1, 1];
        let first = page(&list, 7, None, |bytes| *bytes).unwrap();
        assert_eq!(first.items.len(), 1);
        let second = page(&list, 7, first.next.as_deref(), |bytes| *bytes).unwrap();
        assert_eq!(second.items.len(), 2);
        assert_eq!(second.next, None);
    }

    #[test]
    fn other_cursors_are_refused() {
        let list = [1, 2, 3];
        for cursor in [
            "",
            "x",
            "7",
            "0000000000000007-",
            "0000000000000007-x",
            "0000000000000007-9",
            "0000000000000008-1",
            "0000000000000007--1",
        ] {
            let error = page(&list, 7, Some(cursor), |_| 1).unwrap_err();
            assert_eq!(error.code.0, -32602, "{cursor}");
        }
        assert!(page(&[0; 0], 7, None, |_| 1).unwrap().items.is_empty());
    }
}
