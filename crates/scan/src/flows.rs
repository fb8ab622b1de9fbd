//! Facts about code as findings.

use std::collections::BTreeMap;

use crate::acts::Surroundings;
use crate::address::Address;
use crate::base::{base_rule, is_known_installer};
use crate::code::{
    AgentFile, Analysis, Arrangement, CapabilityKind, Flow, FlowKind, Startup, StepKind, Store,
    UnparsedReason,
};
use crate::code_units::{CodeUnit, UnitKind};
use crate::decoded::{Decoded, Way, scan_decoded};
use crate::excerpt::{excerpt, visible};
use crate::limits::{MESSAGE_CHARS, RULE_FINDINGS};
use crate::lost_parser;
use crate::report::{Evidence, Finding, NotRead, Omitted, Reason, Report, Severity};
use crate::rule::Grade;
use crate::rule_id::RuleId;

/// Adds findings about the code of a whole skill to those of the other rules.
pub(crate) fn report(
    units: &[CodeUnit],
    analysis: &Analysis,
    around: &Surroundings,
    report: &mut Report,
) {
    let flows = analysis
        .flows
        .iter()
        .filter_map(|flow| finding(units, flow, around));
    let mut all: Vec<Finding> = flows
        .chain(beyond_purpose(units, analysis, around))
        .collect();
    all.extend(derived(units, analysis));
    all.extend(lost_parser::findings(units, analysis));
    // The same way through two functions is one finding, and of several on a line the worst counts.
    all.sort_by(|a, b| {
        (&a.rule, &a.file, a.start.line, a.severity, a.start).cmp(&(
            &b.rule,
            &b.file,
            b.start.line,
            b.severity,
            b.start,
        ))
    });
    all.dedup_by(|later, kept| {
        later.rule == kept.rule && later.file == kept.file && later.start.line == kept.start.line
    });
    // If there are too many, the most severe ones are reported.
    all.sort_by_key(|finding| finding.severity);
    let mut counts: BTreeMap<(String, RuleId), usize> = BTreeMap::new();
    for finding in all {
        if is_known(&finding, report) {
            continue;
        }
        let count = counts
            .entry((finding.file.clone(), finding.rule.clone()))
            .or_default();
        *count += 1;
        if *count <= RULE_FINDINGS {
            report.findings.push(finding);
        }
    }
    report
        .omitted
        .extend(counts.into_iter().filter_map(|((file, rule), count)| {
            let count = count
                .checked_sub(RULE_FINDINGS)
                .filter(|count| *count > 0)?;
            Some(Omitted { file, rule, count })
        }));
    report.not_read.extend(not_read(units, analysis));
    report.not_read.sort();
    report.not_read.dedup();
}

/// Rules over text that find the same as a flow does.
const SAME: &[(&str, &[&str])] = &[
    ("remote-code", &["download-to-shell", "download-then-run"]),
    (
        "decoded-code",
        &["encoded-execution", "encoded-payload", "obfuscated-command"],
    ),
    (
        "encoded-payload",
        &["encoded-execution", "encoded-payload", "obfuscated-command"],
    ),
    (
        "secret-to-network",
        &["credential-exfiltration", "private-key-read"],
    ),
    ("environment-exfiltration", &["environment-exfiltration"]),
    (
        "persistence",
        &[
            "startup-file",
            "scheduled-job",
            "authorized-keys",
            "git-hook",
        ],
    ),
    ("agent-tampering", &["agent-memory", "agent-settings"]),
    ("remote-to-agent", &["agent-memory", "agent-settings"]),
    ("reverse-shell", &["reverse-shell"]),
    ("destructive-command", &["destructive-command"]),
];

/// Whether a rule over text found the same on one of the lines, and at least as bad; it gets the chain of evidence then.
fn is_known(finding: &Finding, report: &mut Report) -> bool {
    let Some((_, same)) = SAME.iter().find(|(rule, _)| *rule == finding.rule.as_str()) else {
        return false;
    };
    let is_counted =
        |omitted: &Omitted| omitted.file == finding.file && same.contains(&omitted.rule.as_str());
    let counted = report.omitted.iter().any(is_counted);
    let is_same = |other: &Finding| {
        let holds = |file: &str, line: usize| {
            file == other.file && (other.start.line..=other.end.line).contains(&line)
        };
        let step = |step: &Evidence| holds(&step.file, step.start.line);
        same.contains(&other.rule.as_str())
            && other.severity <= finding.severity
            && (holds(&finding.file, finding.start.line)
                || finding.evidence.iter().any(step)
                || counted && other.file == finding.file)
    };
    let Some(other) = report.findings.iter_mut().find(|other| is_same(other)) else {
        return false;
    };
    if other.evidence.is_empty() {
        other.evidence.clone_from(&finding.evidence);
    }
    true
}

