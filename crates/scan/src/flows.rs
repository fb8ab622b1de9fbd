//! Facts about code as findings.

use std::collections::BTreeMap;

use crate::acts::{Surroundings, is_well_known};
use crate::base::{base_rule, is_known_installer};
use crate::code::{Analysis, CapabilityKind, Flow, FlowKind, UnparsedReason};
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
    // The same way through two functions is one finding.
    all.sort_by(|a, b| {
        (&a.rule, &a.file, a.start, a.severity).cmp(&(&b.rule, &b.file, b.start, b.severity))
    });
    all.dedup_by(|later, kept| {
        later.rule == kept.rule && later.file == kept.file && later.start.line == kept.start.line
    });
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

/// Whether a rule over text found the same on one of the lines; it gets the chain of evidence then.
fn is_known(finding: &Finding, report: &mut Report) -> bool {
    let Some((_, same)) = SAME.iter().find(|(rule, _)| *rule == finding.rule.as_str()) else {
        return false;
    };
    let is_omitted =
        |omitted: &Omitted| omitted.file == finding.file && same.contains(&omitted.rule.as_str());
    if report.omitted.iter().any(is_omitted) {
        return true;
    }
    let on_line = |other: &Finding| {
        let here = other.file == finding.file
            && (other.start.line..=other.end.line).contains(&finding.start.line);
        let step = |step: &Evidence| {
            step.file == other.file
                && (other.start.line..=other.end.line).contains(&step.start.line)
        };
        here || finding.evidence.iter().any(step)
    };
    match report
        .findings
        .iter_mut()
        .find(|other| same.contains(&other.rule.as_str()) && on_line(other))
    {
        // Rules over text know well-known installers, and what is usual in a terminal.
        Some(other)
            if other.severity <= finding.severity || finding.rule.as_str() == "remote-code" =>
        {
            if other.evidence.is_empty() {
                other.evidence.clone_from(&finding.evidence);
            }
            true
        }
        _ => false,
    }
}

fn finding(units: &[CodeUnit], flow: &Flow, around: &Surroundings) -> Option<Finding> {
    let sink = flow.steps.last()?;
    let unit = units.get(sink.unit)?;
    let (id, grade) = judge(flow, sink.span.slice(&unit.source), around);
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
                what: visible(&step.what, MESSAGE_CHARS),
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
fn judge(flow: &Flow, source: &str, around: &Surroundings) -> (&'static str, Grade) {
    let says = |words: &[&str]| {
        flow.steps.iter().any(|step| {
            let what = step.what.to_ascii_lowercase();
            words.iter().any(|word| what.contains(word))
        })
    };
    let low_if = |condition: bool| {
        if condition {
            Grade::As(Severity::Low)
        } else {
            Grade::Keep
        }
    };
    match flow.kind {
        // A program's own entry of a keychain is how it logs in.
        FlowKind::SecretToNetwork if says(&["keychain"]) => {
            ("secret-to-network", Grade::As(Severity::Medium))
        }
        FlowKind::SecretToNetwork => ("secret-to-network", Grade::Keep),
        FlowKind::PersonalToNetwork => ("personal-to-network", Grade::Keep),
        FlowKind::EnvironmentToNetwork => ("environment-exfiltration", Grade::Keep),
        FlowKind::FileToNetwork => ("beyond-purpose", upload(around)),
        FlowKind::RemoteToExecution => ("remote-code", remote(flow, &says)),
        FlowKind::DecodedToExecution => ("decoded-code", Grade::Keep),
        FlowKind::ControlFileToExecution => ("control-file-code", Grade::Keep),
        FlowKind::RemoteToAgent => ("remote-to-agent", low_if(says(&["/skills"]))),
        FlowKind::Persistence => ("persistence", persistence(source, &says)),
        FlowKind::AgentTampering => {
            let lasting = says(&["settings", "hook", "~/", "mcp.json"]) && !says(&["/skills"]);
            ("agent-tampering", low_if(!lasting))
        }
        FlowKind::ReverseShell => ("reverse-shell", Grade::Keep),
        FlowKind::Destruction => ("destructive-command", Grade::Keep),
        FlowKind::ConditionalTrigger => ("conditional-trigger", Grade::Keep),
    }
}

/// An upload of a file is what many skills are for.
fn upload(around: &Surroundings) -> Grade {
    const TOLD: &[&str] = &[
        "upload", "send", "share", "publish", "post", "sync", "deploy", "submit", "api",
        "transcri", "convert", "generat", "analy", "ocr",
    ];
    let told = TOLD.iter().any(|word| around.description.contains(word));
    if told || around.description.is_empty() {
        Grade::Skip
    } else {
        Grade::As(Severity::Medium)
    }
}

/// How bad code from the network is; well-known installers are left out.
fn remote(flow: &Flow, says: &dyn Fn(&[&str]) -> bool) -> Grade {
    let address = flow.steps.iter().find_map(|step| {
        let at = step.what.find("://")?;
        let start = step.what.get(..at)?.rfind(' ').map_or(0, |blank| blank + 1);
        step.what
            .get(start..)?
            .split(' ')
            .next()
            .map(str::to_ascii_lowercase)
    });
    let address = address.unwrap_or_default();
    if is_known_installer(&address) {
        return Grade::Skip;
    }
    let host = address.split("://").nth(1).unwrap_or_default();
    let suspicious = host.starts_with(|c: char| c.is_ascii_digit()) || address.starts_with("http:");
    if says(&["clones "]) {
        Grade::As(Severity::Low)
    } else if suspicious {
        Grade::Keep
    } else if is_well_known(&address) {
        Grade::As(Severity::Low)
    } else if says(&["written to", "loaded by import", "unpacked"]) {
        Grade::As(Severity::Medium)
    } else {
        Grade::Keep
    }
}

/// How bad it is that something runs later; what people put into the files of their shells is left out.
fn persistence(source: &str, says: &dyn Fn(&[&str]) -> bool) -> Grade {
    let usual = [
        "export ",
        "alias ",
        "path=",
        "eval \"$(",
        "eval '$(",
        ".pub",
        "crontab -e",
        "crontab -l",
    ];
    let harmful = [
        "curl", "wget", "base64", "nohup", "python", "node ", "/dev/tcp", "bash -", "sh -c", " &",
    ];
    let source = source.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| source.contains(word));
    if has(&usual) && !has(&harmful) {
        Grade::Skip
    } else if says(&["enables a service"]) {
        Grade::As(Severity::Info)
    } else {
        Grade::Keep
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
