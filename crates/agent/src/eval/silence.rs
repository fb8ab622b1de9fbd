//! Answers that say nothing.

use crate::turn::TurnReport;
use crate::wire::Ending;

/// Why a turn has no answer although nothing failed; nothing if it has one. Blank text is none: it contains nothing that
/// it should not, and would be good for that.
pub(super) fn silence(report: &TurnReport) -> Option<&'static str> {
    if !report.text.trim().is_empty() {
        return None;
    }
    Some(match report.ending {
        Ending::Length => "the answer reached its limit before it said anything",
        Ending::Filtered => "the provider kept the answer back",
        Ending::TooManyRounds => "there were too many rounds of tool calls, and no answer",
        Ending::Activated => "there was nothing to ask the model",
        Ending::Answered | Ending::Cancelled | Ending::Failed => "the answer is empty",
    })
}
