//! Facts about code as findings.

use crate::acts::Surroundings;
use crate::base::{base_rule, is_known_installer};
use crate::code::{Analysis, CapabilityKind, Flow, FlowKind};
use crate::code_units::CodeUnit;
use crate::decoded::{Decoded, Way, scan_decoded};
use crate::excerpt::{excerpt, visible};
use crate::limits::MESSAGE_CHARS;
use crate::report::{Evidence, Finding, NotRead, Reason, Severity};
use crate::rule_id::RuleId;

/// Findings about the code of a whole skill.
pub(crate) fn findings(units: &[CodeUnit], analysis: &Analysis, around: &Surroundings) -> Vec<Finding> {
    let flows = analysis.flows.iter().filter_map(|flow| finding(units, flow, around));
    let mut all: Vec<Finding> = flows.chain(beyond_purpose(units, analysis, around)).collect();
    // The same way through two functions is one finding.
    all.extend(derived(units, analysis));
    all.sort_by(|a, b| (&a.rule, &a.file, a.start, a.severity).cmp(&(&b.rule, &b.file, b.start, b.severity)));
    all.dedup_by(|later, kept| later.rule == kept.rule && later.file == kept.file && later.start.line == kept.start.line);
    all
}

fn finding(units: &[CodeUnit], flow: &Flow, around: &Surroundings) -> Option<Finding> {
    let (id, severity) = judge(flow, around)?;
    let rule = base_rule(id)?;
    let sink = flow.steps.last()?;
    let unit = units.get(sink.unit)?;
    let evidence = flow
        .steps
        .iter()
        .filter_map(|step| {
            let unit = units.get(step.unit)?;
            Some(Evidence {
                file: unit.path.clone(),
                start: unit.position(step.span.start),
                excerpt: excerpt(&unit.source, step.span),
                what: visible(&step.what, MESSAGE_CHARS),
            })
        })
        .collect();
    Some(Finding {
        rule: RuleId::base(rule.id),
        severity: severity.unwrap_or(rule.severity),
        file: unit.path.clone(),
        start: unit.position(sink.span.start),
        end: unit.position(sink.span.end),
        excerpt: excerpt(&unit.source, sink.span),
        message: rule.message.to_owned(),
        help: rule.help.to_owned(),
        evidence,
    })
}

/// The rule of a flow, and its severity if it is not that of the rule.
fn judge(flow: &Flow, around: &Surroundings) -> Option<(&'static str, Option<Severity>)> {
    let says = |words: &[&str]| {
        flow.steps.iter().any(|step| {
            let what = step.what.to_ascii_lowercase();
            words.iter().any(|word| what.contains(word))
        })
    };
    Some(match flow.kind {
        FlowKind::SecretToNetwork => ("secret-to-network", None),
        FlowKind::PersonalToNetwork => ("personal-to-network", None),
        FlowKind::EnvironmentToNetwork => ("environment-exfiltration", None),
        FlowKind::FileToNetwork => {
            // What a skill for uploads does.
            let told = ["upload", "send", "share", "publish", "post", "sync", "deploy", "submit", "api", "transcri", "convert", "generat", "analy", "ocr"];
            if told.iter().any(|word| around.description.contains(word)) {
                return None;
            }
            ("beyond-purpose", Some(Severity::Low))
        }
        FlowKind::RemoteToExecution => {
            let addresses: Vec<String> = flow.steps.iter().map(|step| step.what.to_ascii_lowercase()).collect();
            if addresses.iter().any(|what| is_known_installer(what)) {
                return None;
            }
            ("remote-code", None)
        }
        FlowKind::DecodedToExecution => ("decoded-code", None),
        FlowKind::ControlFileToExecution => ("control-file-code", None),
        FlowKind::RemoteToAgent => ("remote-to-agent", None),
        FlowKind::Persistence => ("persistence", None),
        FlowKind::AgentTampering => {
            let lasting = says(&["settings", "hook", "~/", "mcp", "home"]);
            ("agent-tampering", (!lasting).then_some(Severity::Low))
        }
        FlowKind::ReverseShell => ("reverse-shell", None),
        FlowKind::Destruction => ("destructive-command", None),
        FlowKind::ConditionalTrigger => ("conditional-trigger", None),
    })
}

