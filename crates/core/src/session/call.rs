//! Executes tool calls.

use prowess_spec::{PathProblem, SkillPath};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::with_arguments;
use crate::catalog::Skill;
use crate::dialect::{Files, Operation, Shape, ToolSpec};
use crate::event::Event;
use crate::id::{CollectionPath, SkillId};
use crate::media::media_type;
use crate::render::render_skill;
use crate::skills::Skills;
use crate::source::SourceError;
use crate::tools::{ErrorCode, LISTED_SKILLS, SkillSummary, ToolError, ToolOutput};

use super::state::Session;

/// Skills in one answer.
const PAGE: usize = 20;
/// Bytes of a result besides the text that it is about.
const FRAME_BYTES: usize = 1024;

type Outcome = Result<ToolOutput, ToolError>;

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
            Operation::Browse => self.browse(tool, &arguments).await,
            Operation::List | Operation::Load if arguments.get("query").is_some() => {
                self.browse(tool, &arguments).await
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

    async fn browse(&self, tool: &ToolSpec, arguments: &Arguments<'_>) -> Outcome {
        let catalog = self.catalog();
        let start = arguments.cursor()?;
        let query = arguments
            .text("query")?
            .map(str::trim)
            .filter(|query| !query.is_empty());
        if let Some(query) = query {
            let found = self.search(query, start + PAGE + 1).await;
            let skills = found.iter().filter_map(|id| catalog.get(id.as_str()));
            let (skills, next) = page(skills.filter(is_for_models), start, PAGE);
            let query = query.to_owned();
            return Ok(ToolOutput::Search {
                query,
                skills,
                next,
            });
        }
        let text = arguments.text(tool.id)?.unwrap_or_default();
        let path: Option<CollectionPath> = match text.trim_matches('/') {
            "" => None,
            text => match text.parse() {
                Ok(path) => Some(path),
                // Not a path that could exist: empty, like any other that does not.
                Err(_) => {
                    return Ok(ToolOutput::Listing {
                        path: text.to_owned(),
                        subcollections: Vec::new(),
                        skills: Vec::new(),
                        next: None,
                    });
                }
            },
        };
        let listing = catalog.browse(path.as_ref());
        let skills = listing.skills.into_iter().filter(is_for_models);
        let (skills, next) = page(skills, start, PAGE);
        Ok(ToolOutput::Listing {
            path: path.map(|path| path.to_string()).unwrap_or_default(),
            subcollections: if start == 0 {
                listing.subcollections
            } else {
                Vec::new()
            },
            skills,
            next,
        })
    }

    fn list_all(&self, arguments: &Arguments<'_>) -> Outcome {
        let catalog = self.catalog();
        let skills = catalog.skills().filter(is_for_models);
        let (skills, next) = page(skills, arguments.cursor()?, LISTED_SKILLS);
        Ok(ToolOutput::Listing {
            path: String::new(),
            subcollections: Vec::new(),
            skills,
            next,
        })
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

fn page<'c>(
    skills: impl Iterator<Item = Skill<'c>>,
    start: usize,
    length: usize,
) -> (Vec<SkillSummary>, Option<String>) {
    let mut skills: Vec<SkillSummary> = skills.skip(start).take(length + 1).map(summary).collect();
    let more = skills.len() > length;
    skills.truncate(length);
    (skills, more.then(|| (start + length).to_string()))
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

fn summary(skill: Skill<'_>) -> SkillSummary {
    SkillSummary {
        id: skill.descriptor.id.clone(),
        name: skill.descriptor.name().to_owned(),
        description: skill.descriptor.description.to_string(),
        source: skill.source.to_string(),
    }
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

/// The arguments of a call, checked against what the tool knows.
struct Arguments<'a> {
    values: Option<&'a Map<String, Value>>,
}

impl<'a> Arguments<'a> {
    fn new(tool: &ToolSpec, arguments: &'a Value, searches: bool) -> Result<Self, ToolError> {
        let values = match arguments {
            Value::Null => None,
            Value::Object(values) => Some(values),
            _ => return Err(Self::wrong("invalid arguments: expected an object")),
        };
        let known: &[&str] = match tool.operation {
            Operation::Browse | Operation::List => &["query", "cursor"],
            Operation::Load if searches => &["arguments", "query", "cursor"],
            Operation::Load => &["arguments"],
            Operation::Read => &["offset", "limit"],
            Operation::Run => &["args"],
        };
        let reads = tool.operation == Operation::Load && tool.path.is_some();
        let is_known = |key: &str| {
            key == tool.id
                || tool.path == Some(key)
                || known.contains(&key)
                || reads && matches!(key, "offset" | "limit")
        };
        match values
            .into_iter()
            .flat_map(Map::keys)
            .find(|key| !is_known(key))
        {
            Some(key) => Err(Self::wrong(format!(
                "unknown argument `{}` of {}",
                key.escape_debug(),
                tool.name
            ))),
            None => Ok(Self { values }),
        }
    }

    fn wrong(message: impl Into<String>) -> ToolError {
        ToolError::new(ErrorCode::InvalidArguments, message)
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.values?.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Result<Option<&'a str>, ToolError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Self::wrong(format!("invalid `{key}`: expected text"))),
        }
    }

    fn required(&self, key: &str) -> Result<&'a str, ToolError> {
        let text = self
            .text(key)?
            .map(str::trim)
            .filter(|text| !text.is_empty());
        text.ok_or_else(|| Self::wrong(format!("`{key}` is missing or empty")))
    }

    fn number(&self, key: &str) -> Result<Option<u64>, ToolError> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(Self::wrong(format!(
                    "invalid `{key}`: expected a whole number"
                ))),
            },
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, ToolError> {
        let wrong = || Self::wrong(format!("invalid `{key}`: expected a list of strings"));
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let text = |item: &Value| item.as_str().map(str::to_owned).ok_or_else(wrong);
                items.iter().map(text).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    fn cursor(&self) -> Result<usize, ToolError> {
        match self.text("cursor")? {
            None => Ok(0),
            Some(text) => text
                .parse()
                .map_err(|_| Self::wrong("invalid `cursor`: use the `next` of an earlier answer")),
        }
    }

    /// The skill that the call is about; a leading `/`, as people type it, is forgiven.
    fn id(&self, tool: &ToolSpec) -> Result<SkillId, ToolError> {
        let text = self.required(tool.id)?;
        let text = text.strip_prefix('/').unwrap_or(text);
        text.parse().map_err(|_| {
            let shown: String = text.chars().take(80).collect();
            ToolError::new(
                ErrorCode::SkillNotFound,
                format!("unknown skill `{}`", shown.escape_debug()),
            )
        })
    }
}

/// Whether a model may choose the skill.
fn is_for_models(skill: &Skill<'_>) -> bool {
    skill.descriptor.invocation.by_model()
}
