//! The tools of the dialect, for clients without the extension.

use std::sync::Arc;

use prowess_core::{CatalogPlacement, Operation, Session, ToolDefinition, ToolResult, ToolSpec};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CallToolResult, ContentBlock, ListToolsResult, Tool, ToolAnnotations,
};
use serde_json::Value;

use super::code_skills::CodeResult;
use super::shared::SkillsServer;
use crate::limits::CATALOG_CHARS;

impl SkillsServer {
    pub(crate) fn list_tools(&self, session: &Session) -> ListToolsResult {
        let mut tools = session.tools();
        self.add_catalog(session, &mut tools);
        let tools = tools.into_iter().map(|definition| self.tool(definition));
        let tools = tools.chain(self.code_tools().into_iter().map(code_tool));
        let mut result = ListToolsResult::with_all_items(tools.collect());
        result.ttl_ms = Some(self.ttl());
        result.cache_scope = Some(CacheScope::Private);
        result
    }

    /// Adds the catalog to the description of the tool that loads skills: not every host shows instructions to its model.
    fn add_catalog(&self, session: &Session, tools: &mut [ToolDefinition]) {
        let dialect = &self.skills().settings().dialect;
        if dialect.catalog_placement == CatalogPlacement::ToolDescription {
            return;
        }
        let loads = |definition: &&mut ToolDefinition| {
            let tool = dialect.tool(&definition.name);
            tool.is_some_and(|tool| tool.operation == Operation::Load)
        };
        let budget = self.skills().settings().catalog_chars.min(CATALOG_CHARS);
        if let Some(load) = tools.iter_mut().find(loads) {
            let catalog = session.catalog_within(budget).text;
            load.description = format!("{}\n\n{catalog}", load.description);
        }
    }

    fn tool(&self, definition: ToolDefinition) -> Tool {
        let dialect = &self.skills().settings().dialect;
        let operation = dialect.tool(&definition.name).map(|tool| tool.operation);
        let annotations = if operation == Some(Operation::Run) {
            // The effect of a script depends on its sandbox.
            ToolAnnotations::new().read_only(false).destructive(true)
        } else {
            ToolAnnotations::new().read_only(true).open_world(false)
        };
        code_tool(definition).with_annotations(annotations)
    }

    /// The tools of skills with code; the dialect's own come first.
    pub(crate) fn code_tools(&self) -> Vec<ToolDefinition> {
        let Some(code_skills) = &self.inner.code_skills else {
            return Vec::new();
        };
        let dialect = &self.skills().settings().dialect;
        let mut tools = code_skills.tools();
        tools.retain(|tool| dialect.tool(&tool.name).is_none());
        tools
    }

    /// Refuses a tool that is not offered: that is a mistake of the client, not of its model.
    pub(crate) fn expect_tool(&self, session: &Session, name: &str) -> Result<(), ErrorData> {
        let dialect = &self.skills().settings().dialect;
        let offered = |tool: &ToolSpec| match tool.operation {
            // Only the code that writes the definitions knows whether a script runner exists.
            Operation::Run => session.tools().iter().any(|one| one.name == tool.name),
            _ => !self.skills().catalog().is_empty(),
        };
        if dialect.tool(name).is_some_and(offered) {
            return Ok(());
        }
        let message = format!("unknown tool `{}`", super::skills::shown(name));
        Err(ErrorData::invalid_params(message, None))
    }
}

/// A tool without annotations: nothing is known about the code of a skill but what it says.
fn code_tool(definition: ToolDefinition) -> Tool {
    let schema = match definition.input_schema {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    Tool::new(definition.name, definition.description, Arc::new(schema))
}

/// The result of a tool of a skill with code.
pub(crate) fn code_result(result: CodeResult) -> CallToolResult {
    let mut answer = CallToolResult::success(vec![ContentBlock::text(result.content)]);
    answer.is_error = Some(result.is_error);
    answer
}

/// A tool's result for programs and, as text, for models.
pub(crate) fn result(result: ToolResult) -> CallToolResult {
    let ToolResult {
        content, is_error, ..
    } = result;
    let (text, structured) = match content {
        Value::String(text) => (text, None),
        value => (value.to_string(), Some(value)),
    };
    let mut answer = CallToolResult::success(vec![ContentBlock::text(text)]);
    answer.structured_content = structured;
    answer.is_error = Some(is_error);
    answer
}
