//! Answers in the shape that a dialect promises.

use serde_json::{Value, json};

use crate::dialect::{Shape, ToolSpec};
use crate::render::without_own_tags;

use super::output::{ErrorCode, ToolError, ToolOutput};

/// The result for the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The result: an object, or text for text dialects.
    pub content: Value,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Whether a part of the instructions, the file or the output is missing.
    pub truncated: bool,
}

pub(crate) fn shape(
    shape: Shape,
    tool: &ToolSpec,
    outcome: Result<ToolOutput, ToolError>,
    available: &[String],
) -> ToolResult {
    let truncated = outcome.as_ref().is_ok_and(ToolOutput::is_truncated);
    // There a file that is too large is an error.
    let too_large = shape == Shape::Envelope
        && truncated
        && matches!(&outcome, Ok(ToolOutput::File { part: false, .. }));
    let is_error = outcome.is_err() || too_large;
    let block = match &outcome {
        Ok(ToolOutput::Skill { block, .. }) => block.clone(),
        _ => String::new(),
    };
    let content = match shape {
        Shape::Prowess => outcome.map_or_else(|error| prowess_error(&error), prowess),
        Shape::Plain => outcome.map_or_else(|error| json!({"error": sentence(&error)}), plain),
        Shape::Envelope => envelope(tool, outcome),
        Shape::Success => success(outcome, available),
        Shape::Text => Value::String(outcome.map_or_else(|error| sentence(&error), text)),
    };
    ToolResult {
        content: without_tags(content, &block),
        is_error,
        truncated,
    }
}

/// The same without a tag of ours in any text, but for the one block that is ours.
fn without_tags(value: Value, block: &str) -> Value {
    match value {
        Value::String(text) if text == block => Value::String(text),
        Value::String(text) => Value::String(without_own_tags(&text).into_owned()),
        Value::Array(items) => items
            .into_iter()
            .map(|item| without_tags(item, block))
            .collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| {
                (
                    without_own_tags(&key).into_owned(),
                    without_tags(value, block),
                )
            })
            .collect(),
        other => other,
    }
}

fn prowess(output: ToolOutput) -> Value {
    match output {
        ToolOutput::Listing {
            path,
            subcollections,
            skills,
            next,
        } => without_null(json!({
            "type": "listing",
            "path": path,
            "subcollections": subcollections,
            "skills": skills,
            "next": next,
        })),
        ToolOutput::Search {
            queries,
            skills,
            next,
        } => {
            let (query, queries) = match <[String; 1]>::try_from(queries) {
                Ok([query]) => (Some(query), None),
                Err(queries) => (None, Some(queries)),
            };
            without_null(json!({
                "type": "search",
                "query": query,
                "queries": queries,
                "skills": skills,
                "next": next,
            }))
        }
        ToolOutput::Skill {
            id,
            block,
            frontmatter,
            files,
            dropped_bytes,
            ..
        } => json!({
            "id": id,
            "name": id.name(),
            "content": block,
            "frontmatter": frontmatter,
            "files": files,
            "truncated": dropped_bytes > 0,
        }),
        ToolOutput::File {
            id,
            path,
            content,
            next_offset,
            size,
            ..
        } => without_null(json!({
            "id": id,
            "path": path,
            "content": content,
            "size": size,
            "truncated": next_offset.is_some(),
            "next_offset": next_offset,
        })),
        ToolOutput::Script(output) => json!(output),
    }
}

fn prowess_error(error: &ToolError) -> Value {
    let ToolError {
        code,
        message,
        suggestions,
    } = error;
    let mut value = json!({"code": code, "message": message});
    if !suggestions.is_empty()
        && let Some(object) = value.as_object_mut()
    {
        let key = if *code == ErrorCode::NotAFile {
            "entries"
        } else {
            "nearest"
        };
        object.insert(key.to_owned(), json!(suggestions));
    }
    json!({"error": value})
}

/// The error with its suggestions in one sentence.
fn sentence(error: &ToolError) -> String {
    match error.suggestions.as_slice() {
        [] => error.message.clone(),
        near if error.code == ErrorCode::NotAFile => {
            format!("{}; it contains {}", error.message, near.join(", "))
        }
        near => format!("{}; did you mean {}?", error.message, near.join(", ")),
    }
}

fn plain(output: ToolOutput) -> Value {
    match output {
        ToolOutput::Skill {
            id,
            body,
            frontmatter,
            dropped_bytes,
            ..
        } => {
            let notice = body_notice(dropped_bytes);
            without_null(
                json!({"name": id, "frontmatter": frontmatter, "body": body, "notice": notice}),
            )
        }
        ToolOutput::File {
            id,
            path,
            content,
            next_offset,
            size,
            ..
        } => {
            let notice = file_notice(next_offset, size);
            without_null(json!({"name": id, "path": path, "content": content, "notice": notice}))
        }
        other => prowess(other),
    }
}

