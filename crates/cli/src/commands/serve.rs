//! `prowess serve`: the skills over HTTP.

use std::convert::Infallible;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use prowess_core::Skills;
use prowess_mcp::{HttpOptions, ServerOptions, SkillsServer, http_service};
use prowess_registry::HostedRegistry;
use prowess_server::{
    AcceptedToken, ApiOptions, ApiOptionsError, Chats, ProxyNetwork, Scope, Scopes, Shutdown,
    TokenTable, administration, keep_fresh, registry_routes, router_with, serve_until,
};
use prowess_store::Store;
use serde_json::json;
use tokio::net::TcpListener;

use super::administration::ServedAdministration;
use super::serve_writable;
use crate::arguments::{Global, SourceArguments};
use crate::code_skills::{open_store_to_serve, store_exists};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::log::LogFormat;
use crate::serve_chats::{Disconnected, ServedChats, raise_file_limit};
use crate::{configuration, environment, model, serve_registry, terminal};

use super::serve_console as console;
use super::serve_rates::share_rate_limits;

const HELP: &str = "\
Examples:
  prowess serve                                    serve the skills found here
  prowess serve --bind 127.0.0.1:8080 --log=json   on another port, with a log
  prowess serve --seed ./skills                    fill an empty registry
  prowess serve --host skills.example.com          behind a reverse proxy

To use this server from another Prowess, add to its prowess.toml:
  [[skills.repositories]]
  name = \"team\"
  type = \"http\"
  url = \"http://127.0.0.1:7777/api\"

By default, every process on this machine can read. With --host or --trusted-proxy, and on any other \
address, every client needs a token; --public lets everyone read skills and packages. Create a token \
with `prowess token create`, or set PROWESS_TOKEN to one with the scope `admin` (at least 16 \
bytes); then every client must send a token. Name the host with --host, and use a reverse proxy \
with TLS.";

/// How often tokens are read from the store, and their uses written to it.
const TOKENS: Duration = Duration::from_secs(2);

/// Requests a second that each client of another machine may send.
const RATE_LIMIT: u32 = 100;

/// The least length of a token: shorter ones can be guessed.
const TOKEN_BYTES: usize = 16;

/// Arguments of `serve`.
#[derive(Args)]
#[command(after_long_help = HELP)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct ServeArguments {
    /// Refuse every request that changes something, and make no token for the console
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Address and port to listen on
    #[arg(
        long,
        alias = "listen",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:7777",
        value_parser = address
    )]
    pub(crate) bind: SocketAddr,
    /// Directory for skills that clients create [default: the skills directory of the project, or of the user]
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "read_only")]
    pub(crate) new_skills: Option<PathBuf>,
    /// Publish the skills of this directory if the registry is empty (repeatable)
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "read_only")]
    pub(crate) seed: Vec<PathBuf>,
    /// Additional host name to accept, which makes every request need a token (repeatable)
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Reverse proxy whose X-Forwarded-For names its clients; every request needs a token (repeatable)
    #[arg(long = "trusted-proxy", value_name = "ADDRESS|NETWORK")]
    pub(crate) trusted_proxies: Vec<ProxyNetwork>,
    /// Let everyone read skills and packages without a token, and nothing else
    #[arg(long)]
    pub(crate) public: bool,
    /// Environment variable that holds the token
    #[arg(long, value_name = "VARIABLE", default_value = "PROWESS_TOKEN")]
    pub(crate) token_env: String,
    /// Open the console in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Requests that each client may send in a second, 0 for any number [default: 0 on loopback, else 100]
    #[arg(long, value_name = "REQUESTS_PER_SECOND")]
    pub(crate) rate_limit: Option<u32>,
    /// Seconds to wait for requests to end when the server is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) drain_seconds: u64,
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
    let mut config = configuration::load(global)?;
    config.secret_variables.insert(arguments.token_env.clone());
    // A server without its store would acknowledge what it forgets, and refuse tokens that are valid.
    let store = runtime.block_on(async {
        if arguments.read_only && !store_exists(&config) {
            // Nothing is written, and there is nothing to read.
            Ok(Store::memory().await?)
        } else {
            open_store_to_serve(&config).await
        }
    })?;
    let tokens = StoredTokens {
        store,
        table: TokenTable::default(),
    };
    let has_tokens = runtime.block_on(tokens.synchronise());
    let (mut options, http) = options(arguments)?;
    options = options.tokens(tokens.table.clone());
    options = options.store(tokens.store.clone());
    let has_own = std::env::var_os(&arguments.token_env).is_some();
    if !arguments.bind.ip().to_canonical().is_loopback() {
        // No client could use it.
        if !(has_tokens || has_own || arguments.public) {
            let variable = &arguments.token_env;
            let error = ApiOptionsError::NeedsToken(arguments.bind);
            return Err(CommandError::from(error).hint(format!(
                "create a token with `prowess token create NAME`, set {variable} to one, or listen on 127.0.0.1"
            )));
        }
        options = options.only_with_token();
    }
    options.check(arguments.bind)?;
    let registry = runtime.block_on(serve_registry::open_filled(
        &arguments.seed,
        global,
        &config,
        &tokens.store,
    ))?;
    let window = model::configured_window(&config);
    let sources = SourceArguments {
        awaits_packages: true,
        ..arguments.sources.clone()
    };
    let (skills, new_skills) = serve_writable::open(arguments, &sources, &config, window, global)?;
    if !arguments.read_only {
        recover_removed(&runtime, &skills, global);
    }
    // What one client loads says nothing about another.
    crate::signals::set(&skills, &config, None, std::path::Path::new(""), global);
    if let Some(directory) = new_skills {
        options = options.new_skills(directory);
    }
    options = options.watched(environment::work_records());
    let stored = if arguments.read_only {
        None
    } else {
        let store = tokens.store.clone();
        let administration = ServedAdministration::new(
            config.clone(),
            store.clone(),
            skills.clone(),
            sources,
            &arguments.token_env,
            global,
        );
        let host = ServedChats::new(skills.clone(), config, store, global);
        let chats = host.chats(arguments.on_disconnect)?;
        Some((chats, Arc::new(administration)))
    };
    let services = Services {
        skills,
        tokens,
        stored,
        registry,
    };
    runtime.block_on(listen(arguments, global, options, http, services))?;
    // Work that does not end on its own is not waited for.
    runtime.shutdown_background();
    Ok(Exit::Success)
}

