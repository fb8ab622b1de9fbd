//! The recording as a picture that moves by itself: no script, no font, nothing from elsewhere.
//!
//! Each row of the screen is a piece with the times at which it is there, so that a key costs one row and not a
//! screen. Without motion, the last frame is seen.

use std::fmt::Write as _;

use vt100::Screen;

use super::colour::{INK, PAPER, hex};
use super::film::Film;
use super::look::{COLUMNS, ROWS, Run, Weight, runs, text};
use super::timeline::{Span, Timeline};

/// Of a character; the columns and the margins are 800 wide.
const WIDTH: u16 = 8;
const HEIGHT: u16 = 18;
/// From the top of a row to the line on which characters stand.
const BASE: u16 = 13;
const MARGIN: u16 = 16;
/// The bar at the top of the window.
const BAR: u16 = 34;

/// The file.
pub(super) fn write(film: &Film) -> String {
    let mut css = String::new();
    let mut body = String::new();
    let length = film.length();
    for (at, (spans, pieces)) in timeline(film).groups().into_iter().enumerate() {
        let is_last = spans.last().is_some_and(|(_, to)| *to == length);
        let class = if is_last { "f e" } else { "f" };
        keyframes(&mut css, at, spans, length);
        let _ = writeln!(
            body,
            "<g class=\"{class}\" style=\"animation-name:k{at}\">{}</g>",
            pieces.concat()
        );
    }
    let last = film.frames().last();
    let last = last.map(|frame| text(&frame.screen)).unwrap_or_default();
    format!(
        "{}{css}</style>\n{}{body}</svg>\n",
        head(length, &last),
        window()
    )
}

fn size() -> (u16, u16) {
    (COLUMNS * WIDTH + 2 * MARGIN, ROWS * HEIGHT + BAR + MARGIN)
}

fn head(length: u64, last: &str) -> String {
    let (width, height) = size();
    let (seconds, rest) = (length / 1_000, length % 1_000);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"t d\">\n\
        <!-- Written by `cargo xtask record` from a real run with the demo model. The line at the shell's prompt is drawn\n\
        by the recorder; everything after it is what the program printed. How long things took and the chat's id are set\n\
        to fixed values, and the pace is the recorder's. -->\n\
        <title id=\"t\">A session of prowess chat in a terminal</title>\n\
        <desc id=\"d\">{}</desc>\n\
        <style>\n\
        svg{{font:13.2px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:{INK}}}\n\
        text{{white-space:pre}}\n\
        .f{{visibility:hidden;animation:{seconds}.{rest:03}s step-end infinite}}\n\
        .e{{visibility:visible}}\n\
        @media (prefers-reduced-motion:reduce){{.f{{animation:none}}}}\n",
        escape(last)
    )
}

fn window() -> String {
    let (width, height) = size();
    let middle = width / 2;
    let dots: String = [20, 38, 56]
        .map(|x| format!("<circle cx=\"{x}\" cy=\"17\" r=\"5.5\" fill=\"#3a404c\"/>"))
        .concat();
    format!(
        "<rect x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"9\" fill=\"{PAPER}\" stroke=\"#3a404c\"/>\n\
        {dots}<text x=\"{middle}\" y=\"21.5\" text-anchor=\"middle\" opacity=\".55\">prowess chat</text>\n",
        width - 1,
        height - 1,
    )
}

/// Every row of every frame, and the cursor, with when they are there.
fn timeline(film: &Film) -> Timeline {
    let mut timeline = Timeline::default();
    let frames = film.frames();
    let ends = frames.iter().skip(1).map(|frame| frame.at);
    for (frame, end) in frames.iter().zip(ends.chain([film.length()])) {
        let span = (frame.at, end);
        // There is no input on the last one.
        if end < film.length() {
            timeline.add(cursor(&frame.screen), span);
        }
        for row in 0..ROWS {
            let piece = runs(&frame.screen, row)
                .iter()
                .map(|run| draw(run, row))
                .collect::<String>();
            if !piece.is_empty() {
                timeline.add(piece, span);
            }
        }
    }
    timeline
}

fn x(column: u16) -> u16 {
    MARGIN + column * WIDTH
}

fn y(row: u16) -> u16 {
    BAR + row * HEIGHT
}

fn cursor(screen: &Screen) -> String {
    let (row, column) = screen.cursor_position();
    block(column, 1, row, "#8b93a3")
}

fn block(column: u16, columns: u16, row: u16, colour: &str) -> String {
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{HEIGHT}\" fill=\"{colour}\"/>",
        x(column),
        y(row),
        columns * WIDTH
    )
}

