//! The figures of a benchmark, and how people read them.

use super::benchmark::{Spread, Spreads};

/// A figure that is measured with a skill and without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The share of what was expected that held.
    PassRate,
    /// The cost of an answer.
    Tokens,
    /// How long an answer took.
    Time,
}

impl Figure {
    /// All of them, the most important first.
    pub const ALL: [Self; 3] = [Self::PassRate, Self::Tokens, Self::Time];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::PassRate => "pass rate",
            Self::Tokens => "tokens",
            Self::Time => "time",
        }
    }

    /// Its measurements.
    pub fn of(self, spreads: &Spreads) -> Spread {
        match self {
            Self::PassRate => spreads.pass_rate,
            Self::Tokens => spreads.tokens,
            Self::Time => spreads.time_seconds,
        }
    }

    /// A value with its unit.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::PassRate => format!("{:.0}%", value * 100.0),
            Self::Tokens => format!("{value:.0}"),
            Self::Time => format!("{value:.2} s"),
        }
    }

    /// A difference of two values, with its sign.
    pub fn show_difference(self, value: f64) -> String {
        let shown = match self {
            Self::PassRate => format!("{:+.0} points", value * 100.0),
            Self::Tokens => format!("{value:+.0}"),
            Self::Time => format!("{value:+.2} s"),
        };
        // A value that rounds to zero is not negative.
        if shown.contains(|digit: char| matches!(digit, '1'..='9')) {
            shown
        } else {
            shown.replacen('-', "+", 1)
        }
    }

    /// The middle, and how far runs are from it.
    pub fn show_spread(self, spread: Spread) -> String {
        format!("{} ± {}", self.show(spread.mean), self.show(spread.stddev))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_formatted() {
        assert_eq!(Figure::PassRate.show(2.0 / 3.0), "67%");
        assert_eq!(Figure::PassRate.show_difference(-1.0 / 3.0), "-33 points");
        assert_eq!(Figure::Tokens.show_difference(-0.0), "+0");
        assert_eq!(Figure::Time.show_difference(1.5), "+1.50 s");
        assert_eq!(Figure::Time.show_difference(-0.001), "+0.00 s");
    }
}
