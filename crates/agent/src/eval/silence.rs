//! Empty answers.

use crate::turn::TurnReport;
use crate::wire::Ending;

/// Why a turn has no answer although nothing failed; `None` if it has one. Blank text counts as missing: it would pass
/// every negative expectation.
pub(super) fn silence(report: &TurnReport) -> Option<&'static str> {
    if !report.text.trim().is_empty() {
        return None;
    }
    Some(match report.ending {
        Ending::Length => "the answer reached its length limit before any text",
        Ending::Filtered => "the provider blocked the answer",
        Ending::TooManyRounds => "too many rounds of tool calls without an answer",
        Ending::Activated => "no message for the model",
        Ending::Answered | Ending::Cancelled | Ending::Failed => "the answer is empty",
    })
}
