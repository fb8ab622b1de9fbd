//! What is sent, to whom, and what comes back.

use prowess_spec::Span;

use super::super::facts::{CapabilityKind, FlowKind};
use super::super::known::functions::is_header;
use super::super::known::hosts::{belongs, host_of, is_local, is_valuable};
use super::super::step::{Origin, StepKind, Store};
use super::super::value::{Data, External, HOLE, TaintKind, Value};
use super::Interpreter;
use super::call::{Args, origin_of};

/// What an argument of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Url,
    Payload,
    /// Authentication, or an option that is not sent.
    Header,
}

impl Interpreter<'_> {
    /// A request; the address is argument `at`.
    pub(super) fn request(&mut self, name: &str, at: usize, args: &Args, span: Span) -> Value {
        let mut parts = Vec::new();
        let mut url = args.name("url").cloned().unwrap_or_else(|| args.at(at));
        if let Data::Map(entries) = &url.data {
            // `https.request({hostname, path})`, `axios({url})`
            let whole = url.clone();
            let host = ["url", "hostname", "host", "baseURL", "uri"]
                .iter()
                .find_map(|key| entries.get(*key))
                .cloned();
            self.roles(&whole, &mut parts);
            url = host.unwrap_or_default();
        }
        for (index, value) in args.positional.iter().enumerate() {
            if index == at {
                parts.push((Role::Url, value.clone()));
            } else if index > at {
                match &value.data {
                    Data::Map(_) => self.roles(value, &mut parts),
                    Data::Function(_) => {}
                    _ => parts.push((Role::Payload, value.clone())),
                }
            }
        }
        for (key, value) in &args.named {
            let role = if is_header(key) {
                Role::Header
            } else if &**key == "url" {
                Role::Url
            } else {
                Role::Payload
            };
            parts.push((role, value.clone()));
        }
        let response = self.send(&url, &parts, name, span, false);
        let functions = args.functions();
        if !functions.is_empty() {
            self.call_back(&functions, &[response.clone(), response.clone()], span);
        }
        response
    }

    /// The parts of a map of options, by their names.
    fn roles(&self, map: &Value, parts: &mut Vec<(Role, Value)>) {
        let Data::Map(entries) = &map.data else {
            return;
        };
        for (key, value) in entries.iter() {
            let role = if is_header(key) {
                Role::Header
            } else if matches!(&**key, "url" | "path" | "uri") {
                Role::Url
            } else {
                Role::Payload
            };
            parts.push((role, value.clone()));
        }
        // Marks of the whole map, such as a spread environment.
        parts.push((Role::Payload, Value::unknown().with(&map.taints)));
    }

    /// Data that goes out on an object that was connected before.
    pub(super) fn send_on(&mut self, external: &External, args: &Args, span: Span) -> Value {
        let url = match &external.origin {
            Some(origin) => Value::of(Data::Text(origin.clone())),
            None => Value::unknown(),
        };
        let name = &*external.name;
        let mut parts = Vec::new();
        let files = name.contains("upload_file")
            || name.ends_with("().put")
            || name.ends_with("upload_from_filename");
        for (index, value) in args.positional.iter().enumerate() {
            if files && index == 0 {
                let content = self.read_file(value, span, name);
                parts.push((Role::Payload, content));
            }
            match &value.data {
                Data::Map(_) if name.ends_with("request") && index >= 3 => {
                    parts.push((Role::Header, value.clone()));
                }
                _ => parts.push((Role::Payload, value.clone())),
            }
        }
        for (key, value) in &args.named {
            let role = if is_header(key) {
                Role::Header
            } else {
                Role::Payload
            };
            parts.push((role, value.clone()));
        }
        self.send(&url, &parts, name, span, false)
    }

    /// Makes a connection: what comes from it is remote, and a shell on it is a reverse shell.
    pub(super) fn connect(&mut self, external: &External, args: &Args, span: Span) -> Value {
        let origin = args.all().find_map(origin_of);
        let host = origin.as_deref().and_then(host_or_name);
        let origin_text = origin.clone();
        let shown = host.clone().unwrap_or_default();
        self.capability(CapabilityKind::Network, span, &shown);
        let local = host.as_deref().is_some_and(is_local);
        let mut value = Value::of(Data::External(External {
            name: External::new(&format!("{}()", external.name)).name,
            origin,
        }));
        if !local {
            let at = if shown.is_empty() {
                "a host".to_owned()
            } else {
                shown
            };
            let remote = self.taint(
                TaintKind::Remote,
                span,
                StepKind::Receives {
                    from: Origin::new(&at, origin_text.as_deref().unwrap_or_default()),
                    by: None,
                },
            );
            let socket = self.taint(TaintKind::Socket, span, StepKind::Connects(at.into()));
            value = value.with(&[remote, socket]);
        }
        // A listener without parameters is looked at later, when the connection has its name.
        if !external.name.starts_with("net.") && !external.name.starts_with("tls.") {
            let functions = args.functions();
            self.call_back(&functions, std::slice::from_ref(&value), span);
        }
        value
    }

    /// A method of something unknown that looks like a request: `session.post("https://…")`.
    pub(super) fn request_by_shape(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &Args,
        span: Span,
    ) -> Option<Value> {
        if let Data::External(external) = &receiver.data {
            // What a server object is asked for is not sent.
            if external.name.starts_with("express")
                || external.name.contains("Router")
                || external.name.contains("FastAPI")
            {
                return None;
            }
        }
        let sends = matches!(name, "post" | "put" | "patch" | "get" | "request" | "fetch");
        if !sends {
            return None;
        }
        let at = usize::from(name == "request");
        let url = args.name("url").cloned().unwrap_or_else(|| args.at(at));
        let text = url.as_text()?;
        let plain =
            text.starts_with("http://") || text.starts_with("https://") || text.starts_with("ws");
        plain.then(|| self.request(&format!("{name}()"), at, args, span))
    }

    /// Sends parts to an address, notes what must not leave, and gives the response.
    pub(super) fn send(
        &mut self,
        url: &Value,
        parts: &[(Role, Value)],
        by: &str,
        span: Span,
        lookup: bool,
    ) -> Value {
        let text = url.as_text();
        let host = text
            .as_deref()
            .and_then(if lookup { host_or_name } else { host_of });
        let shown = host.clone().unwrap_or_default();
        self.capability(CapabilityKind::Network, span, &shown);
        if host.as_deref().is_some_and(is_local) {
            return Value::external(&format!("{by}()"));
        }
        let file = text
            .as_deref()
            .is_some_and(|text| text.starts_with("file:"));
        let target = if shown.is_empty() {
            "the network".to_owned()
        } else {
            shown
        };
        for (role, value) in parts {
            let taints = self.taints_of(value, span);
            for taint in &taints {
                let kind = match (&taint.kind, role) {
                    (TaintKind::Secret, Role::Header) => {
                        // A token file that belongs to the service is how command line tools log in.
                        let source = &taint.trail.first().kind;
                        match &host {
                            Some(host) if !may_get(source, host) => FlowKind::SecretToNetwork,
                            _ => continue,
                        }
                    }
                    (TaintKind::Secret, _) => FlowKind::SecretToNetwork,
                    (TaintKind::SecretName(_), Role::Header) => continue,
                    (TaintKind::SecretName(name), _) => match &host {
                        Some(host) if is_valuable(name) && !belongs(name, host) => {
                            FlowKind::SecretToNetwork
                        }
                        _ => continue,
                    },
                    (TaintKind::Settings, Role::Payload) => FlowKind::SecretToNetwork,
                    (TaintKind::Personal, _) => FlowKind::PersonalToNetwork,
                    (TaintKind::Environment, Role::Payload | Role::Url) => {
                        FlowKind::EnvironmentToNetwork
                    }
                    (TaintKind::File | TaintKind::Outside, Role::Payload) => {
                        FlowKind::FileToNetwork
                    }
                    _ => continue,
                };
                self.flow(
                    kind,
                    taint,
                    span,
                    StepKind::Sent {
                        to: (&target).into(),
                        by: by.into(),
                        lookup,
                    },
                );
            }
        }
        if file {
            return Value::unknown();
        }
        let shown = match &text {
            Some(text) if text.len() < 200 => text,
            _ => target.as_str(),
        };
        let from = Origin::new(shown, text.as_deref().unwrap_or_default());
        let received = StepKind::Receives {
            from,
            by: Some(by.into()),
        };
        let remote = self.taint(TaintKind::Remote, span, received);
        Value::of(Data::External(External {
            name: External::new(&format!("{by}()")).name,
            origin: text,
        }))
        .with(&[remote])
    }
}

/// Whether what a step reads is the login of the host.
fn may_get(source: &StepKind, host: &str) -> bool {
    match source {
        StepKind::Reads { owner, .. } => owner.may_get(host),
        // A store of logins has one for each host.
        StepKind::Opens { store, .. } => matches!(store, Store::KeychainEntry | Store::Login),
        _ => false,
    }
}

/// A host with or without a scheme; a bare name counts too.
fn host_or_name(text: &str) -> Option<String> {
    host_of(text).or_else(|| {
        let name: String = text.replace(HOLE, "*");
        let plain = !name.is_empty()
            && name.len() < 100
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '*' | ':' | '_'));
        plain.then_some(name)
    })
}
