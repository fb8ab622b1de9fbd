//! The address of the console of `serve`, and opening it.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::thread;

use tempfile::NamedTempFile;

use crate::terminal;

/// The address, with the token in the fragment: no browser sends that to a server, and no server logs it.
pub(super) fn url(mut address: SocketAddr, token: Option<&str>) -> String {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    match token {
        Some(token) => format!("http://{address}/#token={token}"),
        None => format!("http://{address}/"),
    }
}

/// Opens a page in the browser. Every user of the machine can see the arguments of a program, so the address with the
/// token is in a file that only this user can read, and that the browser follows. Keep the file while the server runs.
pub(super) fn open(url: &str) -> Option<NamedTempFile> {
    let file = match page(url) {
        Ok(file) => file,
        Err(error) => {
            note(&error.to_string());
            return None;
        }
    };
    let mut command = browser();
    command
        .arg(file.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.spawn() {
        Ok(mut child) => {
            // A browser may run for as long as its window is open.
            thread::spawn(move || match child.wait() {
                Ok(status) if !status.success() => note(&status.to_string()),
                _ => {}
            });
        }
        Err(error) => note(&format!("{}: {error}", command.get_program().display())),
    }
    Some(file)
}

fn note(reason: &str) {
    terminal::note(&format!("note: cannot open the browser: {reason}"));
}

/// A page that leads to another. Neither the address nor the token has a character that HTML would read as its own.
fn page(url: &str) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix("prowess-").suffix(".html").tempfile()?;
    writeln!(
        file,
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><title>Prowess</title><a href=\"{url}\">Open Prowess</a>"
    )?;
    file.flush()?;
    Ok(file)
}

fn browser() -> Command {
    if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else {
        Command::new("xdg-open")
    }
}
