//! Skills over MCP: a server for any catalog, and a host that verifies the responses of other servers.
//!
//! [`SkillsServer`] speaks the extension `io.modelcontextprotocol/skills`, and offers the same skills as resources,
//! tools and prompts to clients without it. [`serve_stdio`] and [`http_service`] serve clients. [`McpSource`] is the
//! other side: a source whose skills are on such a server.

mod digest;
mod host;
mod http;
pub mod limits;
mod lines;
mod origin;
mod server;
mod sessions;
mod stdio;
mod uri;
pub mod wire;

pub use digest::{Digest, InvalidDigest};
pub use host::McpSource;
pub use http::{HttpOptions, http_service};
pub use server::{
    Choice, Client, CodeResult, CodeSkills, Connection, ServerOptions, SkillsServer, UserAnswer,
};
pub use stdio::{ServeError, serve_stdio};
pub use uri::skill_uri;
