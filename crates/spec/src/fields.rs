//! From the frontmatter's mapping to a typed skill.

use serde::Serialize;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
use crate::field::{Field, Meaning, meaning};
use crate::frame::Frame;
use crate::levels::Levels;
use crate::limits::{COMPATIBILITY_CHARS, DESCRIPTION_CHARS, NAME_CHARS};
use crate::name::{NameRule, SkillName, normalize};
use crate::quote::quote;
use crate::render::plain_scalar;
use crate::span::Span;
use crate::suggest::did_you_mean;
use crate::tools::allowed_tools;
use crate::value::{Mapping, MappingEntry, Node, Resolved, Scalar, Value};

/// The typed frontmatter of a skill; the frontmatter itself is preserved beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Skill {
    /// The name under which the skill loads.
    pub name: SkillName,
    /// The description: what the skill does and when to use it.
    pub description: String,
    /// The licence, or where to find it.
    pub license: Option<String>,
    /// The requirements of the skill.
    pub compatibility: Option<String>,
    /// Further keys and values, in order; other values than text are preserved as written, or as JSON.
    pub metadata: Vec<(String, String)>,
    /// The tools that the skill may use without asking.
    pub allowed_tools: Vec<String>,
    /// The required capabilities of the host.
    pub requires_capabilities: Vec<String>,
    /// The fields of well-known clients.
    pub client: ClientFields,
    /// Everything that was written, in order.
    pub frontmatter: Mapping,
}

/// Fields that well-known clients define beyond the standard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClientFields {
    /// Only people may start the skill.
    pub disable_model_invocation: Option<bool>,
    /// People may start the skill by name.
    pub user_invocable: Option<bool>,
    /// The expected arguments.
    pub argument_hint: Option<String>,
    /// More on when to use the skill.
    pub when_to_use: Option<String>,
    /// The author's version.
    pub version: Option<String>,
    /// The model to use.
    pub model: Option<String>,
    /// Where to run: `fork` means a separate agent.
    pub context: Option<String>,
}

pub(crate) fn skill(
    file: &str,
    frame: Frame,
    frontmatter: Mapping,
    directory: Option<&str>,
    out: &mut Vec<Diagnostic>,
) -> Option<Skill> {
    let mut reader = Reader {
        file,
        missing_at: Span::at(frame.frontmatter.start),
        directory,
        out,
    };
    let mut fields = Fields::default();
    for entry in &frontmatter.entries {
        match meaning(entry, &frontmatter) {
            Meaning::Field(field) => reader.field(field, entry, &mut fields),
            Meaning::Misspelt(field) => {
                reader.misspelt(field, entry);
                reader.field(field, entry, &mut fields);
            }
            Meaning::Unknown => reader.unknown(entry),
        }
    }
    let name = reader.name(fields.name);
    let description = fields.description.or_else(|| {
        reader.missing(Field::Description, Levels::FATAL);
        None
    });
    Some(Skill {
        name: name?,
        description: description?,
        license: fields.license,
        compatibility: fields.compatibility,
        metadata: fields.metadata,
        allowed_tools: fields.allowed_tools,
        requires_capabilities: fields.requires_capabilities,
        client: fields.client,
        frontmatter,
    })
}

#[derive(Default)]
struct Fields {
    name: Option<(String, Span)>,
    description: Option<String>,
    license: Option<String>,
    compatibility: Option<String>,
    metadata: Vec<(String, String)>,
    allowed_tools: Vec<String>,
    requires_capabilities: Vec<String>,
    client: ClientFields,
}

