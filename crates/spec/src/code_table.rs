//! Every code with its documentation.

use crate::code_info::{CodeInfo, Content, Example};
use crate::levels::Levels;

macro_rules! codes {
    ($($code:ident, $id:literal, $levels:ident; $title:literal; $explanation:literal; $bad:expr; $good:expr;)*) => {
        /// The stable code of a diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// The documentation of the code.
            pub fn info(self) -> &'static CodeInfo {
                match self {
                    $(Self::$code => {
                        static INFO: CodeInfo = CodeInfo {
                            id: $id,
                            levels: Levels::$levels,
                            title: $title,
                            explanation: $explanation,
                            bad: $bad,
                            good: $good,
                        };
                        &INFO
                    })*
                }
            }
        }
    };
}

const GOOD: Example = skill("---\nname: pdf\ndescription: Reads PDF files\n---\n\n# PDF\n");

const fn skill(text: &'static str) -> Example {
    file("SKILL.md", Content::Text(text))
}

const fn manifest(text: &'static str) -> Example {
    file("SKILL.yaml", Content::Text(text))
}

const fn file(name: &'static str, content: Content) -> Example {
    Example {
        directory: "pdf",
        name,
        content,
        others: &[],
    }
}

impl Example {
    const fn within(mut self, directory: &'static str) -> Self {
        self.directory = directory;
        self
    }

    const fn beside(mut self, others: &'static [(&'static str, Content)]) -> Self {
        self.others = others;
        self
    }
}

