//! From the bytes of a `SKILL.yaml` to a [`Manifest`].

use globset::Glob;

use super::document::{foreign, is_foreign, mapping};
use super::file_pattern::never_matches;
use super::keywords::{Backend, SkillType};
use super::languages::known_languages;
use super::reader::{Reader, Text};
use super::types::{
    Compatibility, Dependency, Implementation, InputSchema, Manifest, Prompt, SecurityRule,
    SecurityRules, Tool, Triggers, WikiSection,
};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::fields::{Skill, broken_rule};
use crate::levels::{Levels, Profile};
use crate::limits::FRONTMATTER_BYTES;
use crate::name::SkillName;
use crate::skill::{Context, is_valid, text};
use crate::span::Span;
use crate::suggest::nearest;
use crate::value::Mapping;

/// The outcome of parsing a manifest: always a value, never an error.
#[derive(Debug)]
pub struct ParsedManifest {
    /// The manifest, if nothing in it is an error and the file is not foreign.
    pub manifest: Option<Manifest>,
    /// All diagnostics, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a `SKILL.yaml`; `skill` is the `SKILL.md` beside it, if any.
///
/// Beside a skill, a [foreign](is_foreign) file is ignored with a warning.
///
/// ```
/// use prowess_spec::{Context, manifest};
///
/// let file = b"name: pdf\nversion: 1.0.0\ndescription: d\ntypes: [promt]\n";
/// let parsed = manifest::parse(file, &Context::default(), None);
/// assert!(parsed.manifest.is_none());
/// assert_eq!(parsed.diagnostics[0].code.id(), "unknown-value");
/// ```
pub fn parse(bytes: &[u8], context: &Context<'_>, skill: Option<&Skill>) -> ParsedManifest {
    let mut diagnostics = Vec::new();
    let manifest = parse_file(bytes, context, skill, &mut diagnostics);
    diagnostics.sort_by_key(|found| found.span);
    let valid = is_valid(&diagnostics, Profile::Load);
    if !valid && skill.is_some() && is_foreign(bytes) {
        return ParsedManifest {
            manifest: None,
            diagnostics: vec![foreign()],
        };
    }
    ParsedManifest {
        manifest: manifest.filter(|_| valid),
        diagnostics,
    }
}

fn parse_file(
    bytes: &[u8],
    context: &Context<'_>,
    skill: Option<&Skill>,
    out: &mut Vec<Diagnostic>,
) -> Option<Manifest> {
    if bytes.len() > FRONTMATTER_BYTES {
        let message = format!("the manifest is larger than {FRONTMATTER_BYTES} bytes");
        out.push(
            Diagnostic::new(Code::FrontmatterTooLarge, Span::at(0), message)
                .help("move long text to files that the manifest names"),
        );
        return None;
    }
    let file = match text(bytes) {
        Ok(file) => file,
        Err(diagnostic) => {
            out.push(*diagnostic);
            return None;
        }
    };
    let mapping = mapping(file, out)?;
    let mut reader = Reader { context, out };
    manifest(&mut reader, &mapping, skill)
}

const KEYS: &[&str] = &[
    "name",
    "version",
    "description",
    "types",
    "author",
    "license",
    "homepage",
    "triggers",
    "permissions",
    "dependencies",
    "implementation",
    "prompt",
    "tools",
    "security_rules",
    "wiki",
    "compatibility",
];

fn manifest(reader: &mut Reader<'_>, mapping: &Mapping, skill: Option<&Skill>) -> Option<Manifest> {
    reader.known_keys(mapping, KEYS);
    let top = Span::at(0);
    let name = reader.required(mapping, "name", top);
    let version = reader.required(mapping, "version", top);
    let description = reader.required(mapping, "description", top);
    let types = reader.keywords::<SkillType>(mapping, "types");
    if reader.items(mapping, "types").is_empty() && !mapping.get("types").is_some_and(is_scalar) {
        reader.missing("types", top);
    }
    if let Some(skill) = skill {
        agree(reader, "name", name.as_ref(), skill.name.as_str());
        agree(
            reader,
            "description",
            description.as_ref(),
            &skill.description,
        );
    }
    let name = name.and_then(|found| name_of(reader, &found));
    let version = version.and_then(|found| reader.version(&found));
    let text = |reader: &mut Reader<'_>, key| reader.text(mapping, key).map(|found| found.text);
    let author = text(reader, "author");
    let license = text(reader, "license");
    let homepage = text(reader, "homepage");
    let triggers = triggers(reader, mapping);
    let permissions = reader.keywords(mapping, "permissions");
    let dependencies = dependencies(reader, mapping);
    let security_rules = security_rules(reader, mapping);
    // Patterns are matched by the host.
    let has_patterns_only = !security_rules.rules.is_empty() && security_rules.scanners.is_empty();
    let needs_code = |kind: &SkillType| match kind {
        SkillType::Prompt => false,
        SkillType::SecurityRule => !has_patterns_only,
        _ => true,
    };
    let implementation = implementation(reader, mapping, types.iter().any(needs_code));
    let prompt = prompt(reader, mapping);
    let tools = tools(reader, mapping);
    let wiki = wiki(reader, mapping);
    let compatibility = compatibility(reader, mapping);
    Some(Manifest {
        name: name?,
        version: version?,
        description: description?.text,
        types,
        author,
        license,
        homepage,
        triggers,
        permissions,
        dependencies,
        implementation,
        prompt,
        tools,
        security_rules,
        wiki,
        compatibility,
    })
}

fn is_scalar(node: &crate::value::Node) -> bool {
    !node.is_null() && node.as_scalar().is_some()
}

fn agree(reader: &mut Reader<'_>, key: &str, here: Option<&Text>, there: &str) {
    if let Some(here) = here
        && here.text != there
    {
        let message = format!("`{key}` is `{}` here and `{there}` in SKILL.md", here.text);
        reader.report(
            Code::ManifestDisagrees,
            here.span,
            message,
            "use the same value in both files",
        );
    }
}

fn name_of(reader: &mut Reader<'_>, found: &Text) -> Option<SkillName> {
    match SkillName::parse(&found.text) {
        Ok(name) => Some(name),
        Err(broken) => {
            for rule in &broken {
                let diagnostic = broken_rule(rule, &found.text, found.span);
                reader.out.push(diagnostic.levels(Levels::FATAL));
            }
            None
        }
    }
}

fn triggers(reader: &mut Reader<'_>, mapping: &Mapping) -> Triggers {
    let Some(mapping) = reader.mapping(mapping, "triggers") else {
        return Triggers::default();
    };
    reader.known_keys(mapping, &["files", "keywords", "modes", "languages"]);
    let files = globs(reader, mapping, "files");
    for pattern in &files {
        if let Some(help) = never_matches(&pattern.text) {
            let message = format!("`{}` matches no file of a project", pattern.text);
            reader.report(Code::IneffectiveTrigger, pattern.span, message, help);
        }
    }
    let languages = reader.texts(mapping, "languages");
    for language in &languages {
        let lower = language.text.to_lowercase();
        if !known_languages().any(|known| known == lower) {
            let message = format!("unknown language `{}`", language.text);
            let help = match nearest(&lower, known_languages()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "known languages: {}",
                    known_languages().collect::<Vec<_>>().join(", ")
                ),
            };
            reader.report(Code::IneffectiveTrigger, language.span, message, help);
        }
    }
    for item in reader.items(mapping, "keywords") {
        if item
            .as_scalar()
            .is_some_and(|scalar| scalar.text.trim().is_empty())
        {
            let message = "empty keyword";
            reader.report(Code::InvalidTrigger, item.span, message, "remove it");
        }
    }
    Triggers {
        files: strings(files),
        keywords: reader.strings(mapping, "keywords"),
        modes: reader.keywords(mapping, "modes"),
        languages: strings(languages),
    }
}