/// Puts back skills that a killed server was about to remove.
fn recover_removed(runtime: &tokio::runtime::Runtime, skills: &Skills, global: &Global) {
    let recovered = runtime.block_on(async {
        let mut back = 0;
        for writer in skills.sources().writers() {
            match writer.recover().await {
                Ok(count) => back += count,
                Err(error) => terminal::note(&format!(
                    "warning: cannot look for skills that were not removed completely: {error}"
                )),
            }
        }
        if back > 0 {
            skills.refresh().await;
        }
        back
    });
    if recovered > 0 {
        let skills = counted(recovered, "skill");
        note(
            global,
            &format!("put back {skills} that a stopped server was about to remove"),
        );
    }
}

/// Reads an address; `localhost` is the only name.
fn address(text: &str) -> std::result::Result<SocketAddr, String> {
    let text = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    let read = text.parse();
    read.map_err(|_| {
        "expected an address and a port, such as 127.0.0.1:7777 or [::1]:7777".to_owned()
    })
}

/// The tokens of the store, as the server knows them.
struct StoredTokens {
    store: Store,
    table: TokenTable,
}

impl StoredTokens {
    /// Writes the uses of tokens and reads all tokens again; returns whether there are any. A store that fails leaves
    /// the tokens as they are.
    async fn synchronise(&self) -> bool {
        let store = &self.store;
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
    for proxy in &arguments.trusted_proxies {
        options = options.trusted_proxy(*proxy);
    }
    if arguments.public {
        options = options.public();
    }
    if arguments.read_only {
        options = options.read_only();
    }
    let is_local = address.to_canonical().is_loopback()
        && arguments.hosts.is_empty()
        && arguments.trusted_proxies.is_empty();
    let default_limit = (!is_local).then_some(RATE_LIMIT);
    options = options.rate_limit(arguments.rate_limit.or(default_limit));
    Ok((options, http))
}

/// What is served.
struct Services {
    skills: Skills,
    tokens: StoredTokens,
    stored: Option<(Chats, Arc<ServedAdministration>)>,
    registry: Option<HostedRegistry>,
}

async fn listen(
    arguments: &ServeArguments,
    global: &Global,
    mut options: ApiOptions,
    http: HttpOptions,
    services: Services,
) -> Result<()> {
    let Services {
        skills,
        tokens,
        stored,
        registry,
    } = services;
    let address = arguments.bind;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
        .map_err(|error| {
            error.hint(
                "use another port with `--bind`, such as `--bind 127.0.0.1:0` for any free one",
            )
        })?;
    let mut signals = Interrupts::listen()?;
    let mut token = None;
    if !arguments.read_only {
        // Never stored: it is valid until the server stops.
        let scopes = Scopes::default().with(Scope::Admin).with(Scope::Approve);
        let (secret, _) = AcceptedToken::generate(scopes, None)
            .map_err(|error| CommandError::failure(format!("cannot create a token: {error}")))?;
        options = options.console_token(&secret)?;
        token = Some(secret);
    }
    let local = listener.local_addr()?;
    let console = console::url(local, token.as_deref());
    announce(
        arguments,
        global,
        &skills,
        registry.as_ref(),
        local,
        &console,
    )?;
    let _page = arguments.open.then(|| console::open(&console));
    let mcp = SkillsServer::new(skills.clone(), ServerOptions::default());
    let changed = mcp.clone();
    // Files are watched, other sources are polled.
    let _watch = prowess_sources::watch(&skills, move |_| changed.notify_changed());
    let shutdown = Shutdown::default();
    options = options.shutdown(&shutdown);
    let mut more = http_service(&mcp, &http);
    if let Some((chats, host)) = &stored {
        more = more.merge(chats.routes());
        more = more.merge(administration(Arc::<ServedAdministration>::clone(host)));
    }
    if let Some(registry) = &registry {
        more = more.merge(registry_routes(registry.clone()));
    }
    let limits = options.rate_limits();
    let router = router_with(skills.clone(), options, more);
    let fresh = keep_fresh(skills, Duration::from_secs(arguments.refresh_seconds));
    let drain = Duration::from_secs(arguments.drain_seconds);
    let waiting = |count| {
        let connections = counted(count, "connection");
        note(
            global,
            &format!("waiting for {connections}; press Ctrl-C to stop at once"),
        );
    };
    let stop = async {
        signals.either().await;
        note(global, "stopping: requests that were sent are answered");
        shutdown.begin();
        signals.either().await;
    };
    let close_chats = async {
        shutdown.begun().await;
        if let Some((chats, _)) = &stored {
            // Turns end first: the rest of the time is for their saves and for the streams that show their end.
            chats.close(drain).await;
        }
    };
    let serving = async {
        let serve = serve_until(listener, router, &shutdown, drain, waiting);
        tokio::join!(serve, close_chats).0
    };
    tokio::select! {
        never = fresh => match never {},
        never = tokens.keep_synchronised() => match never {},
        never = share_rate_limits(&tokens.store, limits) => match never {},
        never = serve_registry::keep_current(registry.as_ref()) => match never {},
        closed = serving => {
            if closed > 0 {
                let connections = counted(closed, "connection");
                let seconds = arguments.drain_seconds;
                note(global, &format!("closed {connections} after {seconds} s"));
            }
        }
        () = stop => note(global, "stopped at once"),
    }
    if let Some((chats, administration)) = &stored {
        // Stopped at once, or it took too long.
        chats.keep_unsaved();
        administration.stop();
    }
    tokens.synchronise().await;
    if let Some(registry) = &registry {
        registry.write_downloads().await;
    }
    Ok(())
}

/// Says where the server is, and to a user or a program also how to open its console.
fn announce(
    arguments: &ServeArguments,
    global: &Global,
    skills: &Skills,
    registry: Option<&HostedRegistry>,
    address: SocketAddr,
    console: &str,
) -> Result<()> {
    let url = format!("http://{address}/api");
    let count = skills.catalog().len();
    if arguments.json {
        let packages = registry.map(HostedRegistry::len);
        let line = json!({"url": url, "skills": count, "packages": packages, "console": console});
        super::print_json(&line)?;
        return Ok(());
    }
    let skills = counted(count, "skill");
    let access = if arguments.read_only {
        " (read-only)"
    } else {
        ""
    };
    note(
        global,
        &format!("serving {skills} at {url}{access} and at /mcp; press Ctrl-C to stop"),
    );
    if let Some(count) = registry.map(HostedRegistry::len).filter(|it| *it > 0) {
        let packages = counted(count, "package");
        note(
            global,
            &format!("registry: {packages}; `prowess login http://{address}` uses it"),
        );
    }
    // A log that collects standard error must not have the token.
    if std::io::stderr().is_terminal() {
        note(global, &format!("console: {console}"));
    }
    Ok(())
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

fn note(global: &Global, text: &str) {
    if !global.quiet {
        terminal::note(text);
    }
}
