//! Files: what is read from them, what is written to them, and what was written before.

use std::rc::Rc;

use prowess_spec::Span;

use super::super::facts::{CapabilityKind, FlowKind, UnparsedReason};
use super::super::known::paths::{
    ReadClass, WriteClass, agent_file, base_name, is_hook, is_temporary, owner_of, read_class,
    write_classes,
};
use super::super::known::startup::startup;
use super::super::step::StepKind;
use super::super::value::{Data, External, HOLE, TaintKind, Value};
use super::Interpreter;
use super::call::Args;
use super::text::plain_path;

/// Files that are remembered.
const FILES_MAX: usize = 500;

impl Interpreter<'_> {
    /// The content of a file, with the marks of what it holds.
    pub(super) fn read_file(&mut self, path: &Value, span: Span, by: &str) -> Value {
        let mut result = Value::unknown();
        let options = path.alternatives();
        for option in options {
            let Some(text) = option.as_text() else {
                // Which file is not known: the user names it.
                if !option.taints.iter().any(|taint| {
                    matches!(
                        taint.kind,
                        TaintKind::Remote | TaintKind::Secret | TaintKind::Personal
                    )
                }) {
                    let taint = self.taint(
                        TaintKind::File,
                        span,
                        StepKind::ReadsUnnamed { by: by.into() },
                    );
                    result.add_taints(&[taint]);
                }
                for taint in &option.taints {
                    if matches!(taint.kind, TaintKind::Secret | TaintKind::Personal) {
                        result.add_taints(std::slice::from_ref(taint));
                    }
                }
                continue;
            };
            let value = self.read_path(&text, span);
            for taint in &option.taints {
                if matches!(taint.kind, TaintKind::Secret | TaintKind::Personal) {
                    result.add_taints(std::slice::from_ref(taint));
                }
            }
            result.add_taints(&value.taints);
            if matches!(result.data, Data::Unknown) {
                result.data = value.data;
            }
        }
        result
    }

    /// The content of a file by its path.
    pub(super) fn read_path(&mut self, text: &str, span: Span) -> Value {
        let mut result = Value::unknown();
        if let Some(written) = self.written(text) {
            result = written;
        }
        let shown = text.replace(HOLE, "…");
        let kind = match read_class(text) {
            ReadClass::Secret => {
                self.capability(CapabilityKind::ReadsSecret, span, &shown);
                TaintKind::Secret
            }
            ReadClass::Personal => {
                self.capability(CapabilityKind::ReadsPersonal, span, &shown);
                TaintKind::Personal
            }
            ReadClass::Environment => {
                self.capability(CapabilityKind::ReadsEnvironment, span, "*");
                TaintKind::Environment
            }
            ReadClass::Settings => TaintKind::Settings,
            ReadClass::PublicKey if matches!(result.data, Data::Unknown) => TaintKind::PublicKey,
            ReadClass::Outside if matches!(result.data, Data::Unknown) => TaintKind::Outside,
            ReadClass::PublicKey | ReadClass::Outside | ReadClass::Other => {
                // A file of the skill itself is no secret, one of the project is the user's.
                let own = self.find_unit(text).is_some() || !result.taints.is_empty();
                if own || !text.contains(HOLE) && !text.contains("..") {
                    return result;
                }
                TaintKind::File
            }
        };
        let what = StepKind::Reads {
            path: text.into(),
            owner: owner_of(text),
        };
        let taint = self.taint(kind, span, what);
        result.with(&[taint])
    }

    /// What was written to a path, or to a file of that name, before.
    pub(super) fn written(&self, path: &str) -> Option<Value> {
        let plain = plain_path(path);
        if let Some(value) = self.files.get(&plain) {
            return Some(value.clone());
        }
        let name = base_name(&plain);
        for (known, value) in &self.files {
            // A directory that was unpacked or cloned.
            if let Some(folder) = known.strip_suffix('/')
                && !folder.is_empty()
                && (plain.starts_with(known.as_str())
                    || plain == folder
                    || plain.contains(&format!("/{folder}/")))
            {
                return Some(value.clone());
            }
            let same = name.len() >= 4
                && base_name(known) == name
                && !name.contains(HOLE)
                && !known.ends_with('/');
            if same && (!known.starts_with("/dev/fd/")) {
                return Some(value.clone());
            }
        }
        None
    }

    /// Notes that a file is written.
    pub(super) fn write_file(&mut self, path: &Value, content: &Value, span: Span, by: &str) {
        let taints = self.taints_of(content, span);
        for option in path.alternatives() {
            let Some(text) = option.as_text() else {
                continue;
            };
            let shown: String = text.replace(HOLE, "…").chars().take(160).collect();
            for class in write_classes(&text) {
                match class {
                    WriteClass::Persistence => {
                        self.capability(CapabilityKind::Persistence, span, &shown);
                        if is_hook(&text) {
                            self.capability(CapabilityKind::Hooks, span, &shown);
                        }
                        let what = StepKind::WritesStartup {
                            path: (&shown).into(),
                            by: by.into(),
                            content: startup(content, &taints),
                        };
                        self.write_deed(FlowKind::Persistence, &taints, span, what);
                    }
                    WriteClass::Agent if self.find_unit(&text).is_none() => {
                        self.capability(CapabilityKind::AgentFiles, span, &shown);
                        if is_hook(&text) {
                            self.capability(CapabilityKind::Hooks, span, &shown);
                        }
                        let what = |remote| StepKind::WritesAgent {
                            path: (&shown).into(),
                            by: by.into(),
                            file: agent_file(&text),
                            remote,
                        };
                        for taint in &taints {
                            if taint.kind == TaintKind::Remote {
                                self.flow(FlowKind::RemoteToAgent, taint, span, what(true));
                            }
                        }
                        self.write_deed(FlowKind::AgentTampering, &taints, span, what(false));
                    }
                    WriteClass::Outside => {
                        self.capability(CapabilityKind::WritesOutside, span, &shown);
                    }
                    WriteClass::Agent => {}
                }
            }
            if text.starts_with("/dev/sd")
                || text.starts_with("/dev/nvme")
                || text.starts_with("/dev/disk")
            {
                self.deed(
                    FlowKind::Destruction,
                    span,
                    StepKind::Destroys {
                        how: "overwrites",
                        what: (&shown).into(),
                        by: by.into(),
                    },
                );
            }
            let plain = plain_path(&text);
            if plain.is_empty()
                || plain == "/dev/null"
                || plain.starts_with("/dev/std")
                || plain == HOLE.to_string()
            {
                continue;
            }
            let mut value = Value::of(content.data.clone()).with(&taints);
            value.taints = self.onward(&value.taints, span, StepKind::Saved((&shown).into()));
            let is_full = self.files.len() >= FILES_MAX;
            match self.files.get_mut(&plain) {
                Some(known) => *known = value.join(known),
                None if is_full => {
                    let span = self.outer.unwrap_or(span);
                    self.facts
                        .unparsed(self.unit, span, UnparsedReason::StepsUsedUp);
                }
                None => {
                    self.files.insert(plain, value);
                }
            }
        }
    }

    fn write_deed(
        &mut self,
        kind: FlowKind,
        taints: &[super::super::value::Taint],
        span: Span,
        what: StepKind,
    ) {
        let from = taints
            .iter()
            .find(|taint| matches!(taint.kind, TaintKind::Remote | TaintKind::Decoded));
        match from {
            Some(taint) => {
                let taint = taint.clone();
                self.flow(kind, &taint, span, what);
            }
            None => self.deed(kind, span, what),
        }
    }

    /// Remembers a directory whose files all come from `content`.
    pub(super) fn unpack(&mut self, content: &Value, folder: &Value, span: Span) {
        let taints: Vec<_> = content
            .taints
            .iter()
            .filter(|taint| taint.kind == TaintKind::Remote)
            .cloned()
            .collect();
        if taints.is_empty() {
            return;
        }
        if self.files.len() >= FILES_MAX {
            let span = self.outer.unwrap_or(span);
            self.facts
                .unparsed(self.unit, span, UnparsedReason::StepsUsedUp);
            return;
        }
        let folder = folder.as_text().unwrap_or_else(|| "".into());
        let mut plain = plain_path(&folder);
        if plain.is_empty() || plain == "." || plain.contains(HOLE) {
            return;
        }
        plain.push('/');
        let taints = self.onward(&taints, span, StepKind::Unpacked);
        self.files.insert(plain, Value::unknown().with(&taints));
    }

    /// `open(path, mode)`.
    pub(super) fn open(&mut self, name: &str, args: &Args, span: Span) -> Value {
        let path = args.get("file", 0);
        let mode = args.get("mode", 1).shown();
        let writes = mode.contains(['w', 'a', 'x']) && !mode.contains(HOLE);
        let mut value = Value::of(Data::External(External {
            name: External::new(&format!("{name}()")).name,
            origin: path.as_text(),
        }));
        if writes {
            // The write itself comes later; that the file is opened for it says enough about special ones.
            let nothing = Value::unknown();
            if let Some(text) = path.as_text()
                && !write_classes(&text).is_empty()
            {
                self.write_file(&path, &nothing, span, name);
            }
        } else {
            let content = self.read_file(&path, span, name);
            value.taints = content.taints;
        }
        value
    }

    /// Methods of paths and of files.
    pub(super) fn file_method(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &Args,
        span: Span,
    ) -> Option<Value> {
        if let Data::External(external) = &receiver.data {
            return self.file_object_method(external, receiver, name, args, span);
        }
        let path = match &receiver.data {
            Data::Text(_) => receiver.clone(),
            Data::Unknown
                if matches!(
                    name,
                    "read_text" | "read_bytes" | "write_text" | "write_bytes"
                ) =>
            {
                receiver.clone()
            }
            Data::OneOf(_) if receiver.as_text().is_some() => receiver.clone(),
            _ => return None,
        };
        Some(match name {
            "read_text" | "read_bytes" => self.read_file(&path, span, name),
            "write_text" | "write_bytes" => {
                self.write_file(&path, &args.at(0), span, name);
                Value::unknown()
            }
            "open" if self.is_python() => {
                let mut all = vec![path];
                all.extend(args.positional.iter().cloned());
                let args = Args {
                    positional: all,
                    named: args.named.clone(),
                };
                self.open("open", &args, span)
            }
            "iterdir" | "glob" | "rglob" => {
                let mut full = path.clone();
                if let (Some(folder), Some(pattern)) = (path.as_text(), args.at(0).as_text()) {
                    full = Value::text(format!("{folder}/{pattern}"));
                }
                // The files below are of the kind of their directory.
                let content = self.read_file(&full, span, name);
                let inner = full
                    .as_text()
                    .map_or_else(|| HOLE.to_string(), |text| format!("{text}/{HOLE}"));
                let item = Value::text(inner);
                let mut list = Value::list(vec![item]);
                for taint in &content.taints {
                    if matches!(taint.kind, TaintKind::Secret | TaintKind::Personal) {
                        list.add_taints(std::slice::from_ref(taint));
                    }
                }
                list
            }
            "rename" | "replace" | "symlink_to" | "copy"
                if self.is_python() && args.positional.len() == 1 && name != "replace" =>
            {
                let content = self.read_file(&path, span, name);
                self.write_file(&args.at(0), &content, span, name);
                args.at(0)
            }
            "exists" | "is_file" | "is_dir" | "mkdir" | "unlink" | "touch" | "chmod" | "stat"
                if self.is_python() =>
            {
                Value::unknown()
            }
            _ => return None,
        })
    }

    fn file_object_method(
        &mut self,
        external: &External,
        receiver: &Value,
        name: &str,
        args: &Args,
        span: Span,
    ) -> Option<Value> {
        let base = &*external.name;
        let file = base.ends_with("open()")
            || base.ends_with("openSync()")
            || base.ends_with("createWriteStream()")
            || base.ends_with("NamedTemporaryFile()")
            || base.ends_with("ZipFile()")
            || base.ends_with("StreamWriter()");
        match name {
            "write" | "writelines" | "end" | "writestr" if file => {
                let path = external.origin.clone()?;
                let path = Value::of(Data::Text(path));
                self.write_file(&path, &args.at(0), span, name);
                Some(Value::unknown())
            }
            "write" | "add" if base.ends_with("ZipFile()") || base.ends_with("tarfile.open()") => {
                // A file goes into the archive.
                let content = self.read_file(&args.at(0), span, name);
                let path = Value::of(Data::Text(external.origin.clone()?));
                self.write_file(&path, &content, span, name);
                Some(Value::unknown())
            }
            "add" if file => {
                let content = self.read_file(&args.at(0), span, name);
                let path = Value::of(Data::Text(external.origin.clone()?));
                self.write_file(&path, &content, span, name);
                Some(Value::unknown())
            }
            "extractall" | "extract" if file => {
                let folder = args.get("path", usize::from(name == "extract"));
                let folder = if matches!(folder.data, Data::Unknown) {
                    Value::text("")
                } else {
                    folder
                };
                self.unpack(&receiver.clone(), &folder, span);
                Some(Value::unknown())
            }
            // A response that is streamed into a file.
            "pipe" | "pipeTo" | "pipeThrough" => {
                let target = args.at(0);
                if let Data::External(to) = &target.data {
                    if to.name.ends_with("createWriteStream()")
                        && let Some(path) = to.origin.clone()
                    {
                        let path = Value::of(Data::Text(path));
                        self.write_file(&path, receiver, span, name);
                    } else if to.name.contains("request") || to.name.starts_with("net.") {
                        let args = Args::of(vec![receiver.clone()]);
                        let external = External {
                            name: Rc::clone(&to.name),
                            origin: to.origin.clone(),
                        };
                        self.send_on(&external, &args, span);
                        if base.contains("child_process") && target.is_marked(&TaintKind::Socket) {
                            self.shell_on_socket(&target, span);
                        }
                    } else if to.name.contains("child_process")
                        && receiver.is_marked(&TaintKind::Socket)
                    {
                        self.shell_on_socket(&receiver.clone(), span);
                    }
                }
                Some(target.with(&receiver.taints))
            }
            // `Bun.file(x).text()`
            "text" | "json" | "read" | "readlines" | "readline" | "arrayBuffer" if file => {
                Some(Value::unknown().with(&receiver.taints))
            }
            "save" | "to_csv" | "to_json" if receiver.is_marked(&TaintKind::Personal) => {
                self.write_file(&args.at(0), receiver, span, name);
                Some(Value::unknown())
            }
            _ => None,
        }
    }

    /// The flow of a program whose input or output is a connection.
    pub(super) fn shell_on_socket(&mut self, socket: &Value, span: Span) {
        if let Some(taint) = socket
            .taints
            .iter()
            .find(|taint| taint.kind == TaintKind::Socket)
        {
            let taint = taint.clone();
            self.flow(
                FlowKind::ReverseShell,
                &taint,
                span,
                StepKind::Attaches { by: None },
            );
        }
    }

    /// Whether a path is outside of the skill in a place that others write to.
    pub(super) fn is_control_path(path: &str) -> bool {
        is_temporary(path) || path.to_ascii_lowercase().contains("%appdata%")
    }
}