codes! {
    MissingFrontmatter, "missing-frontmatter", FATAL;
        "missing frontmatter";
        "A skill starts with a line of three hyphens, then fields, then another such line. Without frontmatter the skill has no name and no description, and clients cannot offer it.";
        skill("# PDF\n\nReads PDF files.\n");
        GOOD;

    UnclosedFrontmatter, "unclosed-frontmatter", FATAL;
        "unclosed frontmatter";
        "The line that closes the frontmatter is exactly three hyphens, without indentation. The frontmatter of this file has no such line, and nothing else shows where it ends.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n");
        GOOD;

    MissingDelimiter, "missing-delimiter", TOLERATED;
        "missing `---` line";
        "The `---` line before or after the fields is missing. The skill loads if the fields start with the file, and end at a heading or at a blank line with text after it. Other clients find no frontmatter. `--fix` adds the line.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n\n# PDF\n");
        GOOD;

    MalformedDelimiter, "malformed-delimiter", TOLERATED;
        "malformed `---` line";
        "The line that closes the frontmatter is indented or has text after the hyphens. It counts only if the file has no line of exactly three hyphens after the first one. The text becomes part of the body. `--fix` corrects the line.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---# PDF\n");
        GOOD;

    LeadingContent, "leading-content", TOLERATED;
        "text before the frontmatter";
        "Most clients look for `---` on the first line only. `--fix` removes blank lines; move comments yourself.";
        skill("\n\n---\nname: pdf\ndescription: Reads PDF files\n---\n");
        GOOD;

    CodeFence, "code-fence", TOLERATED;
        "the file is wrapped in a code fence";
        "Models often wrap a generated file in a Markdown fence. Clients then see a code block instead of frontmatter.";
        skill("```markdown\n---\nname: pdf\ndescription: Reads PDF files\n---\n\n# PDF\n```\n");
        GOOD;

    ByteOrderMark, "byte-order-mark", ADVICE;
        "byte order mark";
        "The mark is invisible in editors and makes some clients miss the opening `---`.";
        skill("\u{feff}---\nname: pdf\ndescription: Reads PDF files\n---\n");
        GOOD;

    MixedLineEndings, "mixed-line-endings", ADVICE;
        "mixed line endings";
        "Files that use CR LF throughout are valid. Mixed line endings are usually an accident and change diffs and digests.";
        skill("---\r\nname: pdf\ndescription: Reads PDF files\n---\n");
        skill("---\r\nname: pdf\r\ndescription: Reads PDF files\r\n---\r\n");

    NotUtf8, "not-utf8", FATAL;
        "the file is not UTF-8";
        "Skills are UTF-8 text. Save the file with that encoding.";
        file("SKILL.md", Content::Bytes(b"---\nname: pdf\ndescription: Caf\xe9\n---\n"));
        skill("---\nname: pdf\ndescription: Café\n---\n\n# PDF\n");

    FileTooLarge, "file-too-large", TOLERATED;
        "the file is too large";
        "A skill of more than 1 MiB is too large for a model. Move material into files that the body refers to.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\n---\n", unit: "0123456789abcde\n", times: 65_536, after: "" });
        GOOD;

    FileName, "file-name", TOLERATED;
        "the file is not named SKILL.md";
        "The standard's name is `SKILL.md`. Clients accept `skill.md` (a warning); other spellings are found only on some systems.";
        file("Skill.md", Content::Text("---\nname: pdf\ndescription: Reads PDF files\n---\n"));
        GOOD;

    TwoSkillFiles, "two-skill-files", ADVICE;
        "more than one skill file";
        "`SKILL.md` is used; the file with the other spelling is ignored.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n").beside(&[("skill.md", Content::Text("---\nname: pdf\ndescription: Another text\n---\n"))]);
        GOOD;

    FrontmatterTooLarge, "frontmatter-too-large", FATAL;
        "the frontmatter is too large";
        "Discovery reads the frontmatter of every skill. The limit prevents one file from slowing down discovery.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n", unit: "  # 0123456789\n", times: 5000, after: "---\n" });
        GOOD;

    YamlTooDeep, "yaml-too-deep", FATAL;
        "nested too deep";
        "The limit prevents a small file from exhausting a client.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\nx: ", unit: "[", times: 100, after: "\n---\n" });
        GOOD;

    YamlTooLarge, "yaml-too-large", FATAL;
        "too many values";
        "The limit counts each use of an alias. It prevents a small file from expanding into a large one.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\nx: [", unit: "a, ", times: 20000, after: "a]\n---\n" });
        GOOD;

    InvalidYaml, "invalid-yaml", FATAL;
        "invalid YAML";
        "The frontmatter cannot be parsed, and automatic repair failed.";
        skill("---\nname: [oops\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    MergeConflict, "merge-conflict", TOLERATED;
        "unresolved merge conflict";
        "The frontmatter contains merge conflict markers. The skill loads with the first side of each conflict, and `--fix` keeps that side. If a marker is missing, the skill is skipped.";
        skill("---\n<<<<<<< HEAD\nname: pdf\n=======\nname: pdf-reader\n>>>>>>> other\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    NotAMapping, "not-a-mapping", FATAL;
        "the frontmatter is not a mapping";
        "Frontmatter is a set of `key: value` lines. A common cause is a missing space after the colon. If the fields are the only item of a list, the skill loads, and `--fix` removes the list.";
        skill("---\n- name\n- description\n---\n\n# PDF\n");
        GOOD;

    HeadingAsKey, "heading-as-key", TOLERATED;
        "field written as a heading";
        "A line that starts with `#` is a comment in YAML. If the only line with the description is such as `## description: Reads PDF files`, the skill loads as if the `## ` of its fields were absent. `--fix` removes it.";
        skill("---\n## name: pdf\n## description: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    YamlTag, "yaml-tag", FATAL;
        "YAML tag";
        "Tags such as `!include` or `!!python/object` ask a reader to execute code. They are never executed. Tags of standard YAML types are accepted when loading.";
        skill("---\nname: pdf\ndescription: !include text.txt\n---\n\n# PDF\n");
        GOOD;

    YamlAlias, "yaml-alias", ADVICE;
        "YAML alias";
        "Prowess resolves aliases, but some clients reject them.";
        skill("---\nname: pdf\ndescription: &text Reads PDF files\nmetadata:\n  summary: *text\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  summary: Reads PDF files\n---\n\n# PDF\n");

    DuplicateKey, "duplicate-key", TOLERATED;
        "duplicate key";
        "Clients disagree on which value to use. Prowess uses the first one.";
        skill("---\nname: pdf\ndescription: Reads PDF files\ndescription: Writes PDF files\n---\n\n# PDF\n");
        GOOD;

    UnquotedColon, "unquoted-colon", TOLERATED;
        "unquoted colon in a value";
        "`: ` starts a new key in YAML. Quote a value that contains it. `--fix` adds the quotes.";
        skill("---\nname: pdf\ndescription: Use when: a PDF is given\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"Use when: a PDF is given\"\n---\n\n# PDF\n");

    UnquotedScalar, "unquoted-scalar", TOLERATED;
        "missing quotes";
        "A value that starts with `*`, `&`, `@`, `%`, a comma, a bracket or a backtick has a special meaning in YAML, as does `&nbsp;`. A `#` starts a comment: `description: # PDF` has no value. `--fix` adds quotes.";
        skill("---\nname: pdf\ndescription: **Reads** PDF files\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"**Reads** PDF files\"\n---\n\n# PDF\n");

    BadQuoting, "bad-quoting", TOLERATED;
        "mismatched quotes";
        "The value starts with a quote but continues after the closing quote, or contains an escape that YAML does not define. `--fix` corrects the quotes.";
        skill("---\nname: pdf\ndescription: 'Reads a user's PDF files'\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"Reads a user's PDF files\"\n---\n\n# PDF\n");

    UnindentedText, "unindented-text", TOLERATED;
        "quoted text is not indented";
        "Quoted text may span several lines if each of them is indented. Some YAML readers accept lines without indentation, others do not. `--fix` indents them.";
        skill("---\nname: pdf\ndescription: \"Reads\nPDF files\"\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"Reads\n  PDF files\"\n---\n\n# PDF\n");

    TabIndentation, "tab-indentation", TOLERATED;
        "tab indentation";
        "YAML allows only spaces for indentation. `--fix` replaces each tab with two spaces.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n\tauthor: Ada\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  author: Ada\n---\n\n# PDF\n");

    ControlCharacter, "control-character", TOLERATED;
        "control character";
        "Control characters are invisible and can move the cursor of a terminal. They are removed from all output.";
        skill("---\nname: pdf\ndescription: Reads\u{7} PDF files\n---\n\n# PDF\n");
        GOOD;

    MissingField, "missing-field", FATAL;
        "missing required field";
        "A skill requires `name` and `description`; a manifest also requires `version` and `types`. If only the name of a `SKILL.md` is missing, the skill loads under the name of its directory.";
        skill("---\nname: pdf\n---\n\n# PDF\n");
        GOOD;

    NotAString, "not-a-string", TOLERATED;
        "value is not text";
        "YAML reads `yes`, `8004` and `1.0` as booleans and numbers. Quote them to make them text.";
        skill("---\nname: pdf\ndescription: 8004\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"8004\"\n---\n\n# PDF\n");

    WrongType, "wrong-type", TOLERATED;
        "wrong type";
        "The field requires a boolean, a list or a mapping.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nuser-invocable: sometimes\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nuser-invocable: false\n---\n\n# PDF\n");

    EmptyField, "empty-field", TOLERATED;
        "empty field";
        "`compatibility` must have 1 to 500 characters.";
        skill("---\nname: pdf\ndescription: Reads PDF files\ncompatibility:\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\ncompatibility: Needs poppler\n---\n\n# PDF\n");

    InvalidName, "invalid-name", LOAD_ONLY;
        "the skill loads under another name";
        "The name violates the standard, so the skill loads under a name derived from its directory. `check` reports each violation with its own code.";
        skill("---\nname: PDF Reader\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    NameUppercase, "name-uppercase", STRICT;
        "upper-case letters in the name";
        "Names are lower case, so that they are the same on every file system.";
        skill("---\nname: PDF\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    NameCharacters, "name-characters", STRICT;
        "invalid character in the name";
        "Names contain letters, digits and hyphens only, because they are used as directory names, identifiers and commands.";
        skill("---\nname: pdf_reader\ndescription: Reads PDF files\n---\n\n# PDF\n").within("pdf-reader");
        skill("---\nname: pdf-reader\ndescription: Reads PDF files\n---\n\n# PDF\n").within("pdf-reader");

    NameEdgeHyphen, "name-edge-hyphen", STRICT;
        "hyphen at the start or end of the name";
        "A name that starts with a hyphen looks like a command-line option.";
        skill("---\nname: -pdf\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    NameDoubleHyphen, "name-double-hyphen", STRICT;
        "two hyphens in a row";
        "Single hyphens separate the words of a name.";
        skill("---\nname: pdf--reader\ndescription: Reads PDF files\n---\n\n# PDF\n").within("pdf-reader");
        skill("---\nname: pdf-reader\ndescription: Reads PDF files\n---\n\n# PDF\n").within("pdf-reader");

    NameTooLong, "name-too-long", STRICT;
        "the name is too long";
        "Names have at most 64 characters.";
        skill("---\nname: a-name-that-says-everything-there-is-to-say-about-reading-pdf-files-today\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    NameMismatch, "name-mismatch", TOLERATED;
        "the name differs from the directory";
        "The name of a skill must match the name of its directory. Clients use either one to find the skill.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n\n# PDF\n").within("pdf-reader");
        GOOD;

    DescriptionTooLong, "description-too-long", TOLERATED;
        "the description is too long";
        "Every description is always part of the prompt. The standard allows 1024 characters.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: ", unit: "Reads PDF files. ", times: 61, after: "\n---\n" });
        GOOD;

    CompatibilityTooLong, "compatibility-too-long", TOLERATED;
        "`compatibility` is too long";
        "The standard allows 500 characters.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\ncompatibility: ", unit: "Needs poppler. ", times: 34, after: "\n---\n" });
        GOOD;

    MetadataNotAMap, "metadata-not-a-map", TOLERATED;
        "`metadata` is not a mapping";
        "`metadata` holds keys and values, indented under it.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata: draft\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  status: draft\n---\n\n# PDF\n");

    MetadataNotAString, "metadata-not-a-string", ADVICE;
        "a value under `metadata` is not text";
        "`metadata` maps text to text. Prowess reads other scalars as written and nested values as JSON; other clients may differ.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  version: 1.10\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  version: \"1.10\"\n---\n\n# PDF\n");

    UnknownField, "unknown-field", ADVICE;
        "unknown field";
        "Unknown fields are preserved, but other clients may reject the skill. Put custom fields under `metadata`. In a manifest an unknown field is an error, because it has no effect.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nauthor: Ada\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  author: Ada\n---\n\n# PDF\n");

    KeySpelling, "key-spelling", ADVICE;
        "misspelled key";
        "The key matches a known field except for case or separators. Prowess reads it as that field, and `--fix` corrects it.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nallowed_tools: Read\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Read\n---\n\n# PDF\n");

    AllowedToolsFormat, "allowed-tools-format", ADVICE;
        "`allowed-tools` in another format";
        "The standard separates tools with spaces. Prowess also accepts lists, commas and repeated tools.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Read, Bash(pdftotext:*)\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Read Bash(pdftotext:*)\n---\n\n# PDF\n");

    BodyTooLong, "body-too-long", ADVICE;
        "the body is long";
        "The whole body is sent to the model when the skill is used. Keep it under 500 lines and 5,000 tokens, and move details into files that are read on demand.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\n---\n", unit: "- a line\n", times: 501, after: "" });
        GOOD;

    MissingReference, "missing-reference", ADVICE;
        "missing referenced file";
        "The body refers to a file that does not exist.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n\nSee [forms](references/FORMS.md).\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n\nSee [forms](references/FORMS.md).\n").beside(&[("references/FORMS.md", Content::Text("# Forms\n"))]);

    TemplateText, "template-text", ADVICE;
        "text of a template";
        "A tool that creates skills wrote this text for the author to replace, such as `TODO:` or \"A brief description of what this skill does\". A model takes it for instructions.";
        skill("---\nname: pdf\ndescription: Reads PDF files. Use when a PDF is given\n---\n\n# PDF\n\n[TODO: add the steps]\n");
        skill("---\nname: pdf\ndescription: Reads PDF files. Use when a PDF is given\n---\n\n# PDF\n\nRead the file with `pdftotext`.\n");

    EmptyBody, "empty-body", ADVICE;
        "no instructions";
        "The text below the frontmatter is what a model receives when the skill is used. Without it, the skill does nothing.";
        skill("---\nname: pdf\ndescription: Reads PDF files. Use when a PDF is given\n---\n");
        skill("---\nname: pdf\ndescription: Reads PDF files. Use when a PDF is given\n---\n\n# PDF\n\nRead the file with `pdftotext`.\n");

    MissingOccasion, "missing-occasion", ADVICE;
        "the description does not say when to use the skill";
        "A model decides by the description alone whether to load the skill. Say what the skill does and when to use it. Descriptions in other languages than English are not judged.";
        skill("---\nname: pdf\ndescription: Reads the text of PDF files\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads the text of PDF files. Use when a PDF is given\n---\n\n# PDF\n");

    UnknownValue, "unknown-value", FATAL;
        "value not allowed";
        "The field accepts a fixed set of values; the message lists them, closest match first.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tol]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    InvalidVersion, "invalid-version", FATAL;
        "invalid version";
        "Versions are `MAJOR.MINOR.PATCH`, ranges as in `^1.2` or `>=1.5, <3`.";
        manifest("name: pdf\nversion: 1.0\ndescription: Reads PDF files\ntypes: [prompt]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n");

    MissingBackend, "missing-backend", FATAL;
        "missing implementation";
        "Every type except `prompt` is code, and so is a `security-rule` with `scanners`. Code requires `implementation` with a `backend`, and an `entrypoint` or a `command`.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    PathEscapes, "path-escapes", FATAL;
        "path outside the skill";
        "Files in a manifest must be inside the skill: use relative paths without `..`.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: ../skill.star\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    MissingFile, "missing-file", FATAL;
        "missing file";
        "The manifest names a file that the skill does not have.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    RepeatedValue, "repeated-value", WARNING;
        "duplicate value";
        "The second value has no effect and is ignored.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt, prompt]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n");

    DependencyCycle, "dependency-cycle", FATAL;
        "cyclic dependency";
        "None of the skills can be activated first.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ndependencies:\n  - name: pdf\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n");

    MissingDependency, "missing-dependency", FATAL;
        "missing dependency";
        "A required dependency is missing or has a version out of range. For an optional dependency this is a warning.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ndependencies:\n  - name: ocr\n    version: ^2\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n");

    InvalidTrigger, "invalid-trigger", FATAL;
        "invalid trigger";
        "File triggers are glob patterns; keywords are words.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ntriggers:\n  files: [\"src/{a\"]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ntriggers:\n  files: [\"src/*.rs\"]\n");

    IneffectiveTrigger, "ineffective-trigger", ADVICE;
        "trigger that never matches";
        "A file pattern is compared with paths from the root of the project, written with `/`. A language is one that Prowess detects.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ntriggers:\n  languages: [phyton]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ntriggers:\n  languages: [python]\n");

    InvalidRule, "invalid-rule", FATAL;
        "invalid security rule";
        "A rule requires an `id`, a `pattern` that is a valid regular expression, a `severity` and a `message`.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [security-rule]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\nsecurity_rules:\n  rules:\n    - id: r1\n      pattern: \"(\"\n      severity: high\n      message: no\n").beside(&[("skill.star", Content::Text("# tools\n"))]);
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [security-rule]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\nsecurity_rules:\n  rules:\n    - id: r1\n      pattern: \"eval\"\n      severity: high\n      message: no\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    ForeignManifest, "foreign-manifest", WARNING;
        "`SKILL.yaml` of another program";
        "A `SKILL.yaml` beside a `SKILL.md` that has neither `types` nor `implementation` is not a manifest for Prowess. It is ignored, and the skill has instructions only.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n").beside(&[("SKILL.yaml", Content::Text("name: PDF reader\nicon: pdf.png\n"))]);
        GOOD;

    ManifestDisagrees, "manifest-disagrees", FATAL;
        "`SKILL.md` and `SKILL.yaml` disagree";
        "If both files exist, they must have the same name and description.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n").beside(&[("SKILL.yaml", Content::Text("name: pdf\nversion: 1.0.0\ndescription: Writes PDF files\ntypes: [prompt]\n"))]);
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n").beside(&[("SKILL.yaml", Content::Text("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n"))]);
}
