//! Lines as a guest reads and writes them.
//!
//! Data for the code of a skill stays text until the guest converts it: digits and order are preserved, and nothing is
//! copied.

use std::borrow::Cow;

use prowess_sdk::Phase;
use prowess_sdk::wire::{Failure, ScannedFile, Version, code};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Whatever arrives.
#[derive(Deserialize)]
pub(super) struct Incoming<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Failure>,
    #[serde(rename = "jsonrpc")]
    _version: Version,
}

impl<'a> Incoming<'a> {
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, Failure> {
        serde_json::from_slice(line).map_err(|error| {
            let (code, what) = if error.is_data() {
                (code::INVALID_REQUEST, "not a request")
            } else {
                (code::PARSE, "not JSON")
            };
            Failure {
                code,
                message: format!("the line is {what}: {error}"),
            }
        })
    }

    /// The id, if it can be one.
    pub(super) fn id(&self) -> Option<&'a RawValue> {
        let first = self.id?.get().as_bytes().first()?;
        matches!(first, b'"' | b'-' | b'0'..=b'9').then_some(self.id?)
    }

    /// The id of one of our requests: always a string.
    fn own_id(&self) -> String {
        let id = self.id.map(|id| serde_json::from_str(id.get()));
        id.and_then(Result::ok).unwrap_or_default()
    }
}

/// The meaning of a line for a caller that awaits a response.
pub(super) enum Answered {
    /// An answer, and to what.
    To(String, Result<Box<RawValue>, Failure>),
    /// A request.
    Request,
    /// Nothing that can be read.
    Unreadable(Failure),
}

impl Answered {
    pub(super) fn parse(line: &[u8]) -> Self {
        match Incoming::parse(line) {
            Err(failure) => Self::Unreadable(failure),
            Ok(incoming) if incoming.method.is_some() => Self::Request,
            Ok(incoming) => {
                let id = incoming.own_id();
                // `null` is a result too, and an absent one counts as that.
                let result = incoming.result.unwrap_or(RawValue::NULL).to_owned();
                Self::To(id, incoming.error.map_or(Ok(result), Err))
            }
        }
    }
}

pub(super) fn parse<'a, T: Deserialize<'a>>(params: &'a RawValue) -> Result<T, Failure> {
    serde_json::from_str(params.get()).map_err(|error| Failure {
        code: code::INVALID_PARAMS,
        message: format!("invalid parameters: {error}"),
    })
}

/// A tool or a workflow, and its input.
#[derive(Deserialize)]
pub(super) struct Call<'a> {
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

impl<'a> Call<'a> {
    pub(super) fn input(&self) -> &'a RawValue {
        self.input.unwrap_or(RawValue::NULL)
    }
}

/// A phase, and what it is about.
#[derive(Deserialize)]
pub(super) struct Hook<'a> {
    pub(super) phase: Phase,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl<'a> Hook<'a> {
    pub(super) fn data(&self) -> &'a RawValue {
        self.data.unwrap_or(RawValue::NULL)
    }
}

/// A scanner, and what to look at.
#[derive(Deserialize)]
pub(super) struct Scan {
    pub(super) name: String,
    pub(super) files: Vec<ScannedFile>,
}

/// A response, as serialized.
#[derive(Serialize)]
pub(super) struct GuestResponse<'a, T> {
    jsonrpc: Version,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Failure>,
}

impl<'a, T> GuestResponse<'a, T> {
    pub(super) fn new(id: &'a RawValue, outcome: Result<&'a T, &'a Failure>) -> Self {
        Self {
            jsonrpc: Version::Two,
            id,
            result: outcome.ok(),
            error: outcome.err(),
        }
    }
}
