//! Serves the skills of a directory: over standard input and output, or with `--http PORT` over HTTP.
//!
//! With `--token TOKEN` HTTP needs it. The directory is watched, and clients hear of changes.

use std::error::Error;

use prowess_config::Secret;
use prowess_core::{Scope, Skills};
use prowess_mcp::{HttpOptions, ServerOptions, SkillsServer, http_service, serve_stdio};
use prowess_sources::{FilesystemOptions, FilesystemSource, watch};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments
        .next()
        .ok_or("usage: serve DIRECTORY [--http PORT] [--token TOKEN]")?;
    let (mut port, mut token) = (None, None);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or("a flag needs a value")?;
        match flag.as_str() {
            "--http" => port = Some(value.parse::<u16>()?),
            "--token" => token = Some(Secret::new(value)),
            other => return Err(format!("unknown flag {other}").into()),
        }
    }
    let source = FilesystemSource::new(directory, FilesystemOptions::new(Scope::Project));
    let skills = Skills::builder().source("files", source).build().await?;
    let server = SkillsServer::new(skills, ServerOptions::default());
    let changed = server.clone();
    let _watch = watch(server.skills(), move |_| changed.notify_changed())?;
    match port {
        None => {
            let (reader, writer) = rmcp::transport::stdio_pipes();
            serve_stdio(&server, reader, writer).await?;
        }
        Some(port) => {
            let options = HttpOptions {
                token,
                ..HttpOptions::default()
            };
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
            axum::serve(listener, http_service(&server, &options)).await?;
        }
    }
    Ok(())
}
