//! Programs that change the system: deleting, installing, starting things later.

use super::super::facts::{CapabilityKind, FlowKind};
use super::super::known::paths::is_everything;
use super::super::step::{Arrangement, StepKind};
use super::super::value::{TaintKind, Value};
use super::Interpreter;
use super::command::Words;
use super::command_run::package_kind;

impl Interpreter<'_> {
    /// `rm`, `crontab`, `npm install` and the like.
    pub(super) fn run_system(&mut self, words: &Words) -> Option<Value> {
        let texts = words.texts();
        let span = words.span;
        match &*words.name {
            "rm" => {
                let recursive = texts.iter().any(|text| {
                    text.starts_with('-') && text.contains(['r', 'R']) || text == "--recursive"
                });
                if recursive {
                    for path in words.operands() {
                        self.remove_tree(&path, span, "rm");
                    }
                }
            }
            "shred" | "wipe" | "srm" => {
                for path in words.operands() {
                    if path.shown().starts_with("/dev/") || is_everything(&path.shown()) {
                        self.deed(
                            FlowKind::Destruction,
                            span,
                            StepKind::Destroys {
                                how: "overwrites",
                                what: path.shown().into(),
                                by: (&words.name).into(),
                            },
                        );
                    }
                }
            }
            "dd" => {
                for text in &texts {
                    if let Some(path) = text.strip_prefix("of=") {
                        self.write_file(&Value::text(path), &words.stdin, span, "dd");
                    }
                }
                if let Some(path) = texts.iter().find_map(|text| text.strip_prefix("if=")) {
                    return Some(self.read_file(&Value::text(path), span, "dd"));
                }
            }
            name if name.starts_with("mkfs")
                || name == "wipefs"
                || name == "fdisk"
                || name == "diskpart" =>
            {
                let disk = texts.iter().find(|text| text.starts_with("/dev/"))?;
                let image = disk.contains("loop");
                if !image {
                    self.deed(
                        FlowKind::Destruction,
                        span,
                        StepKind::Destroys {
                            how: "erases",
                            what: disk.into(),
                            by: name.into(),
                        },
                    );
                }
            }
            "mkfifo" | "mknod" => {
                self.files.insert("mkfifo".to_owned(), Value::unknown());
            }
            "crontab" => {
                let lists = texts.iter().any(|text| text == "-l" || text == "-r");
                if !lists {
                    self.capability(CapabilityKind::Persistence, span, "crontab");
                    let from = words.stdin.clone();
                    let taint = from
                        .taints
                        .iter()
                        .find(|taint| matches!(taint.kind, TaintKind::Remote | TaintKind::Decoded))
                        .cloned();
                    let edits = texts.iter().any(|text| text == "-e");
                    let what = StepKind::Arranges(if edits {
                        Arrangement::CrontabEditor
                    } else {
                        Arrangement::Crontab
                    });
                    match taint {
                        Some(taint) => self.flow(FlowKind::Persistence, &taint, span, what),
                        None => self.deed(FlowKind::Persistence, span, what),
                    }
                }
            }
            "at" | "batch"
                if !words.rest.is_empty()
                    || !matches!(words.stdin.data, super::super::value::Data::Unknown) =>
            {
                self.deed(
                    FlowKind::Persistence,
                    span,
                    StepKind::Arranges(Arrangement::At),
                );
            }
            "launchctl"
                if texts.iter().any(|text| {
                    matches!(text.as_str(), "load" | "bootstrap" | "submit" | "enable")
                }) =>
            {
                self.capability(CapabilityKind::Persistence, span, "launchctl");
                self.deed(
                    FlowKind::Persistence,
                    span,
                    StepKind::Arranges(Arrangement::Launchctl),
                );
            }
            "systemctl" if texts.iter().any(|text| text == "enable") => {
                self.capability(CapabilityKind::Persistence, span, "systemctl");
                self.deed(
                    FlowKind::Persistence,
                    span,
                    StepKind::Arranges(Arrangement::EnabledService),
                );
            }
            "schtasks"
                if texts
                    .iter()
                    .any(|text| text.eq_ignore_ascii_case("/create")) =>
            {
                self.capability(CapabilityKind::Persistence, span, "schtasks");
                self.deed(
                    FlowKind::Persistence,
                    span,
                    StepKind::Arranges(Arrangement::NewTask),
                );
            }
            "reg" if texts.iter().any(|text| text.eq_ignore_ascii_case("add")) => {
                let key = texts.join(" ").to_ascii_lowercase().replace('\\', "/");
                if key.contains("currentversion/run") || key.contains("winlogon") {
                    self.capability(CapabilityKind::Persistence, span, "registry");
                    self.deed(
                        FlowKind::Persistence,
                        span,
                        StepKind::Arranges(Arrangement::RunKey),
                    );
                }
            }
            "claude" | "codex" | "gemini" | "cursor-agent" | "opencode" => {
                return Some(self.agent_command(words, &texts));
            }
            "pip" | "pip3" | "npm" | "pnpm" | "yarn" | "bun" | "cargo" | "go" | "gem" | "brew"
            | "apt" | "apt-get" | "dnf" | "yum" | "pacman" | "apk" | "choco" | "winget"
            | "scoop" | "uv" | "conda" | "mamba" | "composer" | "dotnet" => {
                return self.install(words, &texts);
            }
            "xmrig" | "minerd" | "cpuminer" | "ethminer" | "cgminer" | "nbminer" => {
                self.capability(CapabilityKind::Miner, span, &words.name);
            }
            _ => return None,
        }
        Some(Value::unknown())
    }

    fn agent_command(&mut self, words: &Words, texts: &[String]) -> Value {
        let span = words.span;
        if texts.first().is_some_and(|first| first == "mcp")
            && texts.iter().any(|text| text == "add" || text == "add-json")
        {
            let remote = texts.iter().find(|text| text.contains("://"));
            match remote {
                Some(url) => {
                    let url = url.clone();
                    self.capability(CapabilityKind::RemoteMcp, span, &url);
                }
                None => self.capability(CapabilityKind::AgentFiles, span, "mcp add"),
            }
        }
        if texts
            .iter()
            .any(|text| text.contains("dangerously") || text == "--yolo")
        {
            self.deed(
                FlowKind::AgentTampering,
                span,
                StepKind::StartsAgent {
                    program: (&words.name).into(),
                },
            );
        }
        Value::unknown()
    }

    fn install(&mut self, words: &Words, texts: &[String]) -> Option<Value> {
        let verb_at = texts.iter().position(|text| {
            matches!(
                text.as_str(),
                "install" | "i" | "add" | "get" | "-S" | "isntall" | "require" | "tool" | "ci"
            )
        })?;
        if words.name == "uv" && !texts.iter().any(|text| text == "install" || text == "add") {
            return None;
        }
        let rest = texts.get(verb_at + 1..).unwrap_or_default();
        let mut packages: Vec<&String> = Vec::new();
        let mut skip = false;
        let mut index = None;
        for text in rest {
            if skip {
                skip = false;
                if index == Some(true) {
                    index = Some(false);
                    let detail = format!("{}: index {text} (index)", words.name);
                    self.capability(CapabilityKind::PackageInstall, words.span, &detail);
                }
                continue;
            }
            if text.starts_with("--index-url=")
                || text.starts_with("--extra-index-url=")
                || text.starts_with("--registry=")
            {
                let detail = format!("{}: {text} (index)", words.name);
                self.capability(CapabilityKind::PackageInstall, words.span, &detail);
                continue;
            }
            if matches!(
                text.as_str(),
                "-i" | "--index-url" | "--extra-index-url" | "--registry" | "--find-links" | "-f"
            ) && words.name.starts_with("pip")
            {
                index = Some(true);
                skip = true;
                continue;
            }
            if matches!(
                text.as_str(),
                "-r" | "--requirement"
                    | "-c"
                    | "--prefix"
                    | "--target"
                    | "-t"
                    | "--version"
                    | "--git"
            ) {
                skip = true;
                continue;
            }
            if !text.starts_with('-') && text != "install" {
                packages.push(text);
            }
        }
        if packages.is_empty() {
            self.capability(
                CapabilityKind::PackageInstall,
                words.span,
                &format!("{}: what the project lists (manifest)", words.name),
            );
        }
        for package in packages.into_iter().take(20) {
            let detail = format!("{}: {package} ({})", words.name, package_kind(package));
            self.capability(CapabilityKind::PackageInstall, words.span, &detail);
        }
        Some(Value::unknown())
    }
}
