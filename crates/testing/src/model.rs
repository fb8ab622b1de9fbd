//! A model behind a real endpoint, in the wire formats of OpenAI and Anthropic. It answers from a script.

mod events;
mod request;
mod server;

pub use request::ModelRequest;
pub use server::ScriptedModel;

use serde_json::Value;

/// An API key. The model accepts any other one too.
pub const KEY: &str = "sk-test-1234";

/// The format of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
}

/// Both formats.
pub const BOTH: [Wire; 2] = [Wire::OpenAi, Wire::Anthropic];

/// How the model answers a request.
#[derive(Clone, Debug)]
pub enum Step {
    /// Text.
    Say(&'static str),
    /// Text without a count of tokens.
    Uncounted(&'static str),
    /// Text, then tool calls: name and arguments, which may be malformed JSON.
    Call(&'static str, Vec<(&'static str, String)>),
    /// Text that reaches the model's length limit.
    Long(&'static str),
    /// A status, headers and a body.
    Status(u16, Vec<(&'static str, &'static str)>, String),
    /// Text, then the connection breaks.
    Die(&'static str),
    /// Text, then the stream ends without its last event.
    End(&'static str),
    /// Text, then silence until the client disconnects.
    Hang(&'static str),
    /// Text, then an error in the stream.
    Report(&'static str),
}

/// Tokens of a request and of its answer.
type Usage = (usize, usize);

/// One tool call with JSON arguments.
pub fn call(tool: &'static str, arguments: &Value) -> Step {
    Step::Call("", vec![(tool, arguments.to_string())])
}
