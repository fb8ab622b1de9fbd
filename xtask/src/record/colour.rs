//! Colours of the terminal, as a page writes them.

use vt100::Color;

/// Behind everything.
pub(super) const PAPER: &str = "#15181e";
/// Text without a colour.
pub(super) const INK: &str = "#d9dde5";

/// The sixteen that have names.
const NAMED: [&str; 16] = [
    "#2b303b", "#f2777a", "#7bd88f", "#f0c674", "#6cb6ff", "#c49bff", "#5fd3dc", "#d9dde5",
    "#6b7385", "#ff9a9d", "#a3eab0", "#ffdc8f", "#9ecbff", "#e0a8ff", "#93e6ec", "#ffffff",
];

/// A colour, or `other` where the program chose none.
pub(super) fn hex(colour: Color, other: &str) -> String {
    match colour {
        Color::Default => other.to_owned(),
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        Color::Idx(index) => match NAMED.get(usize::from(index)) {
            Some(named) => (*named).to_owned(),
            None => numbered(index),
        },
    }
}

/// The cube of 216 colours, and the greys after it.
fn numbered(index: u8) -> String {
    if let Some(grey) = index.checked_sub(232) {
        let level = 8 + 10 * grey;
        return format!("#{level:02x}{level:02x}{level:02x}");
    }
    let index = index.saturating_sub(16);
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    let (red, green, blue) = (index / 36, index / 6 % 6, index % 6);
    format!("#{:02x}{:02x}{:02x}", level(red), level(green), level(blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours() {
        let check = |colour, expected: &str| assert_eq!(hex(colour, "none"), expected);
        check(Color::Default, "none");
        check(Color::Idx(2), NAMED[2]);
        check(Color::Idx(16), "#000000");
        check(Color::Idx(196), "#ff0000");
        check(Color::Idx(231), "#ffffff");
        check(Color::Idx(232), "#080808");
        check(Color::Idx(255), "#eeeeee");
        check(Color::Rgb(1, 2, 255), "#0102ff");
    }
}