fn body_notice(dropped_bytes: usize) -> Option<String> {
    (dropped_bytes > 0).then(|| format!("the body is truncated: {dropped_bytes} bytes are missing"))
}

fn file_notice(next_offset: Option<u64>, size: u64) -> Option<String> {
    let notice = |next| {
        let missing = size - next;
        format!("the file is truncated: {missing} bytes are missing; continue with `offset` {next}")
    };
    next_offset.map(notice)
}

fn envelope(tool: &ToolSpec, outcome: Result<ToolOutput, ToolError>) -> Value {
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    let mut cut = |bytes: usize| {
        if bytes > 0 {
            let message = format!("{bytes} bytes are missing");
            warnings.push(json!({"code": "CONTENT_TRUNCATED", "message": message}));
        }
    };
    let data = match outcome {
        Ok(ToolOutput::Skill {
            id,
            body,
            files,
            dropped_bytes,
            ..
        }) => {
            cut(dropped_bytes);
            json!({"name": id, "body": body, "files": files})
        }
        Ok(ToolOutput::File {
            path,
            next_offset: Some(_),
            part: false,
            size,
            ..
        }) => {
            let message = format!(
                "`{path}` is too large: {size} bytes; read it in parts with `offset` and `limit`"
            );
            errors.push(json!({"code": "FILE_TOO_LARGE", "message": message}));
            Value::Null
        }
        Ok(ToolOutput::File {
            id,
            path,
            content,
            next_offset,
            ..
        }) => without_null(
            json!({"name": id, "path": path, "content": content, "next_offset": next_offset}),
        ),
        Ok(ToolOutput::Listing { skills, next, .. } | ToolOutput::Search { skills, next, .. }) => {
            let skill = |skill: &super::output::SkillSummary| {
                without_null(
                    json!({"name": skill.id, "description": skill.description, "similar": skill.similar}),
                )
            };
            let skills: Vec<Value> = skills.iter().map(skill).collect();
            without_null(json!({"skills": skills, "next": next}))
        }
        Ok(ToolOutput::Script(output)) => json!(output),
        Err(error) => {
            errors.push(json!({"code": envelope_code(error.code), "message": sentence(&error)}));
            Value::Null
        }
    };
    json!({
        "ok": errors.is_empty(),
        "tool_name": tool.name,
        "data": data,
        "warnings": warnings,
        "errors": errors,
    })
}

fn envelope_code(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::SkillNotFound | ErrorCode::SkillUnavailable | ErrorCode::Unavailable => {
            "SKILL_NOT_FOUND"
        }
        ErrorCode::InvalidPath
        | ErrorCode::AccessDenied
        | ErrorCode::NotAFile
        | ErrorCode::BinaryFile => "INVALID_PATH",
        ErrorCode::FileNotFound => "FILE_NOT_FOUND",
        ErrorCode::InvalidArguments | ErrorCode::UnknownTool | ErrorCode::ToolNotAllowed => {
            "ARGUMENT_ERROR"
        }
        ErrorCode::PermissionDenied => "NOT_IMPLEMENTED",
    }
}

fn success(outcome: Result<ToolOutput, ToolError>, available: &[String]) -> Value {
    match outcome {
        Ok(ToolOutput::Skill {
            id,
            body,
            location,
            dropped_bytes,
            ..
        }) => with_notice(
            json!({
                "success": true,
                "skill_name": id,
                "skill_path": location,
                "instructions": body,
            }),
            body_notice(dropped_bytes),
        ),
        Ok(ToolOutput::File {
            id,
            path,
            content,
            next_offset,
            size,
            ..
        }) => with_notice(
            json!({"success": true, "skill_name": id, "resource": path, "content": content}),
            file_notice(next_offset, size),
        ),
        Ok(other) => prowess(other),
        Err(error) if error.code == ErrorCode::SkillNotFound => {
            let error = format!("{}; available: {}", error.message, available.join(", "));
            json!({"success": false, "error": error})
        }
        Err(error) => json!({"success": false, "error": sentence(&error)}),
    }
}

fn with_notice(mut value: Value, notice: Option<String>) -> Value {
    if let (Some(object), Some(notice)) = (value.as_object_mut(), notice) {
        object.insert("notice".to_owned(), notice.into());
    }
    value
}

fn text(output: ToolOutput) -> String {
    let below = |text: String, notice: Option<String>| match notice {
        Some(notice) => format!("{text}\n\n[{notice}]"),
        None => text,
    };
    match output {
        ToolOutput::Skill {
            body,
            location,
            dropped_bytes,
            ..
        } => {
            let body = below(body, body_notice(dropped_bytes));
            match location {
                Some(location) => format!("Base directory for this skill: {location}\n\n{body}"),
                None => body,
            }
        }
        ToolOutput::File {
            content,
            next_offset,
            size,
            ..
        } => below(content, file_notice(next_offset, size)),
        other => without_tags(prowess(other), "").to_string(),
    }
}

/// An object without its empty members.
fn without_null(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.retain(|_, value| !value.is_null());
    }
    value
}
