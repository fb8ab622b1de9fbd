//! Executes tool calls.

use prowess_spec::{PathProblem, SkillPath};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::with_arguments;
use crate::dialect::{Files, Operation, Shape, ToolSpec};
use crate::event::Event;
use crate::id::SkillId;
use crate::media::media_type;
use crate::render::render_skill;
use crate::skills::Skills;
use crate::source::SourceError;
use crate::tools::{ErrorCode, ToolError, ToolOutput};

use super::browse::is_for_models;
use super::state::Session;
use super::tool_arguments::Arguments;

/// Bytes of a result besides the text that it is about.
const FRAME_BYTES: usize = 1024;

pub(super) type Outcome = Result<ToolOutput, ToolError>;

impl Skills {
    pub(crate) async fn answer(
        &self,
        session: &Session,
        tool: &ToolSpec,
        arguments: &Value,
        max_bytes: usize,
        events: &mut Vec<Event>,
    ) -> Outcome {
        // A tool that loads takes a query if no other tool can search.
        let searches = self.settings().dialect.search_tool().is_none();
        let arguments = Arguments::new(tool, arguments, searches)?;
        match tool.operation {
            Operation::Browse => self.browse(session, tool, &arguments).await,
            Operation::List | Operation::Load if arguments.searches() => {
                self.browse(session, tool, &arguments).await
            }
            Operation::List => self.list_all(&arguments),
            Operation::Load => match tool.path.and_then(|path| arguments.text(path).transpose()) {
                Some(path) => {
                    self.read_file(&arguments.id(tool)?, path?, &arguments, max_bytes, events)
                        .await
                }
                None => {
                    self.load_skill(session, &arguments, tool, max_bytes, events)
                        .await
                }
            },
            Operation::Read => {
                let path = tool.path.unwrap_or("path");
                let path = arguments.required(path)?;
                self.read_file(&arguments.id(tool)?, path, &arguments, max_bytes, events)
                    .await
            }
            Operation::Run => self.run_script(tool, &arguments).await,
        }
    }

    async fn load_skill(
        &self,
        session: &Session,
        arguments: &Arguments<'_>,
        tool: &ToolSpec,
        max_bytes: usize,
        events: &mut Vec<Event>,
    ) -> Outcome {
        let id = arguments.id(tool)?;
        let known = self.catalog();
        let known = known.get(id.as_str());
        if known.is_some_and(|skill| !is_for_models(&skill)) && !session.is_active(&id) {
            let message = format!("only the user can activate `{id}`: ask the user to type /{id}");
            return Err(ToolError::new(ErrorCode::SkillUnavailable, message));
        }
        let document = self
            .sources()
            .load(&id)
            .await
            .map_err(|error| self.tool_error(&id, error))?;
        let given = arguments.text("arguments")?.unwrap_or_default();
        let body = with_arguments(&document.body, given);
        let files = self.sources().files(&id).await.unwrap_or_default();
        let files = files.into_iter().map(|file| file.path.to_string());
        let depth = self.settings().dialect.limits.files;
        let offered = |path: &String| is_allowed(depth, path) && !is_for_tests(path);
        let files: Vec<String> = files.filter(offered).collect();
        let frontmatter = document.skill.frontmatter;
        let beside = json_bytes(&files) + json_bytes(&frontmatter) + FRAME_BYTES;
        let fitting = json_prefix(&body, max_bytes.saturating_sub(beside).max(max_bytes / 4));
        let mut limit = self.settings().dialect.limits.skill_bytes;
        if fitting < body.len() {
            limit = limit.min(fitting);
        }
        let rendered = render_skill(&id, &body, limit)
            .map_err(|error| ToolError::new(ErrorCode::SkillUnavailable, error.to_string()))?;
        let is_new = session.activate(&id);
        if is_new {
            session.report_loaded(&id).await;
        }
        if is_new || !given.trim().is_empty() {
            session.set_arguments(&id, given);
        }
        let end = body.floor_char_boundary(limit);
        // Dialects send the block or the body.
        let (bytes, dropped_bytes) = match self.settings().dialect.shape {
            Shape::Prowess => (rendered.text.len(), rendered.report.dropped_bytes),
            _ => (end, body.len() - end),
        };
        events.push(Event::Activated {
            id: id.clone(),
            bytes,
            dropped_bytes,
        });
        Ok(ToolOutput::Skill {
            id,
            block: rendered.text,
            dropped_bytes,
            body: body.get(..end).unwrap_or_default().to_owned(),
            frontmatter,
            files,
            location: document.location,
        })
    }