fn finding(units: &[CodeUnit], flow: &Flow, around: &Surroundings) -> Option<Finding> {
    let sink = flow.steps.last()?;
    let unit = units.get(sink.unit)?;
    let (id, grade) = judge(flow, &sink.kind, around);
    let rule = base_rule(id)?;
    let severity = match grade {
        Grade::Keep => rule.severity,
        Grade::As(severity) => severity,
        Grade::Skip => return None,
    };
    let evidence = flow
        .steps
        .iter()
        .filter_map(|step| {
            let unit = units.get(step.unit)?;
            Some(Evidence {
                file: unit.path.clone(),
                start: unit.position(step.span.start),
                excerpt: excerpt(&unit.source, step.span),
                what: visible(&step.kind.to_string(), MESSAGE_CHARS),
            })
        })
        .collect();
    Some(Finding {
        rule: RuleId::base(rule.id),
        severity,
        file: unit.path.clone(),
        start: unit.position(sink.span.start),
        end: unit.position(sink.span.end),
        excerpt: excerpt(&unit.source, sink.span),
        message: rule.message.to_owned(),
        help: rule.help.to_owned(),
        evidence,
    })
}

/// The rule of a flow, and how bad it is.
fn judge(flow: &Flow, sink: &StepKind, around: &Surroundings) -> (&'static str, Grade) {
    let low_if = |condition: bool| {
        if condition {
            Grade::As(Severity::Low)
        } else {
            Grade::Keep
        }
    };
    let (rule, grade) = match flow.kind {
        FlowKind::SecretToNetwork => ("secret-to-network", secret(flow)),
        FlowKind::PersonalToNetwork => ("personal-to-network", Grade::Keep),
        FlowKind::EnvironmentToNetwork => ("environment-exfiltration", Grade::Keep),
        FlowKind::FileToNetwork => ("beyond-purpose", upload(around)),
        FlowKind::RemoteToExecution => ("remote-code", remote(flow)),
        FlowKind::DecodedToExecution => ("decoded-code", Grade::Keep),
        FlowKind::ControlFileToExecution => ("control-file-code", Grade::Keep),
        FlowKind::RemoteToAgent => ("remote-to-agent", low_if(is_agent(sink, AgentFile::Skill))),
        FlowKind::Persistence => ("persistence", persistence(sink)),
        FlowKind::AgentTampering => {
            let lasts = is_agent(sink, AgentFile::Lasting);
            ("agent-tampering", low_if(!lasts))
        }
        FlowKind::ReverseShell => ("reverse-shell", Grade::Keep),
        FlowKind::Destruction => ("destructive-command", Grade::Keep),
        FlowKind::ConditionalTrigger => ("conditional-trigger", Grade::Keep),
    };
    // What is not listed may be the worst of its kind.
    match sink {
        StepKind::More => (rule, Grade::Keep),
        _ => (rule, grade),
    }
}

fn is_agent(step: &StepKind, wanted: AgentFile) -> bool {
    matches!(step, StepKind::WritesAgent { file, .. } if *file == wanted)
}

/// A program's own entry of a keychain is how it logs in.
fn secret(flow: &Flow) -> Grade {
    let source = flow.steps.first().map(|step| &step.kind);
    let store = Store::KeychainEntry;
    if matches!(source, Some(StepKind::Opens { store: opened, .. }) if *opened == store) {
        Grade::As(Severity::Medium)
    } else {
        Grade::Keep
    }
}

/// An upload of a file is what many skills are for.
fn upload(around: &Surroundings) -> Grade {
    const SERVICES: &[&str] = &[
        "api",
        "transcri*",
        "convert",
        "conversion",
        "generat*",
        "analy*",
        "ocr",
    ];
    let told = around.mentions_sending() || around.mentions(SERVICES);
    if told || around.description.is_empty() {
        Grade::As(Severity::Info)
    } else {
        Grade::As(Severity::Medium)
    }
}

/// How bad code from the network is.
fn remote(flow: &Flow) -> Grade {
    let origin = flow.steps.iter().find_map(|step| match &step.kind {
        StepKind::Receives { from, .. } => Some((from, false)),
        StepKind::Clones(from) => Some((from, true)),
        _ => None,
    });
    // A file that is there first can be looked at.
    let rests = flow.steps.iter().any(|step| {
        matches!(
            step.kind,
            StepKind::Saved(_) | StepKind::Unpacked | StepKind::Imported { .. }
        )
    });
    let address = origin.and_then(|(origin, _)| origin.address.as_ref());
    match origin {
        _ if address.is_some_and(is_known_installer) => Grade::As(Severity::Info),
        Some((origin, _)) if origin.is_anonymous => Grade::Keep,
        Some((_, true)) => Grade::As(Severity::Low),
        _ if address.is_some_and(Address::is_vendor) => Grade::As(Severity::Low),
        _ if rests => Grade::As(Severity::Medium),
        _ => Grade::Keep,
    }
}

