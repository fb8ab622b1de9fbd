//! Bars, one below the other, as wide as a phone.

use std::fmt::Write as _;

use super::escape::escape;

/// Width of the drawing.
const WIDTH: f64 = 360.0;
/// Width that the longest bar takes.
const LONGEST: f64 = 290.0;
/// Height of a bar, and from one to the next.
const BAR: f64 = 13.0;
const STEP: f64 = 16.0;
/// Height of a label, and of the gap below a group.
const LABEL: f64 = 17.0;
const GAP: f64 = 8.0;
/// Characters of a label.
const LABEL_CHARS: usize = 48;

/// A value, and how far it may be off.
pub(super) struct Bar {
    /// Its colour.
    pub(super) class: &'static str,
    pub(super) value: f64,
    pub(super) spread: f64,
    /// The value for people.
    pub(super) text: String,
}

/// Bars that belong together.
pub(super) struct Group {
    pub(super) label: String,
    pub(super) bars: Vec<Bar>,
}

/// A chart with its title; `whole` is the value of the longest bar.
pub(super) fn chart(title: &str, groups: &[Group], whole: f64) -> String {
    let scale = |value: f64| (value / whole.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0) * LONGEST;
    let mut drawn = String::new();
    let mut top = 0.0;
    for group in groups {
        let _ = writeln!(
            drawn,
            "<text x=\"0\" y=\"{:.1}\">{}<title>{}</title></text>",
            top + LABEL - 5.0,
            escape(&short(&group.label)),
            escape(&group.label),
        );
        top += LABEL;
        for bar in &group.bars {
            let middle = top + BAR / 2.0;
            let _ = writeln!(
                drawn,
                "<rect class=\"back\" x=\"0\" y=\"{top:.1}\" width=\"{LONGEST}\" height=\"{BAR}\" rx=\"2\"/><rect class=\"{}\" x=\"0\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"2\"/><text class=\"soft\" x=\"{WIDTH}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                bar.class,
                scale(bar.value),
                middle + 4.0,
                escape(&bar.text),
            );
            if bar.spread > 0.0 {
                let (from, to) = (scale(bar.value - bar.spread), scale(bar.value + bar.spread));
                let (high, low) = (middle - 3.5, middle + 3.5);
                let _ = writeln!(
                    drawn,
                    "<path class=\"spread\" d=\"M{from:.1} {high:.1}V{low:.1}M{from:.1} {middle:.1}H{to:.1}M{to:.1} {high:.1}V{low:.1}\"/>"
                );
            }
            top += STEP;
        }
        top += GAP;
    }
    format!(
        "<figure><figcaption>{title}</figcaption>\n<svg role=\"img\" aria-label=\"{title}\" viewBox=\"0 0 {WIDTH} {top:.0}\">\n{drawn}</svg></figure>\n"
    )
}

fn short(label: &str) -> String {
    let line = label.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LABEL_CHARS {
        return line;
    }
    let kept: String = line.chars().take(LABEL_CHARS - 1).collect();
    format!("{kept}…")
}
