//! The cost of a turn, as counted or estimated.

use prowess_spec::estimate_tokens;

use crate::turn::TurnReport;

/// Tokens of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) tokens: u64,
    /// Whether it is we who counted, and not the provider.
    pub(super) estimated: bool,
}

impl Cost {
    /// As the provider counts; what it did not count is estimated. Each request is then taken to be as large as the
    /// last one, which is the only one that is known.
    pub(super) fn of(report: &TurnReport) -> Self {
        let counts = &report.tokens;
        let sent = (counts.system + counts.tools + counts.messages) * counts.requests.max(1);
        let (input, guessed_input) = counted(counts.provider.input, sent);
        let said = estimate_tokens(&report.text);
        let (output, guessed_output) = counted(counts.provider.output, said);
        Self {
            tokens: input + output,
            estimated: guessed_input || guessed_output,
        }
    }
}

/// The counted tokens, or the estimate with a mark that it is one.
fn counted(count: u64, estimate: usize) -> (u64, bool) {
    match (count, u64::try_from(estimate).unwrap_or(u64::MAX)) {
        (0, estimate) => (estimate, estimate > 0),
        (count, _) => (count, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::TurnTokens;
    use crate::provider::Usage;
    use crate::turn::Saved;
    use crate::wire::Ending;

    fn cost(input: u64, output: u64, requests: usize, text: &str) -> (u64, bool) {
        let provider = Usage {
            input,
            cached: 0,
            output,
        };
        let cost = Cost::of(&TurnReport {
            ending: Ending::Answered,
            text: text.to_owned(),
            rounds: requests.saturating_sub(1),
            tokens: TurnTokens {
                provider,
                requests,
                system: 5,
                tools: 10,
                messages: 15,
                ..TurnTokens::default()
            },
            failure: None,
            saved: Saved::Yes,
        });
        (cost.tokens, cost.estimated)
    }

    #[test]
    fn missing_token_counts_are_estimated() {
        assert_eq!(cost(100, 10, 1, "abcdefgh"), (110, false));
        assert_eq!(cost(0, 0, 1, "abcdefgh"), (32, true));
        assert_eq!(cost(0, 0, 3, "abcdefgh"), (92, true));
        assert_eq!(cost(100, 0, 1, "abcdefgh"), (102, true));
        // Nothing costs nothing.
        assert_eq!(cost(100, 0, 1, ""), (100, false));
    }
}
