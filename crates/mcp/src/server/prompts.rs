//! Prompts: one for each skill that a person may start.

use prowess_core::{Descriptor, Event};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::Value;

use super::page::page;
use super::shared::SkillsServer;
use super::skills::shown;
use crate::digest::Digest;

/// The one argument: the text after the name.
const ARGUMENTS: &str = "arguments";

impl SkillsServer {
    pub(crate) fn list_prompts(
        &self,
        cursor: Option<&str>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let catalog = self.skills().catalog();
        let prompts: Vec<&Descriptor> = catalog
            .skills()
            .map(|skill| skill.descriptor)
            .filter(|descriptor| descriptor.invocation.by_user())
            .collect();
        let ids = prompts.iter().map(|prompt| prompt.id.as_str().as_bytes());
        let version = Digest::of_parts(ids).short();
        let weight = |prompt: &&Descriptor| prompt.id.as_str().len() + prompt.description.len();
        let page = page(&prompts, version, cursor, weight)?;
        let prompts = page.items.iter().map(|descriptor| prompt(descriptor));
        let mut result = ListPromptsResult::with_all_items(prompts.collect());
        result.next_cursor = page.next;
        result.ttl_ms = Some(self.ttl());
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    /// The skill's block and what the person typed, as a turn would send them.
    pub(crate) async fn prompt(
        &self,
        request: &GetPromptRequestParams,
    ) -> Result<GetPromptResult, ErrorData> {
        let unknown = || {
            let message = format!("unknown prompt `{}`", shown(&request.name));
            ErrorData::invalid_params(message, None)
        };
        let catalog = self.skills().catalog();
        let descriptor = catalog.get(&request.name).map(|skill| skill.descriptor);
        let by_user = |found: &&Descriptor| found.invocation.by_user();
        let descriptor = descriptor.filter(by_user).ok_or_else(unknown)?;
        let given = request.arguments.as_ref();
        let arguments = match given.and_then(|given| given.get(ARGUMENTS)) {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text,
            Some(_) => {
                let message = format!("invalid `{ARGUMENTS}`: expected text");
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        // The block is returned whether or not the skill is already active.
        let session = self.skills().resume([]);
        let turn = session
            .turn(&format!("/{} {arguments}", descriptor.id))
            .await;
        if turn.blocks.is_empty() {
            let failed = turn.events.iter().find_map(|event| match event {
                Event::LoadFailed { reason, .. } => Some(reason.clone()),
                _ => None,
            });
            return Err(
                failed.map_or_else(unknown, |reason| ErrorData::internal_error(reason, None))
            );
        }
        let message = PromptMessage::new_text(Role::User, turn.content());
        let result = GetPromptResult::new(vec![message]);
        Ok(result.with_description(descriptor.description.to_string()))
    }
}

fn prompt(descriptor: &Descriptor) -> Prompt {
    let argument = descriptor.argument_hint.as_deref().map(|hint| {
        let argument = PromptArgument::new(ARGUMENTS).with_description(hint);
        vec![argument.with_required(false)]
    });
    let description = Some(descriptor.description.to_string());
    Prompt::new(descriptor.id.as_str(), description, argument)
}