struct Reader<'a> {
    file: &'a str,
    missing_at: Span,
    directory: Option<&'a str>,
    out: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.out
            .push(Diagnostic::new(code, span, message).help(help));
    }

    fn field(&mut self, field: Field, entry: &MappingEntry, fields: &mut Fields) {
        let node = &entry.value;
        let client = &mut fields.client;
        match field {
            Field::Name => {
                fields.name = self.text(field, node).map(|name| (name, node.span));
            }
            Field::Description => {
                fields.description = self.text(field, node);
                self.length(
                    fields.description.as_ref(),
                    DESCRIPTION_CHARS,
                    Code::DescriptionTooLong,
                    node,
                );
            }
            Field::License => fields.license = self.text(field, node),
            Field::Compatibility => {
                fields.compatibility = self.text(field, node);
                self.length(
                    fields.compatibility.as_ref(),
                    COMPATIBILITY_CHARS,
                    Code::CompatibilityTooLong,
                    node,
                );
                if fields.compatibility.is_none() {
                    let message = "`compatibility` is empty";
                    self.report(
                        Code::EmptyField,
                        entry.key_span,
                        message,
                        "describe the requirements, or remove the field",
                    );
                }
            }
            Field::Metadata => fields.metadata = self.metadata(node),
            Field::AllowedTools => fields.allowed_tools = self.allowed_tools(node),
            Field::RequiresCapabilities => {
                fields.requires_capabilities = self.capabilities(node);
            }
            Field::DisableModelInvocation => {
                client.disable_model_invocation = self.boolean(field, node);
            }
            Field::UserInvocable => client.user_invocable = self.boolean(field, node),
            Field::ArgumentHint => client.argument_hint = self.source(node),
            Field::WhenToUse => client.when_to_use = self.source(node),
            Field::Version => client.version = self.source(node),
            Field::Model => client.model = self.source(node),
            Field::Context => client.context = self.source(node),
        }
    }

    /// A field of the standard that must be text. Blank text counts as missing.
    fn text(&mut self, field: Field, node: &Node) -> Option<String> {
        let (text, is_text) = match &node.value {
            Value::Scalar(scalar) if scalar.resolve() == Resolved::Null => return None,
            Value::Scalar(scalar) => (scalar.text.trim().to_owned(), !scalar.is_ambiguous()),
            Value::Sequence(_) | Value::Mapping(_) => (node.to_json(), false),
        };
        if !is_text {
            let kind = match node.value.kind() {
                "text" => "a boolean in older YAML",
                kind => kind,
            };
            let message = format!("`{}` must be text, found {kind}", field.key());
            let quoted = quote(&text);
            let diagnostic = Diagnostic::new(Code::NotAString, node.span, message);
            self.out.push(if node.as_scalar().is_some() {
                let help = format!("write `{}: {quoted}`", field.key());
                diagnostic
                    .help(help)
                    .fix(vec![Edit::new(node.span, quoted)])
            } else {
                diagnostic.help("write one line of text")
            });
        }
        (!text.is_empty()).then_some(text)
    }

    fn length(&mut self, text: Option<&String>, limit: usize, code: Code, node: &Node) {
        let length = text.map_or(0, |text| text.chars().count());
        if length > limit {
            let message = format!("{length} characters; the standard allows {limit}");
            self.report(
                code,
                node.span,
                message,
                format!("shorten it by {} characters", length - limit),
            );
        }
    }

    /// A client's field: whatever was written, as it was written.
    fn source(&self, node: &Node) -> Option<String> {
        let text = match &node.value {
            Value::Scalar(scalar) if scalar.resolve() == Resolved::Null => return None,
            Value::Scalar(scalar) => scalar.text.trim(),
            // `[file] [options]` is a hint that happens to look like a list.
            Value::Sequence(_) | Value::Mapping(_) => node.span.slice(self.file),
        };
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn boolean(&mut self, field: Field, node: &Node) -> Option<bool> {
        let text = node
            .as_scalar()
            .map(|scalar| scalar.text.to_ascii_lowercase());
        let value = match text.as_deref() {
            Some("true" | "yes" | "on") => Some(true),
            Some("false" | "no" | "off") => Some(false),
            _ => None,
        };
        let exact = node
            .as_scalar()
            .map(|scalar| matches!(scalar.resolve(), Resolved::Bool(_)));
        if exact != Some(true) {
            let message = format!("`{}` must be `true` or `false`", field.key());
            let found = Diagnostic::new(Code::WrongType, node.span, message);
            self.out.push(match value {
                Some(value) => found
                    .help(format!("write `{}: {value}`", field.key()))
                    .fix(vec![Edit::new(node.span, value.to_string())]),
                None => found.help("write `true` or `false`, or remove the field"),
            });
        }
        value
    }

    fn metadata(&mut self, node: &Node) -> Vec<(String, String)> {
        let Some(mapping) = node.as_mapping() else {
            if !node.is_null() {
                let message = format!("`metadata` must be a mapping, found {}", node.value.kind());
                self.report(
                    Code::MetadataNotAMap,
                    node.span,
                    message,
                    "indent `key: value` lines under `metadata:`",
                );
            }
            return Vec::new();
        };
        let mut metadata = Vec::with_capacity(mapping.entries.len());
        for entry in &mapping.entries {
            let (text, is_text) = match &entry.value.value {
                Value::Scalar(scalar) => (scalar.text.clone(), !scalar.is_ambiguous()),
                Value::Sequence(_) | Value::Mapping(_) => (entry.value.to_json(), false),
            };
            if !is_text {
                self.metadata_not_a_string(entry, &text);
            }
            metadata.push((entry.key.clone(), text));
        }
        metadata
    }

    fn metadata_not_a_string(&mut self, entry: &MappingEntry, text: &str) {
        let message = format!(
            "the value of `{}` is not text; clients see `{text}`",
            entry.key
        );
        let found = Diagnostic::new(Code::MetadataNotAString, entry.value.span, message);
        let quoted = quote(text);
        self.out.push(match &entry.value.value {
            Value::Scalar(scalar) if !scalar.text.is_empty() => found
                .help(format!("write `{}: {quoted}`", entry.key))
                .fix(vec![Edit::new(entry.value.span, quoted)]),
            Value::Scalar(_) => found.help("give it a value, or remove it"),
            Value::Sequence(_) | Value::Mapping(_) => found.help("metadata maps text to text"),
        });
    }

    fn allowed_tools(&mut self, node: &Node) -> Vec<String> {
        if node.is_null() {
            return Vec::new();
        }
        let Some(tools) = allowed_tools(node) else {
            let message = format!("`allowed-tools` must be text, found {}", node.value.kind());
            self.report(
                Code::WrongType,
                node.span,
                message,
                "list the tools on one line, separated by spaces",
            );
            return Vec::new();
        };
        if !tools.standard {
            let joined = tools.tokens.join(" ");
            let text = if needs_quotes(&joined) {
                quote(&joined)
            } else {
                joined
            };
            let found = Diagnostic::new(
                Code::AllowedToolsFormat,
                node.span,
                "tools must be separated by spaces, each tool once",
            )
            .help(format!("write `allowed-tools: {text}`"));
            // A multi-line list starts after its key, where a replacement would not parse.
            let one_line = !node.span.slice(self.file).contains('\n');
            let behind_key = self.file.get(..node.span.start).is_some_and(|before| {
                let line = before.rsplit('\n').next().unwrap_or_default();
                line.contains(':')
            });
            let fixable = one_line && behind_key;
            self.out.push(if fixable {
                found.fix(vec![Edit::new(node.span, text)])
            } else {
                found
            });
        }
        tools.tokens
    }

    fn capabilities(&mut self, node: &Node) -> Vec<String> {
        let tools = allowed_tools(node);
        if tools.is_none() {
            let message = "`requires-capabilities` must be a list of words";
            self.report(
                Code::WrongType,
                node.span,
                message,
                "write `requires-capabilities: [shell, browser]`",
            );
        }
        tools.map(|tools| tools.tokens).unwrap_or_default()
    }

    fn misspelt(&mut self, field: Field, entry: &MappingEntry) {
        let key = field.key();
        let message = format!("`{}` must be spelled `{key}`", entry.key);
        let required = matches!(field, Field::Name | Field::Description);
        let levels = if required {
            Levels::TOLERATED
        } else {
            Levels::ADVICE
        };
        self.out.push(
            Diagnostic::new(Code::KeySpelling, entry.key_span, message)
                .help(format!("write `{key}:`"))
                .fix(vec![Edit::new(entry.key_span, key)])
                .levels(levels),
        );
    }

    fn unknown(&mut self, entry: &MappingEntry) {
        let help = did_you_mean(&entry.key, Field::ALL.map(Field::key))
            .unwrap_or_else(|| "put custom fields under `metadata:`".to_owned());
        let message = format!("`{}` is not a field of the standard", entry.key);
        self.report(Code::UnknownField, entry.key_span, message, help);
    }

    fn missing(&mut self, field: Field, levels: Levels) {
        let message = format!("`{}` is missing or empty", field.key());
        let help = format!("add `{}: ...` between the `---` lines", field.key());
        self.out.push(
            Diagnostic::new(Code::MissingField, self.missing_at, message)
                .help(help)
                .levels(levels),
        );
    }

    /// The name to load under: the author's if it is valid, or else one made from the directory's.
    fn name(&mut self, written: Option<(String, Span)>) -> Option<SkillName> {
        let from_directory = || self.directory.and_then(SkillName::slug);
        let Some((text, span)) = written else {
            let from_directory = from_directory();
            let levels = if from_directory.is_some() {
                Levels::TOLERATED
            } else {
                Levels::FATAL
            };
            self.missing(Field::Name, levels);
            return from_directory;
        };
        match SkillName::parse(&text) {
            Ok(name) => {
                self.compare_with_directory(&name, span);
                Some(name)
            }
            Err(broken) => {
                for rule in &broken {
                    let diagnostic = broken_rule(rule, &text, span);
                    self.out.push(diagnostic);
                }
                let name = from_directory().or_else(|| SkillName::slug(&text));
                let (levels, loads) = match &name {
                    Some(name) => (Levels::LOAD_ONLY, format!("the skill loads as `{name}`")),
                    None => (
                        Levels {
                            load: Levels::FATAL.load,
                            check: None,
                        },
                        "no valid name is available".to_owned(),
                    ),
                };
                let message = format!("`{text}` is not a valid name; {loads}");
                self.out.push(
                    Diagnostic::new(Code::InvalidName, span, message)
                        .help("use lower-case letters, digits and single hyphens")
                        .levels(levels),
                );
                name
            }
        }
    }

    fn compare_with_directory(&mut self, name: &SkillName, span: Span) {
        let Some(directory) = self.directory else {
            return;
        };
        if normalize(directory) != name.as_str() {
            let message = format!("the name is `{name}`, but the directory is `{directory}`");
            self.report(
                Code::NameMismatch,
                span,
                message,
                format!("rename the directory to `{name}`, or change the name"),
            );
        }
    }
}

