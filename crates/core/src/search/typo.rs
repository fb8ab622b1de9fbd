//! Corrections of a word that occurs nowhere.

use super::lexicon::{Lexicon, Prominence};

/// Maximum number of guesses for one word.
const GUESSES: usize = 8;

/// Letters of a word in which one wrong letter is nearly certain to be an error.
const CERTAIN: usize = 7;

/// How good a guess is: the smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Guess {
    pub(super) edits: usize,
    prominence: Prominence,
}

/// The words nearest to `word` in names, or else in descriptions, and how near they are. If `is_certain`, only long words
/// that begin alike and differ in one letter.
pub(super) fn guesses(
    lexicon: &Lexicon,
    word: &str,
    is_certain: bool,
) -> Option<(Guess, Vec<usize>)> {
    let sought: Vec<char> = word.chars().collect();
    let edits = match sought.len() {
        0..=3 => return None,
        length if is_certain && length < CERTAIN => return None,
        _ if is_certain => 1,
        4..=7 => 1,
        _ => 2,
    };
    let mut best = Guess {
        edits,
        prominence: Prominence::Elsewhere,
    };
    let mut found = Vec::new();
    let mut candidate = Vec::new();
    for (number, text, prominence) in lexicon.resembling(word, u32::try_from(edits).unwrap_or(0)) {
        candidate.clear();
        candidate.extend(text.chars());
        if candidate.len() < 3 || candidate.len().abs_diff(sought.len()) > best.edits {
            continue;
        }
        if is_certain && candidate.first() != sought.first() {
            continue;
        }
        let Some(edits) = distance(&sought, &candidate, best.edits) else {
            continue;
        };
        let guess = Guess { edits, prominence };
        if guess < best {
            best = guess;
            found.clear();
        }
        if guess == best {
            found.push(number);
        }
    }
    found.truncate(GUESSES);
    (!found.is_empty()).then_some((best, found))
}

/// How many letters to insert, remove, replace or swap with their neighbour; none when more than `most`.
fn distance(left: &[char], right: &[char], most: usize) -> Option<usize> {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut above = None;
    for (&a, line) in left.iter().zip(1..) {
        let mut next = Vec::with_capacity(row.len());
        let mut beside = line;
        next.push(beside);
        let mut previous = None;
        // `pairs` walks the row above: the cell to the upper left and the one straight up.
        let pairs = row.iter().zip(row.iter().skip(1));
        for ((&b, (&corner, &up)), column) in right.iter().zip(pairs).zip(0_usize..) {
            let mut cell = (corner + usize::from(a != b)).min(up + 1).min(beside + 1);
            if above == Some(b) && previous == Some(a) {
                let swapped = column.checked_sub(1).and_then(|column| before.get(column));
                cell = swapped.map_or(cell, |&cost| cell.min(cost + 1));
            }
            next.push(cell);
            beside = cell;
            previous = Some(b);
        }
        before = std::mem::replace(&mut row, next);
        above = Some(a);
        // A swap reaches back two rows, anything else one.
        if row.iter().chain(&before).all(|cost| *cost > most) {
            return None;
        }
    }
    row.last().copied().filter(|cost| *cost <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: &str, right: &str, expected: usize) {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (left, right) in [(left, right), (right, left)] {
            let distance = |most| distance(&chars(left), &chars(right), most);
            assert_eq!(distance(expected), Some(expected), "{left} {right}");
            assert_eq!(distance(9), Some(expected), "{left} {right}");
            if expected > 0 {
                assert_eq!(distance(expected - 1), None, "{left} {right}");
            }
        }
    }

    #[test]
    fn distances() {
        check("", "", 0);
        check("", "abc", 3);
        check("form", "form", 0);
        check("form", "forms", 1);
        check("form", "farm", 1);
        check("form", "from", 1);
        check("from", "orm", 2);
        check("kubernetes", "kubenretes", 1);
        check("kubernetes", "kubrnetse", 2);
        check("kitten", "sitting", 3);
    }

    #[test]
    fn names_come_before_descriptions() {
        let mut lexicon = Lexicon::default();
        for (word, prominence) in [
            ("charm", Prominence::Description),
            ("chart", Prominence::Name),
            ("charu", Prominence::Elsewhere),
            ("chest", Prominence::Name),
        ] {
            lexicon.push(word, word, |bytes| {
                bytes.push(0);
                prominence
            });
        }
        let words = |word| -> Vec<&str> {
            let found = guesses(&lexicon, word, false);
            found
                .map_or_else(Vec::new, |(_, found)| found)
                .into_iter()
                .map(|number| lexicon.word(number))
                .collect()
        };
        assert_eq!(words("charx"), ["chart"]);
        assert_eq!(words("chamr"), ["charm"]);
        assert!(words("cha").is_empty());
    }
}
