//! The part of a chat that the model sees.

use std::fmt::Write as _;

use prowess_core::{Session, SkillId};

use crate::history::Line;
use crate::limits::PINNED_BYTES;

/// What of a chat the model sees.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// The first message that it sees.
    pub(crate) from: usize,
    /// What stands for those before.
    pub(crate) summary: Option<String>,
    /// The same, with the instructions of skills that were among them.
    pub(crate) lead: String,
    /// Those skills.
    pub(crate) pinned: Vec<SkillId>,
}

impl View {
    /// Writes down what stands for the messages that are not seen. `elsewhere` are skills that the prompt holds.
    pub(crate) async fn rebuild(
        &mut self,
        session: &Session,
        lines: &[Line],
        elsewhere: &[SkillId],
    ) {
        if self.from == 0 {
            return;
        }
        let seen = lines.iter().skip(self.from).flat_map(|line| &line.skills);
        let seen: Vec<&SkillId> = seen.chain(elsewhere).collect();
        let mut blocks = session.pinned_blocks(usize::MAX).await;
        let mut left = PINNED_BYTES;
        blocks.retain(|block| {
            let fits = !seen.contains(&&block.id) && block.text.len() <= left;
            if fits {
                left -= block.text.len();
            }
            fits
        });
        let mut lead = match &self.summary {
            Some(summary) => format!(
                "[Earlier messages were removed. Summary:]\n{}",
                summary.trim()
            ),
            None => "[Earlier messages were removed to save space.]".to_owned(),
        };
        for block in &blocks {
            let _ = write!(lead, "\n\n{}", block.text);
        }
        self.pinned = blocks.into_iter().map(|block| block.id).collect();
        self.lead = lead;
    }
}
