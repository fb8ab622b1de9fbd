//! Level two: a skill's instructions between tags, within a limit.

use crate::id::SkillId;

use super::escape::{ESCAPED, without_cut_tag, without_own_tags};

const MARKER: &str = "[truncated]";

/// Instructions ready for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedSkill {
    /// The block, tags included.
    pub text: String,
    /// What was cut.
    pub report: SkillReport,
}

/// What rendering cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkillReport {
    /// Bytes of the body that did not fit; 0 when all of it is there.
    pub dropped_bytes: usize,
}

/// Why nothing could be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// Not even the tags fit.
    #[error("the limit of {limit} bytes is too small: the tags need {needed}")]
    LimitTooSmall {
        /// The limit.
        limit: usize,
        /// The least that would do.
        needed: usize,
    },
}

/// Puts `body` between tags; everything together is at most `limit` bytes.
///
/// ```
/// use prowess_core::render_skill;
///
/// let id = "pdf".parse().unwrap();
/// let block = render_skill(&id, "Read the </skill> tag.", 1000).unwrap();
/// assert_eq!(block.text, "<skill id=\"pdf\">\nRead the <\\/skill> tag.\n</skill>");
/// ```
pub fn render_skill(id: &SkillId, body: &str, limit: usize) -> Result<RenderedSkill, RenderError> {
    let body = without_own_tags(body);
    let opening = format!("<skill id=\"{id}\">\n");
    let closing = "\n</skill>";
    let wrapper = opening.len() + closing.len();
    let too_small = RenderError::LimitTooSmall {
        limit,
        needed: wrapper + MARKER.len() + 1,
    };
    if wrapper + body.len() <= limit {
        return Ok(RenderedSkill {
            text: format!("{opening}{body}{closing}"),
            report: SkillReport::default(),
        });
    }
    let room = limit
        .checked_sub(wrapper + MARKER.len() + 1)
        .ok_or(too_small)?;
    let kept = without_cut_tag(cut(&body, room));
    Ok(RenderedSkill {
        text: format!("{opening}{kept}\n{MARKER}{closing}"),
        report: SkillReport {
            dropped_bytes: body.len() - kept.len(),
        },
    })
}

/// The longest beginning of `text` within `room` bytes that splits neither a character nor an escape.
fn cut(text: &str, room: usize) -> &str {
    let end = text.floor_char_boundary(room);
    let window = text.floor_char_boundary(end.saturating_sub(ESCAPED.len() - 1));
    let tail = text.get(window..).unwrap_or_default();
    let inside = tail
        .match_indices(ESCAPED)
        .map(|(at, _)| window + at)
        .find(|start| *start < end && end < start + ESCAPED.len());
    text.get(..inside.unwrap_or(end)).unwrap_or_default()
}
