//! `prowess serve`: the skills over HTTP.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use prowess_core::Skills;
use prowess_mcp::{HttpOptions, ServerOptions, SkillsServer, http_service};
use prowess_server::{
    AcceptedToken, ApiOptions, Chats, Code, Exchange, TokenTable, keep_fresh, router_with, serve,
};
use prowess_store::Store;
use serde_json::json;
use tokio::net::TcpListener;

use crate::arguments::{Global, SourceArguments};
use crate::code_skills::{open_existing_store, open_store};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::serve_chats::{Disconnected, ServedChats, raise_file_limit};
use crate::{configuration, model, open, terminal};

const HELP: &str = "\
Examples:
  prowess serve                                    serve the skills found here
  prowess serve --bind 127.0.0.1:8080 --log=json   on another port, with a log

To use this server from another Prowess, add to its prowess.toml:
  [[skills.repositories]]
  name = \"team\"
  type = \"http\"
  url = \"http://127.0.0.1:7777/api\"

By default, every process on this machine can read. To listen on another address, create a token \
with `prowess token create`, or set PROWESS_TOKEN to one that allows everything (at least 16 \
bytes); then every client must send a token. Name the host with --host, and use a reverse proxy \
with TLS.";

/// The form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people.
    Text,
    /// A line of JSON.
    Json,
}

/// How long turns may continue after the server was asked to stop.
const TURN_GRACE: Duration = Duration::from_secs(20);

/// How often tokens are read from the store, and their uses written to it.
const TOKENS: Duration = Duration::from_secs(2);

/// The least length of a token: shorter ones can be guessed.
const TOKEN_BYTES: usize = 16;

/// Arguments of `serve`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ServeArguments {
    /// Allow reading only, which is all that there is so far
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Address and port to listen on
    #[arg(
        long,
        alias = "listen",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:7777"
    )]
    pub(crate) bind: SocketAddr,
    /// Additional host name to accept (repeatable)
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Environment variable that holds the token
    #[arg(long, value_name = "VARIABLE", default_value = "PROWESS_TOKEN")]
    pub(crate) token_env: String,
    /// What happens to a turn of a chat when its client closes the last event stream
    #[arg(long, value_name = "ACTION", default_value = "finish")]
    pub(crate) on_disconnect: Disconnected,
    /// Seconds between refreshes of the sources
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) refresh_seconds: u64,
    /// Log each request to standard error, as text or as a line of JSON
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) log: Option<LogFormat>,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print the address as JSON when the server is ready
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &ServeArguments, global: &Global) -> Result<Exit> {
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let config = configuration::load(global)?;
    // The skills can be read without a store; only the token of the environment counts then.
    let opened = runtime.block_on(async {
        if arguments.read_only {
            open_existing_store(&config).await
        } else {
            open_store(&config).await
        }
    });
    let store = match opened {
        Ok(store) => Some(store),
        Err(error) => {
            terminal::note(&format!(
                "warning: {}: stored tokens are unknown, and chats are unavailable",
                error.message
            ));
            None
        }
    };
    let tokens = StoredTokens {
        store,
        table: TokenTable::default(),
    };
    let has_tokens = runtime.block_on(tokens.synchronise());
    let (mut options, http) = options(arguments)?;
    options = options.tokens(tokens.table.clone());
    if has_tokens && !arguments.bind.ip().to_canonical().is_loopback() {
        options = options.only_with_token();
    }
    options.check(arguments.bind).map_err(|error| {
        let variable = &arguments.token_env;
        CommandError::from(error).hint(format!(
            "create a token with `prowess token create NAME`, set {variable} to one, or listen on 127.0.0.1"
        ))
    })?;
    let window = model::configured_window(&config);
    let skills = open::skills_with(&config, window, &arguments.sources, global, |it| it)?;
    let chats = match tokens.store.clone().filter(|_| !arguments.read_only) {
        Some(store) => {
            let host = ServedChats::new(skills.clone(), config, store, global);
            Some(host.chats(arguments.on_disconnect)?)
        }
        None => None,
    };
    runtime.block_on(listen(
        arguments, global, skills, options, http, tokens, chats,
    ))?;
    Ok(Exit::Success)
}

/// The tokens of the store, as the server knows them.
struct StoredTokens {
    store: Option<Store>,
    table: TokenTable,
}

impl StoredTokens {
    /// Writes the uses of tokens and reads all tokens again; returns whether there are any. A store that fails leaves
    /// the tokens as they are.
    async fn synchronise(&self) -> bool {
        let Some(store) = &self.store else {
            return false;
        };
        let uses = self.table.take_uses();
        if !uses.is_empty() {
            let _ = store.note_token_uses(uses).await;
        }
        let Ok(records) = store.tokens().await else {
            return false;
        };
        let tokens: Vec<AcceptedToken> = records
            .iter()
            .filter_map(|it| AcceptedToken::restore(&it.id, &it.hash, &it.scopes, it.expires))
            .collect();
        let any = !tokens.is_empty();
        self.table.replace(tokens);
        any
    }

    async fn keep_synchronised(&self) -> Infallible {
        loop {
            tokio::time::sleep(TOKENS).await;
            self.synchronise().await;
        }
    }
}

/// Access control of the skills API and of MCP.
fn options(arguments: &ServeArguments) -> Result<(ApiOptions, HttpOptions)> {
    let mut options = ApiOptions::default();
    let mut http = HttpOptions::default();
    let mut hosts = arguments.hosts.clone();
    let address = arguments.bind.ip();
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
    }
    if let Some(format) = arguments.log {
        options = options.observer(move |exchange: &Exchange| {
            terminal::note(&log_line(format, exchange));
        });
    }
    Ok((options, http))
}

/// A request in the log. The query is not part of it: it can contain what a user typed.
fn log_line(format: LogFormat, exchange: &Exchange) -> String {
    let Exchange {
        method,
        path,
        status,
        took,
        ..
    } = exchange;
    match format {
        LogFormat::Text => terminal::printable(&format!("{method} {path} {status} {took:.1?}")),
        LogFormat::Json => json!({
            "time": Timestamp::now().to_string(),
            "request_id": exchange.request_id,
            "client": exchange.client.map(|it| it.ip().to_string()),
            "method": method.as_str(),
            "path": path,
            "status": status,
            "error": exchange.code.map(Code::as_str),
            "bytes": exchange.bytes,
            "duration_ms": (took.as_secs_f64() * 1e6).round() / 1e3,
        })
        .to_string(),
    }
}

async fn listen(
    arguments: &ServeArguments,
    global: &Global,
    skills: Skills,
    options: ApiOptions,
    http: HttpOptions,
    tokens: StoredTokens,
    chats: Option<Chats>,
) -> Result<()> {
    let address = arguments.bind;
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
    let mut more = http_service(&mcp, &http);
    if let Some(chats) = &chats {
        more = more.merge(chats.routes());
    }
    let router = router_with(skills.clone(), options, more);
    let stopped = async {
        stopped.await;
        // Event streams end with this, so that the connections can.
        if let Some(chats) = &chats {
            chats.close(TURN_GRACE).await;
        }
    };
    let fresh = keep_fresh(skills, Duration::from_secs(arguments.refresh_seconds));
    tokio::select! {
        never = fresh => match never {},
        never = tokens.keep_synchronised() => match never {},
        () = serve(listener, router, stopped) => {}
    }
    tokens.synchronise().await;
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
