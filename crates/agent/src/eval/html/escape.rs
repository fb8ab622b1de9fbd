//! Text in a page.

/// A text that a browser shows and never runs.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            escape("<a href='x' b=\"y\">&amp;\u{1b}\u{0}ä\n"),
            "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;ä\n"
        );
    }
}
