//! `prowess serve`: the skills over HTTP.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use prowess_config::Secret;
use prowess_core::Skills;
use prowess_mcp::{HttpOptions, ServerOptions, SkillsServer, http_service};
use prowess_server::{Exchange, Options, keep_fresh, router, serve};
use serde_json::json;
use tokio::net::TcpListener;

use crate::cli::{Global, ServeArguments};
use crate::exit::Exit;
use crate::{open, terminal};

pub(crate) fn run(arguments: &ServeArguments, global: &Global) -> Result<Exit> {
    if !arguments.read_only {
        bail!("nothing can be written over HTTP yet; say `prowess serve --read-only`");
    }
    let (options, http) = options(arguments)?;
    options.check(arguments.listen).with_context(|| {
        let variable = &arguments.token_env;
        format!("set {variable} to a token, or listen on 127.0.0.1")
    })?;
    let skills = open::skills(&arguments.place, global)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?;
    runtime.block_on(listen(arguments, global, skills, options, http))?;
    Ok(Exit::Success)
}

/// Who may ask, for the skills API and for MCP.
fn options(arguments: &ServeArguments) -> Result<(Options, HttpOptions)> {
    let mut options = Options::default();
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
        let token = token.to_str().context("the token is not UTF-8")?.to_owned();
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
    options: Options,
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
            "{skills} at {url}, read-only, and at /mcp; Ctrl-C stops"
        ));
    }
    let mcp = SkillsServer::new(skills.clone(), ServerOptions::default());
    let changed = mcp.clone();
    // Files are watched, everything else is asked again from time to time.
    let _watch = prowess_sources::watch(&skills, move |_| changed.notify_changed());
    let router = router(skills.clone(), options).merge(http_service(&mcp, &http));
    let fresh = keep_fresh(skills, Duration::from_secs(arguments.refresh));
    tokio::select! {
        never = fresh => match never {},
        () = serve(listener, router, stopped) => {}
    }
    Ok(())
}

/// Ends when somebody wants the program to. It listens for that from the moment of the call, so whoever was told
/// that the server is ready can already stop it.
#[cfg(unix)]
fn stopped() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt()).context("cannot hear signals")?;
    let mut terminated = signal(SignalKind::terminate()).context("cannot hear signals")?;
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
