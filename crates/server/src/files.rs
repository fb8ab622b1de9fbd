//! The files of a skill.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use prowess_core::wire::FileList;
use prowess_core::{SkillId, Skills, SourceError};
use prowess_spec::SkillPath;

use crate::answer::{Payload, content_type, is_known};
use crate::app::{App, Part, part, visible};
use crate::error::{Code, Failure};
use crate::limits::{PART, WHOLE_FILE};
use crate::range::Range;

pub(crate) async fn list(
    State(app): State<App>,
    id: Part<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let id = visible(&app.skills().catalog(), &part(id)?)?;
    let files = app.skills().sources().files(&id).await?;
    Ok(Payload::json(&FileList { files })?.unless_known(&headers))
}

pub(crate) async fn file(
    State(app): State<App>,
    names: Part<(String, String)>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let (id, path) = part(names)?;
    let id = visible(&app.skills().catalog(), &id)?;
    let path = skill_path(&path)?;
    let file = File {
        skills: app.skills().clone(),
        id,
        path,
    };
    // Nothing but `GET` has ranges.
    let headers = if method == Method::GET {
        headers
    } else {
        without_range(headers)
    };
    let first = file.read(0, PART).await?;
    let mut response = if first.size <= WHOLE_FILE {
        let bytes = file.rest(first.bytes, first.size).await?;
        whole(&file, bytes, &headers)
    } else {
        file.stream(first.size, &headers)
    };
    let headers = response.headers_mut();
    let bytes = HeaderValue::from_static("bytes");
    headers.insert(header::ACCEPT_RANGES, bytes);
    // A browser that is led here saves the file, whatever it is.
    let attachment = HeaderValue::from_static("attachment");
    headers.insert(header::CONTENT_DISPOSITION, attachment);
    Ok(response)
}

/// The path of a file in a skill.
pub(crate) fn skill_path(path: &str) -> Result<SkillPath, Failure> {
    SkillPath::parse(path).map_err(|problem| {
        let shown: String = path.chars().take(100).collect();
        let message = format!(
            "invalid path: `{}` {problem}; use a path relative to the skill",
            shown.escape_debug()
        );
        Failure::new(Code::InvalidPath, message)
    })
}

fn without_range(mut headers: HeaderMap) -> HeaderMap {
    headers.remove(header::RANGE);
    headers
}

/// A file of a skill.
struct File {
    skills: Skills,
    id: SkillId,
    path: SkillPath,
}

impl File {
    async fn read(&self, offset: u64, limit: usize) -> Result<prowess_core::FilePart, SourceError> {
        let sources = self.skills.sources();
        sources.read(&self.id, &self.path, offset, limit).await
    }

    /// Everything, where the beginning is there.
    async fn rest(&self, mut bytes: Vec<u8>, size: u64) -> Result<Vec<u8>, SourceError> {
        while (bytes.len() as u64) < size {
            let part = self.part(bytes.len() as u64, size).await?;
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    }

    /// The bytes from `offset` on, of a file that still has `size` of them.
    async fn part(&self, offset: u64, size: u64) -> Result<Vec<u8>, SourceError> {
        let part = self.read(offset, PART).await?;
        if part.size != size || part.bytes.is_empty() {
            let message = format!("`{}` changed during the read", self.path);
            return Err(SourceError::Unavailable(message));
        }
        Ok(part.bytes)
    }

    /// A file that is too large to be held: sent as it is read, and not named by its content.
    fn stream(self, size: u64, request: &HeaderMap) -> Response {
        let (status, start, end) = match wanted(request, None, size) {
            Range::Whole => (StatusCode::OK, 0, size),
            Range::Part { start, end } => (StatusCode::PARTIAL_CONTENT, start, end),
            Range::Outside => return outside(size),
        };
        let media = content_type(self.path.as_str(), None);
        let parts = stream::try_unfold((self, start), move |(file, offset)| async move {
            let left = usize::try_from(end - offset).unwrap_or(usize::MAX);
            if left == 0 {
                return Ok(None);
            }
            // An error here closes the connection, so the client notices that data is missing.
            let mut bytes = file.part(offset, size).await?;
            bytes.truncate(left);
            let next = offset + bytes.len() as u64;
            Ok::<_, SourceError>(Some((Bytes::from(bytes), (file, next))))
        });
        let length = HeaderValue::from(end - start);
        let headers = [
            (header::CONTENT_LENGTH, length),
            (header::CONTENT_TYPE, media),
        ];
        let mut response = (status, headers, Body::from_stream(parts)).into_response();
        if status == StatusCode::PARTIAL_CONTENT {
            set_content_range(&mut response, start, end, size);
        }
        response
    }
}

fn whole(file: &File, bytes: Vec<u8>, request: &HeaderMap) -> Response {
    let media = content_type(file.path.as_str(), Some(&bytes));
    let payload = Payload::new(bytes, media);
    let size = payload.bytes.len() as u64;
    if is_known(request, &payload.etag) {
        return payload.unless_known(request);
    }
    match wanted(request, Some(&payload.etag), size) {
        Range::Whole => payload.unless_known(request),
        Range::Outside => outside(size),
        Range::Part { start, end } => {
            let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
            let part = payload.bytes.slice(index(start)..index(end));
            let status = StatusCode::PARTIAL_CONTENT;
            let mut response = (status, payload.headers(), part).into_response();
            set_content_range(&mut response, start, end, size);
            response
        }
    }
}

/// The range that counts: none where the client knows another state of the file than this.
pub(crate) fn wanted(request: &HeaderMap, etag: Option<&HeaderValue>, size: u64) -> Range {
    let condition = request.get(header::IF_RANGE);
    if condition.is_some() && condition != etag {
        return Range::Whole;
    }
    let mut ranges = request.get_all(header::RANGE).iter();
    let (range, more) = (ranges.next(), ranges.next());
    let range = range.and_then(|range| range.to_str().ok());
    Range::parse(range.filter(|_| more.is_none()), size)
}

pub(crate) fn outside(size: u64) -> Response {
    let message = format!("the file has {size} bytes");
    let mut response = Failure::new(Code::InvalidRange, message).into_response();
    if let Ok(range) = HeaderValue::try_from(format!("bytes */{size}")) {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    response
}

pub(crate) fn set_content_range(response: &mut Response, start: u64, end: u64, size: u64) {
    let last = end.saturating_sub(1);
    if let Ok(range) = HeaderValue::try_from(format!("bytes {start}-{last}/{size}")) {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
}