fn strings(texts: Vec<Text>) -> Vec<String> {
    texts.into_iter().map(|found| found.text).collect()
}

fn globs(reader: &mut Reader<'_>, mapping: &Mapping, key: &str) -> Vec<Text> {
    let found = reader.texts(mapping, key);
    for pattern in &found {
        if let Err(error) = Glob::new(&pattern.text) {
            let message = format!("invalid glob pattern `{}`: {}", pattern.text, error.kind());
            reader.report(
                Code::InvalidTrigger,
                pattern.span,
                message,
                "write a pattern such as `src/**/*.rs`",
            );
        }
    }
    found
}

fn dependencies(reader: &mut Reader<'_>, mapping: &Mapping) -> Vec<Dependency> {
    let mut dependencies = Vec::new();
    for (item, span) in reader.mappings(mapping, "dependencies") {
        reader.known_keys(item, &["name", "version", "optional"]);
        let name = reader.required(item, "name", span);
        let span = name.as_ref().map_or(span, |found| found.span);
        let name = name.and_then(|found| name_of(reader, &found));
        let version = reader.range(item, "version").unwrap_or_default();
        let optional = reader.boolean(item, "optional");
        dependencies.extend(name.map(|name| Dependency {
            name,
            version,
            optional,
            span,
        }));
    }
    dependencies
}

