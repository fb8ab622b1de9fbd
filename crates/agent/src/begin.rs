//! The start of a turn: what a message activates and runs before the model is asked.

use prowess_core::{Event, SkillId, reference, without_own_tags};

use crate::chat::Chat;
use crate::runtime_handle::{EventSink, inactive};
use crate::wire::{AgentEvent, By};
use crate::workflow::{named_skill, result_text, run_workflow};

impl Chat {
    /// The steps before the first request; returns whether a request is needed.
    pub(crate) async fn begin(
        &mut self,
        text: &str,
        references: &[SkillId],
        emit: &EventSink<'_>,
        rounds: &mut usize,
    ) -> bool {
        let code_skills = self.agent.inner.code_skills.clone();
        for event in std::mem::take(&mut self.pending) {
            emit(event.clone());
            self.reported.push(event);
        }
        let mut by_keyword = Vec::new();
        let mut named = None;
        if let Some(code_skills) = &code_skills {
            code_skills.runtime.begin_turn().await;
            let known = &mut self.reported;
            by_keyword = code_skills.evaluate(text, known, emit).await;
            named = named_skill(text, &self.session, code_skills, known, emit).await;
        }
        // A skill that the user names is not one that a keyword loads.
        let named_id = reference(text).map(|found| found.id);
        by_keyword.retain(|id| {
            named_id.as_ref() != Some(id) && !self.session.is_active(id) && !references.contains(id)
        });
        let references = &[references, by_keyword.as_slice()].concat();
        let workflow = named.as_mut().and_then(|named| named.workflow.take());
        // The name of a workflow and its input are not arguments of the skill.
        let message = match (&named, &workflow) {
            (Some(named), Some(_)) => &format!("/{}", named.id),
            _ => text,
        };
        let mut turn = self.session.turn_with(message, references).await;
        for event in &turn.events {
            let by = match event {
                Event::Activated { id, .. } if by_keyword.contains(id) => By::Keyword,
                _ => By::User,
            };
            emit(AgentEvent::of(event.clone(), by));
            // The code of a skill that is active may not be: it was denied, or approved for another session.
            if let Event::Activated { id, .. } | Event::AlreadyActive { id } = event {
                if let Event::Activated { dropped_bytes, .. } = event
                    && *dropped_bytes > 0
                {
                    let text = format!("skill {id} is too long: {dropped_bytes} bytes were cut");
                    emit(AgentEvent::Notice { text });
                }
                let inactive = match (&code_skills, &named) {
                    (_, Some(named)) if named.id == *id => named.inactive.clone(),
                    (Some(code_skills), _) if by == By::Keyword => {
                        let is_approved = code_skills.runtime.is_approved(id).await;
                        let reason = "load this skill to ask the user for approval";
                        (!is_approved).then(|| inactive(reason))
                    }
                    (Some(code_skills), _) => {
                        let known = &mut self.reported;
                        code_skills.activate_for_user(id, known, emit).await
                    }
                    (None, _) => None,
                };
                if let Some(inactive) = inactive
                    && let Some(block) = turn.blocks.iter_mut().find(|block| block.id == *id)
                {
                    block.text.push('\n');
                    block.text.push_str(&without_own_tags(&inactive));
                }
            }
        }
        for notice in &turn.notices {
            emit(AgentEvent::Notice {
                text: notice.clone(),
            });
        }
        let mut run = None;
        if let (Some(code_skills), Some(named), Some(workflow)) = (&code_skills, named, workflow) {
            let done = run_workflow(named.id, workflow, &self.session, code_skills, emit).await;
            turn.text = result_text(&done);
            run = Some(done);
            // It was a tool call, and what it did stays said.
            *rounds += 1;
        }
        let line = self.line(text, references, run, &turn);
        self.lines.push(line);
        if !turn.needs_model() {
            return false;
        }
        if let Some(code_skills) = code_skills.filter(|_| !self.begun) {
            code_skills.runtime.conversation_starts(text).await;
            code_skills.emit_events(emit);
        }
        self.begun = true;
        // Handlers can change the prompt of each turn.
        self.fragments = None;
        true
    }
}
