//! Vectors from a server with an OpenAI-compatible API.

use std::time::Duration;

use async_trait::async_trait;
use prowess_net::{client_builder, read_body, run, secret_header};
use reqwest::{Client, Url};
use serde_json::{Value, json};

use crate::embedder::{Embedder, EmbeddingError};

/// How long an answer may take: a search waits for it.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of an answer.
const ANSWER_BYTES: usize = 64 << 20;
/// Characters of a text that are sent.
const TEXT_CHARS: usize = 2_000;

/// A server at `{base}/embeddings`. Texts go there, and nowhere else.
pub struct EmbeddingsEndpoint {
    url: Url,
    host: String,
    model: String,
    key: Option<String>,
    fingerprint: String,
    timeout: Duration,
}

impl EmbeddingsEndpoint {
    /// The server at a base URL such as `http://localhost:11434/v1`.
    pub fn new(base: &Url, model: &str, key: Option<String>) -> Self {
        let mut url = base.clone();
        let path = format!("{}/embeddings", base.path().trim_end_matches('/'));
        url.set_path(&path);
        Self {
            host: base.host_str().unwrap_or_default().to_owned(),
            fingerprint: format!("endpoint {url} {model}"),
            url,
            model: model.to_owned(),
            key,
            timeout: TIMEOUT,
        }
    }

    /// The same with another limit of time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn client(&self) -> Result<Client, EmbeddingError> {
        let mut builder = client_builder(Some(&self.url)).timeout(self.timeout);
        if let Some(key) = &self.key {
            let header = secret_header("authorization", &format!("Bearer {key}"));
            builder = builder.default_headers(header.map_err(|error| self.unavailable(&error))?);
        }
        builder.build().map_err(|error| self.unavailable(&error))
    }

    fn unavailable(&self, reason: &dyn std::fmt::Display) -> EmbeddingError {
        EmbeddingError::Unavailable {
            host: self.host.clone(),
            reason: reason.to_string(),
        }
    }
}

#[async_trait]
impl Embedder for EmbeddingsEndpoint {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let client = self.client()?;
        let count = texts.len();
        let texts: Vec<String> = texts
            .into_iter()
            .map(|text| text.chars().take(TEXT_CHARS).collect())
            .collect();
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let url = self.url.clone();
        let seconds = self.timeout.as_secs_f64();
        let answer = run(async move {
            let request = client
                .post(url)
                .header("content-type", "application/json")
                .body(body.to_string());
            let response = request
                .send()
                .await
                .map_err(|error| reason(&error, seconds))?;
            let status = response.status();
            let bytes = read_body(response, ANSWER_BYTES).await;
            let bytes = bytes.map_err(|error| error.to_string())?;
            if status.is_success() {
                Ok(bytes)
            } else {
                Err(format!("status {status}"))
            }
        })
        .await;
        let bytes = match answer {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(reason)) => return Err(self.unavailable(&reason)),
            Err(error) => return Err(self.unavailable(&error)),
        };
        vectors(&bytes, count).map_err(|reason| EmbeddingError::Malformed {
            host: self.host.clone(),
            reason,
        })
    }
}

fn reason(error: &reqwest::Error, seconds: f64) -> String {
    if error.is_timeout() {
        return format!("timed out after {seconds} s");
    }
    if error.is_connect() {
        return "cannot connect".to_owned();
    }
    "the request failed".to_owned()
}

/// `{"data": [{"index": 0, "embedding": [...]}, ...]}`
fn vectors(bytes: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
    let json: Value = serde_json::from_slice(bytes).map_err(|_| "expected JSON".to_owned())?;
    let data = json
        .get("data")
        .and_then(Value::as_array)
        .ok_or("expected `data`")?;
    let mut vectors = vec![Vec::new(); count];
    for (position, item) in data.iter().enumerate() {
        let index = item.get("index").and_then(Value::as_u64);
        let index = index
            .and_then(|index| usize::try_from(index).ok())
            .unwrap_or(position);
        let numbers = item
            .get("embedding")
            .and_then(Value::as_array)
            .ok_or("expected `embedding`")?;
        let slot = vectors.get_mut(index).ok_or("more vectors than texts")?;
        *slot = numbers
            .iter()
            .filter_map(Value::as_f64)
            .map(narrow)
            .collect();
    }
    let length = vectors.first().map_or(0, Vec::len);
    if length == 0 || vectors.iter().any(|vector| vector.len() != length) {
        return Err(format!("expected {count} vectors of one length"));
    }
    Ok(vectors)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "directions need few digits"
)]
fn narrow(number: f64) -> f32 {
    number as f32
}