fn implementation(
    reader: &mut Reader<'_>,
    mapping: &Mapping,
    needs_code: bool,
) -> Option<Implementation> {
    let entry = mapping
        .entry("implementation")
        .filter(|entry| !entry.value.is_null());
    let Some(entry) = entry else {
        if needs_code {
            let at = mapping
                .entry("types")
                .map(|entry| entry.value.span)
                .unwrap_or_default();
            let message = "missing `implementation`: these types require code";
            reader.report(
                Code::MissingBackend,
                at,
                message,
                "add `implementation` with `backend` and `entrypoint`",
            );
        }
        return None;
    };
    let mapping = reader.mapping(mapping, "implementation")?;
    reader.known_keys(mapping, &["backend", "entrypoint", "command"]);
    let backend = reader.text(mapping, "backend");
    if backend.is_none() {
        let message = "`implementation` has no `backend`";
        reader.report(
            Code::MissingBackend,
            entry.key_span,
            message,
            "add `backend: starlark`, `process` or `plugin`",
        );
    }
    let backend = backend.and_then(|found| reader.keyword::<Backend>("backend", &found));
    let command = reader.strings(mapping, "command");
    let entrypoint = reader.text(mapping, "entrypoint");
    if entrypoint.is_none() && command.is_empty() {
        let message = "`implementation` has no `entrypoint` and no `command`";
        reader.report(
            Code::MissingBackend,
            entry.key_span,
            message,
            "add `entrypoint:` with the file to run",
        );
    }
    if let Some(entry) = mapping.entry("command")
        && backend.is_some_and(|backend| backend != Backend::Process)
    {
        let message = "`command` requires the `process` backend";
        reader.report(
            Code::WrongType,
            entry.key_span,
            message,
            "use `entrypoint`, or `backend: process`",
        );
    }
    let entrypoint = entrypoint.and_then(|found| reader.file("entrypoint", &found));
    Some(Implementation {
        backend: backend?,
        entrypoint,
        command,
    })
}

fn prompt(reader: &mut Reader<'_>, mapping: &Mapping) -> Prompt {
    let Some(mapping) = reader.mapping(mapping, "prompt") else {
        return Prompt::default();
    };
    reader.known_keys(
        mapping,
        &["system_prompt_file", "context_files", "max_context_tokens"],
    );
    let system_prompt_file = reader.text(mapping, "system_prompt_file");
    let context_files = reader.texts(mapping, "context_files");
    Prompt {
        system_prompt_file: system_prompt_file
            .and_then(|found| reader.file("system_prompt_file", &found)),
        context_files: context_files
            .iter()
            .filter_map(|found| reader.file("context_files", found))
            .collect(),
        max_context_tokens: reader.number(mapping, "max_context_tokens"),
    }
}