/// What a description must mention for code that reaches for such things.
const PURPOSES: &[(CapabilityKind, &[&str])] = &[
    (
        CapabilityKind::ReadsPersonal,
        &[
            "browser", "cookie", "chrome", "firefox", "history", "session", "bookmark", "wallet", "crypto", "message", "chat", "mail", "contact",
            "transcript", "conversation", "memory", "clipboard", "screenshot", "screen", "document", "download", "photo", "backup", "forensic", "log",
            "claude", "codex", "agent", "usage", "shell", "terminal", "home", "note", "calendar", "telegram", "slack", "login", "scrap", "crawl",
        ],
    ),
    (
        CapabilityKind::ReadsSecret,
        &[
            "ssh", "key", "credential", "secret", "vault", "password", "token", "auth", "login", "aws", "cloud", "azure", "gcp", "google", "kube",
            "docker", "git", "deploy", "server", "remote", "env", "config", "api", "registry", "npm", "pypi", "publish", "security", "audit", "sign",
            "certificate", "keychain", "backup", "database", "terraform", "infrastructure", "account",
        ],
    ),
    (CapabilityKind::Keyboard, &["key", "keyboard", "input", "macro", "automat", "hotkey", "shortcut", "game", "control", "terminal", "interactive"]),
    (CapabilityKind::Clipboard, &["clipboard", "copy", "paste", "snippet", "automat", "desktop", "text", "password"]),
    (CapabilityKind::Microphone, &["audio", "record", "voice", "speech", "transcri", "microphone", "sound", "meeting", "call"]),
    (CapabilityKind::Camera, &["camera", "photo", "video", "webcam", "vision", "image", "picture", "scan"]),
    (CapabilityKind::Miner, &["mining", "miner"]),
];

fn beyond_purpose<'a>(units: &'a [CodeUnit], analysis: &'a Analysis, around: &'a Surroundings) -> impl Iterator<Item = Finding> + 'a {
    let described = !around.description.is_empty();
    analysis.capabilities.iter().filter(move |_| described).filter_map(move |capability| {
        let (_, words) = PURPOSES.iter().find(|(kind, _)| *kind == capability.kind)?;
        let told = words.iter().any(|word| around.description.contains(word));
        let unit = units.get(capability.unit).filter(|_| !told)?;
        let rule = base_rule("beyond-purpose")?;
        let what = match capability.kind {
            CapabilityKind::ReadsPersonal => "reads personal data",
            CapabilityKind::ReadsSecret => "reads credentials",
            CapabilityKind::Keyboard => "listens to the keyboard",
            CapabilityKind::Clipboard => "reads the clipboard",
            CapabilityKind::Microphone => "records sound",
            CapabilityKind::Camera => "takes pictures",
            _ => "mines a currency",
        };
        let message = format!("{}: {what} ({})", rule.message, capability.detail);
        Some(Finding {
            rule: RuleId::base(rule.id),
            severity: rule.severity,
            file: unit.path.clone(),
            start: unit.position(capability.span.start),
            end: unit.position(capability.span.end),
            excerpt: excerpt(&unit.source, capability.span),
            message: visible(&message, MESSAGE_CHARS),
            help: rule.help.to_owned(),
            evidence: Vec::new(),
        })
    })
}

/// Code that was not analysed.
pub(crate) fn not_read(units: &[CodeUnit], analysis: &Analysis) -> Vec<NotRead> {
    analysis
        .unparsed
        .iter()
        .filter_map(|part| {
            let unit = units.get(part.unit)?;
            Some(NotRead {
                file: unit.path.clone(),
                line: Some(unit.position(part.span.start).line),
                reason: Reason::NotAnalysed { what: part.reason.as_str() },
            })
        })
        .collect()
}

/// Findings of the other rules in texts that only exist after folding.
fn derived(units: &[CodeUnit], analysis: &Analysis) -> Vec<Finding> {
    let texts = analysis.texts.iter().filter_map(|derived| {
        let unit = units.get(derived.unit)?;
        let decoded = Decoded::new(derived.text.clone(), derived.span, Way::Computed);
        let hit = scan_decoded(&decoded)?;
        Some(Finding {
            rule: hit.rule,
            severity: hit.severity,
            file: unit.path.clone(),
            start: unit.position(derived.span.start),
            end: unit.position(derived.span.end),
            excerpt: excerpt(&unit.source, derived.span),
            message: visible(&hit.message, MESSAGE_CHARS),
            help: hit.help,
            evidence: Vec::new(),
        })
    });
    texts.collect()
}