/// How bad it is that something runs later; what people put into the files of their shells is usual.
fn persistence(sink: &StepKind) -> Grade {
    match sink {
        StepKind::WritesStartup {
            content: Startup::Settings | Startup::PublicKey,
            ..
        }
        | StepKind::Arranges(Arrangement::CrontabEditor | Arrangement::EnabledService) => {
            Grade::As(Severity::Info)
        }
        _ => Grade::Keep,
    }
}

/// What a description must mention for code that reaches for such things.
const PURPOSES: &[(CapabilityKind, &[&str])] = &[
    (
        CapabilityKind::ReadsPersonal,
        &[
            "browser",
            "cookie",
            "chrome",
            "firefox",
            "history",
            "session",
            "bookmark",
            "wallet",
            "crypto",
            "message",
            "chat",
            "mail",
            "contact",
            "transcript",
            "conversation",
            "memory",
            "clipboard",
            "screenshot",
            "screen",
            "document",
            "download",
            "photo",
            "backup",
            "forensic",
            "log",
            "claude",
            "codex",
            "agent",
            "usage",
            "shell",
            "terminal",
            "home",
            "note",
            "calendar",
            "telegram",
            "slack",
            "login",
            "scrap",
            "crawl",
        ],
    ),
    (
        CapabilityKind::ReadsSecret,
        &[
            "ssh",
            "key",
            "credential",
            "secret",
            "vault",
            "password",
            "token",
            "auth",
            "login",
            "aws",
            "cloud",
            "azure",
            "gcp",
            "google",
            "kube",
            "docker",
            "git",
            "deploy",
            "server",
            "remote",
            "env",
            "config",
            "api",
            "registry",
            "npm",
            "pypi",
            "publish",
            "security",
            "audit",
            "sign",
            "certificate",
            "keychain",
            "backup",
            "database",
            "terraform",
            "infrastructure",
            "account",
        ],
    ),
    (
        CapabilityKind::Keyboard,
        &[
            "key",
            "keyboard",
            "input",
            "macro",
            "automat",
            "hotkey",
            "shortcut",
            "game",
            "control",
            "terminal",
            "interactive",
        ],
    ),
    (
        CapabilityKind::Clipboard,
        &[
            "clipboard",
            "copy",
            "paste",
            "snippet",
            "automat",
            "desktop",
            "text",
            "password",
        ],
    ),
    (
        CapabilityKind::Microphone,
        &[
            "audio",
            "record",
            "voice",
            "speech",
            "transcri",
            "microphone",
            "sound",
            "meeting",
            "call",
        ],
    ),
    (
        CapabilityKind::Camera,
        &[
            "camera", "photo", "video", "webcam", "vision", "image", "picture", "scan",
        ],
    ),
    (CapabilityKind::Miner, &["mining", "miner"]),
];

/// What the code reaches for. A description that mentions it explains it, but does not make it vanish.
fn beyond_purpose<'a>(
    units: &'a [CodeUnit],
    analysis: &'a Analysis,
    around: &'a Surroundings,
) -> impl Iterator<Item = Finding> + 'a {
    let described = !around.description.is_empty();
    analysis
        .capabilities
        .iter()
        .filter(move |_| described)
        .filter_map(move |capability| {
            let (_, words) = PURPOSES.iter().find(|(kind, _)| *kind == capability.kind)?;
            let told = around.mentions(words);
            let unit = units.get(capability.unit)?;
            let rule = base_rule("beyond-purpose")?;
            let severity = if told { Severity::Info } else { rule.severity };
            let what = match capability.kind {
                CapabilityKind::ReadsPersonal => "reads personal data",
                CapabilityKind::ReadsSecret => "reads credentials",
                CapabilityKind::Keyboard => "listens to the keyboard",
                CapabilityKind::Clipboard => "reads the clipboard",
                CapabilityKind::Microphone => "records sound",
                CapabilityKind::Camera => "takes pictures",
                _ => "mines a currency",
            };
            let message = if told {
                format!(
                    "{what} ({}), which its description mentions",
                    capability.detail
                )
            } else {
                format!("{}: {what} ({})", rule.message, capability.detail)
            };
            Some(Finding {
                rule: RuleId::base(rule.id),
                severity,
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
fn not_read(units: &[CodeUnit], analysis: &Analysis) -> Vec<NotRead> {
    analysis
        .unparsed
        .iter()
        .filter_map(|part| {
            let unit = units.get(part.unit)?;
            // A block of a document leaves parts out; a reader sees all of it.
            if part.reason == UnparsedReason::SyntaxErrors && unit.kind() != UnitKind::File {
                return None;
            }
            Some(NotRead {
                file: unit.path.clone(),
                line: Some(unit.position(part.span.start).line),
                reason: Reason::NotAnalysed {
                    what: part.reason.as_str(),
                },
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