/// Whether `text` would mean something else to YAML without quotes.
fn needs_quotes(text: &str) -> bool {
    let scalar = Scalar::plain(text);
    scalar.is_ambiguous() || plain_scalar(text).is_none()
}

pub(crate) fn broken_rule(rule: &NameRule, text: &str, span: Span) -> Diagnostic {
    let slug = SkillName::slug(text).map(|slug| format!("for example `{slug}`"));
    let (code, message) = match rule {
        NameRule::Empty => (Code::MissingField, "the name is empty".to_owned()),
        NameRule::TooLong(length) => (
            Code::NameTooLong,
            format!("the name has {length} characters; {NAME_CHARS} are allowed"),
        ),
        NameRule::Uppercase => (
            Code::NameUppercase,
            format!("`{text}` has upper-case letters"),
        ),
        NameRule::Character(c) => (
            Code::NameCharacters,
            format!("`{}` is not allowed in a name", c.escape_debug()),
        ),
        NameRule::EdgeHyphen => (
            Code::NameEdgeHyphen,
            format!("`{text}` starts or ends with a hyphen"),
        ),
        NameRule::DoubleHyphen => (
            Code::NameDoubleHyphen,
            format!("`{text}` has two hyphens in a row"),
        ),
    };
    let help = slug.unwrap_or_else(|| "use lower-case letters, digits and hyphens".to_owned());
    Diagnostic::new(code, span, message).help(help)
}
