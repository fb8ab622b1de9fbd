//! `prowess serve`: the skills over HTTP.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use prowess_config::Secret;
use prowess_core::Skills;
use prowess_mcp::{HttpOptions, ServerOptions, SkillsServer, http_service};
use prowess_server::{ApiOptions, Exchange, keep_fresh, router, serve};
use serde_json::json;
use tokio::net::TcpListener;

use crate::arguments::{Global, SourceArguments};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::{open, terminal};

const HELP: &str = "\
Examples:
  prowess serve                                    serve the skills found here
  prowess serve --listen 127.0.0.1:8080 --log      on another port, with a log

To use this server from another Prowess, add to its prowess.toml:
  [[skills.repositories]]
  name = \"team\"
  type = \"http\"
  url = \"http://127.0.0.1:7357/api\"

By default, every process on this machine can connect. To listen on another address, set \
PROWESS_TOKEN to the token that clients must send (at least 16 bytes), name the host with --host, and use a reverse \
proxy with TLS.";

/// Arguments of `serve`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ServeArguments {
    /// Allow reading only, which is all that there is so far
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7357")]
    pub(crate) listen: SocketAddr,
    /// Additional host name to accept (repeatable)
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Environment variable that holds the token
    #[arg(long, value_name = "VARIABLE", default_value = "PROWESS_TOKEN")]
    pub(crate) token_env: String,
    /// Seconds between refreshes of the sources
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) refresh_seconds: u64,
    /// Log each request to standard error
    #[arg(long)]
    pub(crate) log: bool,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print the address as JSON when the server is ready
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &ServeArguments, global: &Global) -> Result<Exit> {
    let (options, http) = options(arguments)?;
    options.check(arguments.listen).map_err(|error| {
        let variable = &arguments.token_env;
        CommandError::from(error).hint(format!("set {variable} to a token, or listen on 127.0.0.1"))
    })?;
    let skills = open::skills(&arguments.sources, global)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?;
    runtime.block_on(listen(arguments, global, skills, options, http))?;
    Ok(Exit::Success)
}

/// The least length of a token: shorter ones can be guessed.
const TOKEN_BYTES: usize = 16;

/// Access control of the skills API and of MCP.
fn options(arguments: &ServeArguments) -> Result<(ApiOptions, HttpOptions)> {
    let mut options = ApiOptions::default();
    let mut http = HttpOptions::default();
    let mut hosts = arguments.hosts.clone();
    let address = arguments.listen.ip();
    if !address.is_unspecified() {
        hosts.push(address.to_string());
    }
    http.hosts = ["localhost", "127.0.0.1", "::1"]
        .map(str::to_owned)
        .to_vec();
    for host in hosts {
        options = options.host(&host)?;
        http.hosts.push(host);
    }
    if let Some(token) = std::env::var_os(&arguments.token_env) {
        let token = token
            .to_str()
            .context("invalid token: not UTF-8")?
            .to_owned();
        if token.len() < TOKEN_BYTES {
            let variable = &arguments.token_env;
            let message = format!(
                "invalid token in {variable}: expected at least {TOKEN_BYTES} bytes, found {}",
                token.len()
            );
            return Err(CommandError::failure(message).hint(format!(
                "run `export {variable}=$(openssl rand -hex 32)`, or unset it"
            )));
        }
        options = options.token(&token)?;
        http.token = Some(Secret::new(token));
    }
    if arguments.log {
        options = options.observer(|exchange: &Exchange| {
            let Exchange {
                method,
                path,
                status,
                took,
                ..
            } = exchange;
            let line = format!("{method} {path} {status} {took:.1?}");
            terminal::note(&terminal::printable(&line));
        });
    }
    Ok((options, http))
}

async fn listen(
    arguments: &ServeArguments,
    global: &Global,
    skills: Skills,
    options: ApiOptions,
    http: HttpOptions,
) -> Result<()> {
    let address = arguments.listen;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))?;
    let stopped = stopped()?;
    let url = format!("http://{}/api", listener.local_addr()?);
    if arguments.json {
        super::print_json(&json!({"url": url, "skills": skills.catalog().len()}))?;
    } else if !global.quiet {
        let skills = match skills.catalog().len() {
            1 => "1 skill".to_owned(),
            count => format!("{count} skills"),
        };
        terminal::note(&format!(
            "serving {skills} at {url} (read-only) and at /mcp; press Ctrl-C to stop"
        ));
    }
    let mcp = SkillsServer::new(skills.clone(), ServerOptions::default());
    let changed = mcp.clone();
    // Files are watched, other sources are polled.
    let _watch = prowess_sources::watch(&skills, move |_| changed.notify_changed());
    let router = router(skills.clone(), options).merge(http_service(&mcp, &http));
    let fresh = keep_fresh(skills, Duration::from_secs(arguments.refresh_seconds));
    tokio::select! {
        never = fresh => match never {},
        () = serve(listener, router, stopped) => {}
    }
    Ok(())
}

/// Resolves when the program should stop. Listens from the call on, so that a client can stop the server as soon as it
/// is ready.
#[cfg(unix)]
fn stopped() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt()).context("cannot listen for signals")?;
    let mut terminated = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn stopped() -> Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
