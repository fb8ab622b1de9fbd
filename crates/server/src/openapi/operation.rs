//! One request of the API.

use serde_json::{Map, Value, json};

use crate::scope::Scope;

/// A request and its responses.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// The name in generated clients.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) tag: &'static str,
    /// The scope that it needs; none for what everyone may ask.
    pub(super) scope: Option<Scope>,
    /// Names of parameters besides those of the path.
    pub(super) parameters: &'static [&'static str],
    pub(super) body: Body,
    pub(super) responses: &'static [(u16, Content)],
    /// Statuses of problems besides those of every request.
    pub(super) problems: &'static [u16],
}

/// The body of a request.
pub(super) enum Body {
    None,
    /// JSON of this schema.
    Json(&'static str),
    Bytes,
}

/// The body of a response.
pub(super) enum Content {
    None,
    /// JSON of this schema.
    Json(&'static str),
    /// Any media type.
    Bytes,
    /// This media type.
    Text(&'static str),
}

impl Operation {
    pub(super) fn schema(name: &str) -> Value {
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    pub(super) fn to_json(&self) -> Value {
        let mut operation = json!({
            "operationId": self.id,
            "summary": self.summary,
            "tags": [self.tag],
            "responses": self.responses_json(),
        });
        let Value::Object(members) = &mut operation else {
            return operation;
        };
        let in_path = ["id", "path", "question", "name", "version", "owner"]
            .map(|name| (name, format!("{{{name}}}")));
        let in_path = in_path.iter().filter(|(_, text)| self.path.contains(text));
        let in_path = in_path.map(|(name, _)| match (*name, self.tag) {
            ("id", "skills" | "approvals") => "skill",
            (name, _) => name,
        });
        let names = in_path.chain(self.parameters.iter().copied());
        let parameters: Vec<Value> = names
            .map(|name| json!({"$ref": format!("#/components/parameters/{name}")}))
            .collect();
        if !parameters.is_empty() {
            members.insert("parameters".to_owned(), parameters.into());
        }
        let body = match self.body {
            Body::None => None,
            Body::Json(name) => Some(json!({"application/json": {"schema": Self::schema(name)}})),
            Body::Bytes => Some(json!({"*/*": {"schema": {"type": "string", "format": "binary"}}})),
        };
        if let Some(content) = body {
            // A file may be empty.
            let required = !matches!(self.body, Body::Bytes);
            let body = json!({"required": required, "content": content});
            members.insert("requestBody".to_owned(), body);
        }
        if let Some(scope) = self.scope {
            // Without a token, reading is enough on a loopback address.
            let mut security = vec![json!({"token": []})];
            if scope == Scope::Read {
                security.push(json!({}));
            }
            members.insert("security".to_owned(), security.into());
            members.insert("x-scope".to_owned(), scope.as_str().into());
        }
        operation
    }

    fn responses_json(&self) -> Map<String, Value> {
        let mut responses = Map::new();
        for (status, content) in self.responses {
            let content = match content {
                Content::None => None,
                Content::Json(name) => {
                    Some(json!({"application/json": {"schema": Self::schema(name)}}))
                }
                Content::Bytes => Some(json!({"*/*": {}})),
                Content::Text(media) => Some(json!({*media: {"schema": {"type": "string"}}})),
            };
            let mut response = json!({"description": description(*status)});
            if let (Value::Object(members), Some(content)) = (&mut response, content) {
                members.insert("content".to_owned(), content);
            }
            responses.insert(status.to_string(), response);
        }
        let mut problems: Vec<u16> = vec![421, 503];
        if self.scope.is_some() {
            problems.extend([401, 403, 429]);
        }
        match self.body {
            Body::None => {}
            Body::Json(_) => problems.extend([400, 408, 413, 415]),
            Body::Bytes => problems.extend([400, 408, 413]),
        }
        if self.path.contains('{') {
            problems.extend([400, 404]);
        }
        problems.extend(self.problems);
        problems.sort_unstable();
        problems.dedup();
        for status in problems {
            let problem = json!({"$ref": "#/components/responses/Problem"});
            responses.insert(status.to_string(), problem);
        }
        responses
    }
}

/// A status in words.
fn description(status: u16) -> &'static str {
    let status = axum::http::StatusCode::from_u16(status).ok();
    status.and_then(|it| it.canonical_reason()).unwrap_or("")
}