fn tools(reader: &mut Reader<'_>, mapping: &Mapping) -> Vec<Tool> {
    let mut tools = Vec::new();
    for (item, span) in reader.mappings(mapping, "tools") {
        reader.known_keys(
            item,
            &["name", "description", "input_schema", "input_schema_file"],
        );
        let name = reader.required(item, "name", span);
        let description = reader.required(item, "description", span);
        let file = reader.text(item, "input_schema_file");
        let file = file.and_then(|found| reader.file("input_schema_file", &found));
        let inline = reader.mapping(item, "input_schema").cloned();
        let (Some(name), Some(description)) = (name, description) else {
            continue;
        };
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.text.len() > 64 || !name.text.chars().all(is_word) {
            let message = format!("invalid tool name `{}`", name.text);
            reader.report(
                Code::WrongType,
                name.span,
                message,
                "use 1 to 64 letters, digits, `_`, `-` and `.`",
            );
        }
        tools.push(Tool {
            name: name.text,
            description: description.text,
            input_schema: inline
                .map(InputSchema::Inline)
                .or(file.map(InputSchema::File)),
        });
    }
    tools
}

fn security_rules(reader: &mut Reader<'_>, mapping: &Mapping) -> SecurityRules {
    let Some(mapping) = reader.mapping(mapping, "security_rules") else {
        return SecurityRules::default();
    };
    reader.known_keys(mapping, &["rules", "scanners"]);
    let mut rules = Vec::new();
    for (item, span) in reader.mappings(mapping, "rules") {
        rules.extend(security_rule(reader, item, span));
    }
    SecurityRules {
        rules,
        scanners: reader.strings(mapping, "scanners"),
    }
}

fn security_rule(reader: &mut Reader<'_>, item: &Mapping, span: Span) -> Option<SecurityRule> {
    reader.known_keys(item, &["id", "pattern", "severity", "message", "files"]);
    let id = reader.required(item, "id", span);
    let pattern = reader.required(item, "pattern", span);
    let severity = reader.required(item, "severity", span);
    let message = reader.required(item, "message", span);
    let files = strings(globs(reader, item, "files"));
    let severity = severity.and_then(|found| reader.keyword("severity", &found));
    if let Some(pattern) = &pattern
        && let Err(error) = regex_syntax::parse(&pattern.text)
    {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default();
        let message = format!("invalid regular expression `{}`: {reason}", pattern.text);
        reader.report(
            Code::InvalidRule,
            pattern.span,
            message,
            "correct the pattern",
        );
    }
    Some(SecurityRule {
        id: id?.text,
        pattern: pattern?.text,
        severity: severity?,
        message: message?.text,
        files,
    })
}

fn wiki(reader: &mut Reader<'_>, mapping: &Mapping) -> Vec<WikiSection> {
    let Some(mapping) = reader.mapping(mapping, "wiki") else {
        return Vec::new();
    };
    reader.known_keys(mapping, &["sections"]);
    let mut sections = Vec::new();
    for (item, span) in reader.mappings(mapping, "sections") {
        reader.known_keys(item, &["title", "file"]);
        let title = reader.required(item, "title", span);
        let file = reader.required(item, "file", span);
        let file = file.and_then(|found| reader.file("file", &found));
        if let (Some(title), Some(file)) = (title, file) {
            let title = title.text;
            sections.push(WikiSection { title, file });
        }
    }
    sections
}

fn compatibility(reader: &mut Reader<'_>, mapping: &Mapping) -> Compatibility {
    let Some(mapping) = reader.mapping(mapping, "compatibility") else {
        return Compatibility::default();
    };
    reader.known_keys(mapping, &["prowess", "platforms"]);
    Compatibility {
        prowess: reader.range(mapping, "prowess"),
        platforms: reader.keywords(mapping, "platforms"),
    }
}