    async fn read_file(
        &self,
        id: &SkillId,
        path: &str,
        arguments: &Arguments<'_>,
        max_bytes: usize,
        events: &mut Vec<Event>,
    ) -> Outcome {
        let limits = self.settings().dialect.limits;
        let path = SkillPath::parse(path).map_err(|problem| invalid_path(path, problem))?;
        if !is_allowed(limits.files, path.as_str()) {
            let message = format!("`{path}` is not directly in scripts, references or assets");
            return Err(ToolError::new(ErrorCode::InvalidPath, message));
        }
        refuse_tests(&path)?;
        let offset = arguments.number("offset")?;
        let limit = arguments.number("limit")?;
        let part_wanted = offset.is_some() || limit.is_some();
        let offset = offset.unwrap_or(0);
        let limit = usize::try_from(limit.unwrap_or(u64::MAX))
            .unwrap_or(usize::MAX)
            .min(limits.file_bytes);
        let part = self.sources().read(id, &path, offset, limit).await;
        let part = part.map_err(|error| {
            if matches!(error, SourceError::AccessDenied { .. }) {
                events.push(Event::AccessDenied {
                    id: id.clone(),
                    path: path.clone(),
                });
            }
            self.tool_error(id, error)
        })?;
        let length = part.bytes.len();
        let mut content = text_of(part.bytes).ok_or_else(|| {
            // A byte that is not text stands for the content.
            let media = media_type(path.as_str(), Some(&[0]));
            let message = format!("`{path}` is not text: {media}, {} bytes", part.size);
            ToolError::new(ErrorCode::BinaryFile, message)
        })?;
        content.truncate(json_prefix(&content, max_bytes.saturating_sub(FRAME_BYTES)));
        // A character cut at the end belongs to the next part.
        let end = part.offset + content.len() as u64;
        let more = end < part.size && length > 0;
        Ok(ToolOutput::File {
            id: id.clone(),
            path: path.to_string(),
            content,
            next_offset: more.then_some(end),
            part: part_wanted,
            size: part.size,
        })
    }

    async fn run_script(&self, tool: &ToolSpec, arguments: &Arguments<'_>) -> Outcome {
        let id = arguments.id(tool)?;
        let path = arguments.required(tool.path.unwrap_or("path"))?;
        let path = SkillPath::parse(path).map_err(|problem| invalid_path(path, problem))?;
        refuse_tests(&path)?;
        let args = arguments.texts("args")?;
        let Some(scripts) = self.scripts() else {
            let message = "scripts are disabled; the host must enable them";
            return Err(ToolError::new(ErrorCode::PermissionDenied, message));
        };
        self.sources()
            .load(&id)
            .await
            .map_err(|error| self.tool_error(&id, error))?;
        scripts.run(&id, &path, &args).await.map(ToolOutput::Script)
    }

    /// A source's error as a model may see it.
    fn tool_error(&self, id: &SkillId, error: SourceError) -> ToolError {
        let message = error.to_string();
        match error {
            SourceError::NotFound(_) => ToolError::new(ErrorCode::SkillNotFound, message)
                .suggesting(self.nearest(id.as_str())),
            SourceError::MissingCapabilities { .. } | SourceError::Invalid { .. } => {
                ToolError::new(ErrorCode::SkillUnavailable, message)
            }
            SourceError::FileNotFound { nearest, .. } => {
                ToolError::new(ErrorCode::FileNotFound, message).suggesting(nearest)
            }
            SourceError::NotAFile { entries, .. } => {
                ToolError::new(ErrorCode::NotAFile, message).suggesting(entries)
            }
            SourceError::AccessDenied { .. } => ToolError::new(ErrorCode::AccessDenied, message),
            SourceError::Unavailable(_) | SourceError::Untrusted(_) => {
                ToolError::new(ErrorCode::Unavailable, message)
            }
        }
    }
}

fn json_bytes(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

/// How much of a text takes at most `max_bytes` as a JSON string.
fn json_prefix(text: &str, max_bytes: usize) -> usize {
    // No character takes more than six bytes.
    if text.len() <= max_bytes / 6 {
        return text.len();
    }
    let mut left = max_bytes;
    for (at, c) in text.char_indices() {
        let bytes = match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            c if c < ' ' => 6,
            c => c.len_utf8(),
        };
        match left.checked_sub(bytes) {
            Some(rest) => left = rest,
            None => return at,
        }
    }
    text.len()
}

/// Whether a file tests its skill: a model that reads what is expected is not tested by it.
fn is_for_tests(path: &str) -> bool {
    matches!(path.split_once('/'), Some(("evals" | "tests", _)))
}

fn refuse_tests(path: &SkillPath) -> Result<(), ToolError> {
    if !is_for_tests(path.as_str()) {
        return Ok(());
    }
    let message = format!("`{path}` is for tests of the skill, not for models");
    Err(ToolError::new(ErrorCode::AccessDenied, message))
}

fn is_allowed(files: Files, path: &str) -> bool {
    match files {
        Files::All => true,
        Files::OneLevel => match path.split_once('/') {
            Some(("scripts" | "references" | "assets", name)) => !name.contains('/'),
            _ => false,
        },
    }
}

fn invalid_path(path: &str, problem: PathProblem) -> ToolError {
    let message = format!(
        "invalid path: `{}` {problem}; use a path relative to the skill",
        path.escape_debug()
    );
    ToolError::new(ErrorCode::InvalidPath, message)
}

/// The bytes as text, without a character that was cut at the end; nothing if they are not text.
fn text_of(mut bytes: Vec<u8>) -> Option<String> {
    if bytes.contains(&0) {
        return None;
    }
    if let Err(error) = std::str::from_utf8(&bytes) {
        // Only an unfinished character at the very end is a matter of cutting.
        if error.error_len().is_some() {
            return None;
        }
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes).ok()
}