/// Characters, as wide as their columns whatever font there is.
fn draw(run: &Run, row: u16) -> String {
    let style = run.style;
    let (mut ink, mut paper) = (hex(style.ink, INK), hex(style.paper, PAPER));
    if style.inverse {
        std::mem::swap(&mut ink, &mut paper);
    }
    let mut drawn = String::new();
    if paper != PAPER {
        drawn.push_str(&block(run.column, run.columns, row, &paper));
    }
    if run.text.trim().is_empty() {
        return drawn;
    }
    let _ = write!(
        drawn,
        "<text x=\"{}\" y=\"{}\" textLength=\"{}\"",
        x(run.column),
        y(row) + BASE,
        run.columns * WIDTH
    );
    if ink != INK {
        let _ = write!(drawn, " fill=\"{ink}\"");
    }
    drawn.push_str(match style.weight {
        Weight::Normal => "",
        Weight::Bold => " font-weight=\"700\"",
        Weight::Dim => " opacity=\".62\"",
    });
    if style.italic {
        drawn.push_str(" font-style=\"italic\"");
    }
    if style.underline {
        drawn.push_str(" text-decoration=\"underline\"");
    }
    let _ = write!(drawn, ">{}</text>", escape(&run.text));
    drawn
}

/// When a group is there, in hundredths of the whole.
fn keyframes(css: &mut String, name: usize, spans: &[Span], length: u64) {
    let _ = write!(css, "@keyframes k{name}{{");
    if spans.first().is_some_and(|(from, _)| *from > 0) {
        css.push_str("0%{visibility:hidden}");
    }
    for (from, to) in spans {
        let _ = write!(css, "{}{{visibility:visible}}", share(*from, length));
        if *to < length {
            let _ = write!(css, "{}{{visibility:hidden}}", share(*to, length));
        }
    }
    css.push_str("}\n");
}

fn share(at: u64, length: u64) -> String {
    let share = at * 100_000 / length.max(1);
    format!("{}.{:03}%", share / 1_000, share % 1_000)
}

/// Text that XML cannot take for anything else.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film() -> Film {
        let mut film = Film::new();
        film.show("\u{1b}[1m$ \u{1b}[0m<a> & \"b\"");
        film.wait(1_000);
        film.show("\r\n\u{1b}[32m✓\u{1b}[0m done \u{1b}[2mdim\u{1b}[0m \u{1b}[7mx\u{1b}[0m");
        film
    }

    #[test]
    fn everything_is_escaped_and_nothing_comes_from_elsewhere() {
        let svg = write(&film());
        assert!(
            svg.contains(">&lt;a&gt; &amp; &quot;b&quot;</text>"),
            "{svg}"
        );
        for foreign in ["<script", "href", "url(", "@import", "<a>"] {
            assert!(!svg.contains(foreign), "{foreign}");
        }
        assert_eq!(svg.matches("://").count(), 1, "only its namespace");
        assert_eq!(escape("\u{1b}\u{ffff}a\nb"), "\u{fffd}\u{fffd}a\nb");
    }

    #[test]
    fn the_last_frame_is_seen_without_motion() {
        let svg = write(&film());
        let shown: Vec<&str> = svg
            .lines()
            .filter(|line| line.contains("\"f e\""))
            .collect();
        assert_eq!(shown.len(), 2, "{svg}");
        assert!(shown.concat().contains("&lt;a&gt;"));
        assert!(shown.concat().contains("✓"));
        let cursor: Vec<&str> = svg
            .lines()
            .filter(|line| line.contains("class=\"f\""))
            .collect();
        assert_eq!(cursor.len(), 1, "{svg}");
        assert!(svg.contains("prefers-reduced-motion:reduce"));
    }

    #[test]
    fn pieces_come_and_go() {
        let mut css = String::new();
        keyframes(&mut css, 3, &[(0, 500), (750, 1_000)], 1_000);
        keyframes(&mut css, 4, &[(1, 3)], 3_000);
        assert_eq!(
            css,
            "@keyframes k3{0.000%{visibility:visible}50.000%{visibility:hidden}75.000%{visibility:visible}}\n\
            @keyframes k4{0%{visibility:hidden}0.033%{visibility:visible}0.100%{visibility:hidden}}\n"
        );
    }

    #[test]
    fn styles_are_those_of_the_program() {
        let svg = write(&film());
        assert!(svg.contains("fill=\"#7bd88f\">✓"), "{svg}");
        assert!(svg.contains("font-weight=\"700\">$"), "{svg}");
        assert!(svg.contains("opacity=\".62\">dim"), "{svg}");
        assert!(svg.contains(&format!("fill=\"{INK}\"/><text")), "{svg}");
        assert!(svg.contains(&format!("fill=\"{PAPER}\">x")), "{svg}");
    }
}
