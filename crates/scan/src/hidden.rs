//! Characters that a reader does not see, or takes for another.

/// Whether the character is invisible.
pub(crate) fn is_invisible(c: char) -> bool {
    is_zero_width(c) || is_bidi(c) || is_tag(c) || is_variation(c)
}

/// Characters without width that are neither marks of direction nor tags.
pub(crate) fn is_zero_width(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
    )
}

/// Marks that change the direction of text.
pub(crate) fn is_bidi(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The copies of ASCII that nothing shows.
pub(crate) fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Selectors of a variant of the character before them.
pub(crate) fn is_variation(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The Latin letter that looks like a Cyrillic, Greek or Armenian one.
pub(crate) fn lookalike(c: char) -> Option<char> {
    Some(match c {
        'а' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' => 'e',
        'һ' | 'հ' => 'h',
        'і' => 'i',
        'ј' | 'ϳ' => 'j',
        'ӏ' => 'l',
        'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'ս' => 'u',
        'ѵ' | 'ν' => 'v',
        'ԝ' => 'w',
        'х' => 'x',
        'у' => 'y',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' | 'Ϲ' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        'У' | 'Υ' => 'Y',
        'Ζ' => 'Z',
        _ => return None,
    })
}
