//! Every code, with what the documentation says about it.

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

            /// What is known about the code.
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
        "the file does not begin with frontmatter";
        "A skill begins with a line of three hyphens, then fields, then another such line. Without it there is neither a name nor a description, and no client can offer the skill.";
        skill("# PDF\n\nReads PDF files.\n");
        GOOD;

    UnclosedFrontmatter, "unclosed-frontmatter", FATAL;
        "the frontmatter has no end";
        "The line that closes the frontmatter is exactly three hyphens, without indentation. `----`, `---x` and an indented `---` do not close it.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n\n# PDF\n");
        GOOD;

    LeadingContent, "leading-content", TOLERATED;
        "something stands before the frontmatter";
        "Most clients look for `---` on the first line only. Blank lines are removed by `--fix`; a comment is yours to move.";
        skill("\n\n---\nname: pdf\ndescription: Reads PDF files\n---\n");
        GOOD;

    CodeFence, "code-fence", TOLERATED;
        "the whole file stands in a code fence";
        "A model that wrote the file often wraps it in a Markdown fence. Clients then see a code block where the frontmatter should be.";
        skill("```markdown\n---\nname: pdf\ndescription: Reads PDF files\n---\n\n# PDF\n```\n");
        GOOD;

    ByteOrderMark, "byte-order-mark", ADVICE;
        "the file begins with a byte order mark";
        "The mark is invisible in an editor and makes some clients miss the opening `---`.";
        skill("\u{feff}---\nname: pdf\ndescription: Reads PDF files\n---\n");
        GOOD;

    MixedLineEndings, "mixed-line-endings", ADVICE;
        "lines end in two different ways";
        "Files with CR LF throughout are fine. A mixture is usually an accident of an editor or of a merge, and shows up in differences and digests.";
        skill("---\r\nname: pdf\ndescription: Reads PDF files\n---\n");
        skill("---\r\nname: pdf\r\ndescription: Reads PDF files\r\n---\r\n");

    NotUtf8, "not-utf8", FATAL;
        "the file is not UTF-8";
        "Skills are UTF-8 text. Save the file with that encoding.";
        file("SKILL.md", Content::Bytes(b"---\nname: pdf\ndescription: Caf\xe9\n---\n"));
        skill("---\nname: pdf\ndescription: Café\n---\n\n# PDF\n");

    FileTooLarge, "file-too-large", TOLERATED;
        "the file is too large";
        "A skill of over a megabyte cannot be given to a model. Move the material into files that the body refers to.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\n---\n", unit: "0123456789abcde\n", times: 65_536, after: "" });
        GOOD;

    FileName, "file-name", TOLERATED;
        "the file is not named SKILL.md";
        "The standard's name is `SKILL.md`. Clients accept `skill.md` (a warning); other spellings are found only on some systems.";
        file("Skill.md", Content::Text("---\nname: pdf\ndescription: Reads PDF files\n---\n"));
        GOOD;

    TwoSkillFiles, "two-skill-files", ADVICE;
        "more than one file claims to be the skill";
        "`SKILL.md` is used; the other spelling is ignored, and edits to it are lost on readers.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n").beside(&[("skill.md", Content::Text("---\nname: pdf\ndescription: Another text\n---\n"))]);
        GOOD;

    FrontmatterTooLarge, "frontmatter-too-large", FATAL;
        "the frontmatter is too large";
        "Discovery reads the frontmatter of every skill. It is bounded so that one file cannot slow down all the others.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n", unit: "  # 0123456789\n", times: 5000, after: "---\n" });
        GOOD;

    YamlTooDeep, "yaml-too-deep", FATAL;
        "values are nested too deep";
        "Nesting is bounded, so that a small file cannot exhaust a client.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\nx: ", unit: "[", times: 100, after: "\n---\n" });
        GOOD;

    YamlTooLarge, "yaml-too-large", FATAL;
        "too many values";
        "The number of values is bounded, each use of an alias counted, so that a small file cannot expand into a large one.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\nx: [", unit: "a, ", times: 20000, after: "a]\n---\n" });
        GOOD;

    InvalidYaml, "invalid-yaml", FATAL;
        "the frontmatter is not YAML";
        "Neither a YAML parser nor the usual repairs could make sense of the frontmatter.";
        skill("---\nname: [oops\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    MergeConflict, "merge-conflict", FATAL;
        "a merge conflict was left in the file";
        "The markers of a version control system stand in the frontmatter. Decide for one side.";
        skill("---\n<<<<<<< HEAD\nname: pdf\n=======\nname: pdf-reader\n>>>>>>> other\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    NotAMapping, "not-a-mapping", FATAL;
        "the frontmatter is not a mapping";
        "Frontmatter is a set of `key: value` lines. A common cause is a missing space after the colon.";
        skill("---\n- name\n- description\n---\n\n# PDF\n");
        GOOD;

    YamlTag, "yaml-tag", FATAL;
        "a YAML tag";
        "Tags such as `!include` or `!!python/object` ask a reader to run something. They are never followed. Tags of YAML's own types are tolerated when loading.";
        skill("---\nname: pdf\ndescription: !include text.txt\n---\n\n# PDF\n");
        GOOD;

    YamlAlias, "yaml-alias", ADVICE;
        "a YAML alias";
        "Aliases are resolved here, but some clients refuse them.";
        skill("---\nname: pdf\ndescription: &text Reads PDF files\nmetadata:\n  summary: *text\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  summary: Reads PDF files\n---\n\n# PDF\n");

    DuplicateKey, "duplicate-key", TOLERATED;
        "a key stands twice";
        "Clients disagree on which of the two counts. Here it is the first.";
        skill("---\nname: pdf\ndescription: Reads PDF files\ndescription: Writes PDF files\n---\n\n# PDF\n");
        GOOD;

    UnquotedColon, "unquoted-colon", TOLERATED;
        "a colon in a value without quotes";
        "`: ` begins a new key in YAML. A value that holds it needs quotes. `--fix` puts them there.";
        skill("---\nname: pdf\ndescription: Use when: a PDF is given\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"Use when: a PDF is given\"\n---\n\n# PDF\n");

    UnquotedScalar, "unquoted-scalar", TOLERATED;
        "a value that needs quotes";
        "A value that begins with `*`, `&`, `@`, `%`, a comma, a bracket or a backtick means something else to YAML, as does `&nbsp;`. `--fix` puts quotes around it.";
        skill("---\nname: pdf\ndescription: **Reads** PDF files\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"**Reads** PDF files\"\n---\n\n# PDF\n");

    BadQuoting, "bad-quoting", TOLERATED;
        "quotes that do not match";
        "The value begins with a quote, but does not end where the quote ends, or holds an escape that YAML does not know. `--fix` writes it in quotes that fit.";
        skill("---\nname: pdf\ndescription: 'Reads a user's PDF files'\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"Reads a user's PDF files\"\n---\n\n# PDF\n");

    TabIndentation, "tab-indentation", TOLERATED;
        "tabs as indentation";
        "YAML is indented with spaces only. `--fix` puts two spaces for each tab.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n\tauthor: Ada\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  author: Ada\n---\n\n# PDF\n");

    ControlCharacter, "control-character", TOLERATED;
        "a control character";
        "Control characters are invisible and can move a terminal's cursor. They are removed from everything that is shown.";
        skill("---\nname: pdf\ndescription: Reads\u{7} PDF files\n---\n\n# PDF\n");
        GOOD;

    MissingField, "missing-field", FATAL;
        "a required field is missing";
        "A skill needs `name` and `description`; a manifest also needs `version` and `types`. When only the name of a `SKILL.md` is missing, it loads under the name of its directory.";
        skill("---\nname: pdf\n---\n\n# PDF\n");
        GOOD;

    NotAString, "not-a-string", TOLERATED;
        "a value that should be text";
        "YAML takes `yes`, `8004` and `1.0` for booleans and numbers. Put them in quotes to say that they are text.";
        skill("---\nname: pdf\ndescription: 8004\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: \"8004\"\n---\n\n# PDF\n");

    WrongType, "wrong-type", TOLERATED;
        "a value of the wrong kind";
        "The field takes a boolean, a list or a mapping, and something else stands there.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nuser-invocable: sometimes\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nuser-invocable: false\n---\n\n# PDF\n");

    EmptyField, "empty-field", TOLERATED;
        "a field without a value";
        "`compatibility` has 1 to 500 characters where it is given.";
        skill("---\nname: pdf\ndescription: Reads PDF files\ncompatibility:\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\ncompatibility: Needs poppler\n---\n\n# PDF\n");

    InvalidName, "invalid-name", LOAD_ONLY;
        "the skill loads under another name";
        "The name breaks a rule of the standard, so the skill loads under a name made from its directory. `check` reports each broken rule by a code of its own.";
        skill("---\nname: PDF Reader\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    NameUppercase, "name-uppercase", STRICT;
        "upper-case letters in the name";
        "Names are lower case, so that they are the same on every file system.";
        skill("---\nname: PDF\ndescription: Reads PDF files\n---\n\n# PDF\n");
        GOOD;

    NameCharacters, "name-characters", STRICT;
        "a character that names may not have";
        "Names are letters, digits and hyphens: they are directory names, identifiers and commands.";
        skill("---\nname: pdf_reader\ndescription: Reads PDF files\n---\n\n# PDF\n").within("pdf-reader");
        skill("---\nname: pdf-reader\ndescription: Reads PDF files\n---\n\n# PDF\n").within("pdf-reader");

    NameEdgeHyphen, "name-edge-hyphen", STRICT;
        "a hyphen at the edge of the name";
        "A name that begins with a hyphen looks like an option to every command.";
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
        "name and directory differ";
        "The name of a skill is the name of its directory. Clients that look up one find nothing under the other.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n\n# PDF\n").within("pdf-reader");
        GOOD;

    DescriptionTooLong, "description-too-long", TOLERATED;
        "the description is too long";
        "Every description is given to the model at all times. The standard allows 1024 characters.";
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
        "`metadata` maps text to text. Other scalars are kept as they were written, and nested values as JSON; other clients may do otherwise.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  version: 1.10\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  version: \"1.10\"\n---\n\n# PDF\n");

    UnknownField, "unknown-field", ADVICE;
        "a field that the standard does not know";
        "Unknown fields are kept, but other clients may refuse the skill for them. Fields of your own belong under `metadata`. In a manifest an unknown field is an error, because nothing would come of it.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nauthor: Ada\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nmetadata:\n  author: Ada\n---\n\n# PDF\n");

    KeySpelling, "key-spelling", ADVICE;
        "a key in another spelling";
        "The key has the letters of a known field, in another case or with other separators. It is read as that field here, and `--fix` corrects it.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nallowed_tools: Read\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Read\n---\n\n# PDF\n");

    AllowedToolsFormat, "allowed-tools-format", ADVICE;
        "`allowed-tools` in another format";
        "The standard separates tools with blanks. A list, commas and repeated tools are accepted here.";
        skill("---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Read, Bash(pdftotext:*)\n---\n\n# PDF\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Read Bash(pdftotext:*)\n---\n\n# PDF\n");

    BodyTooLong, "body-too-long", ADVICE;
        "the body is long";
        "The whole body is given to the model when the skill is used. Keep it under 500 lines and 5,000 tokens, and move details into files that are read when they are needed.";
        file("SKILL.md", Content::Repeated { before: "---\nname: pdf\ndescription: Reads PDF files\n---\n", unit: "- a line\n", times: 501, after: "" });
        GOOD;

    MissingReference, "missing-reference", ADVICE;
        "the body names a file that is not there";
        "A model that follows the reference finds nothing.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n\nSee [forms](references/FORMS.md).\n");
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n\nSee [forms](references/FORMS.md).\n").beside(&[("references/FORMS.md", Content::Text("# Forms\n"))]);

    UnknownValue, "unknown-value", FATAL;
        "a value that is not one of those allowed";
        "The field takes one of a fixed set of values; the message lists them, nearest first.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tol]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    InvalidVersion, "invalid-version", FATAL;
        "not a semantic version";
        "Versions are `MAJOR.MINOR.PATCH`, ranges as in `^1.2` or `>=1.5, <3`.";
        manifest("name: pdf\nversion: 1.0\ndescription: Reads PDF files\ntypes: [prompt]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n");

    MissingBackend, "missing-backend", FATAL;
        "nothing to run";
        "Every type but `prompt` is code: it needs `implementation` with a `backend`, and an `entrypoint` or a `command`.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    PathEscapes, "path-escapes", FATAL;
        "a path that leaves the skill";
        "Files of a manifest lie inside the skill: relative paths, without `..`.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: ../skill.star\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    MissingFile, "missing-file", FATAL;
        "a file of the manifest is not there";
        "The manifest names a file that the skill does not have.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [tool]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    RepeatedValue, "repeated-value", WARNING;
        "a value stands twice";
        "The second one changes nothing and is dropped.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt, prompt]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n");

    DependencyCycle, "dependency-cycle", FATAL;
        "skills depend on each other in a circle";
        "None of them could be activated first.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ndependencies:\n  - name: pdf\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n");

    MissingDependency, "missing-dependency", FATAL;
        "a skill that this one needs is not there";
        "A required dependency is missing, or present in a version out of range. An optional one is a warning.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ndependencies:\n  - name: ocr\n    version: ^2\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n");

    InvalidTrigger, "invalid-trigger", FATAL;
        "a trigger that can never match";
        "File triggers are glob patterns; keywords are words.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ntriggers:\n  files: [\"src/{a\"]\n");
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\ntriggers:\n  files: [\"src/*.rs\"]\n");

    InvalidRule, "invalid-rule", FATAL;
        "a security rule that cannot be used";
        "A rule has an `id`, a `pattern` that is a valid regular expression, a `severity` and a `message`.";
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [security-rule]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\nsecurity_rules:\n  rules:\n    - id: r1\n      pattern: \"(\"\n      severity: high\n      message: no\n").beside(&[("skill.star", Content::Text("# tools\n"))]);
        manifest("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [security-rule]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\nsecurity_rules:\n  rules:\n    - id: r1\n      pattern: \"eval\"\n      severity: high\n      message: no\n").beside(&[("skill.star", Content::Text("# tools\n"))]);

    ManifestDisagrees, "manifest-disagrees", FATAL;
        "`SKILL.md` and `SKILL.yaml` disagree";
        "When both files exist, they have the same name and description.";
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n").beside(&[("SKILL.yaml", Content::Text("name: pdf\nversion: 1.0.0\ndescription: Writes PDF files\ntypes: [prompt]\n"))]);
        skill("---\nname: pdf\ndescription: Reads PDF files\n---\n").beside(&[("SKILL.yaml", Content::Text("name: pdf\nversion: 1.0.0\ndescription: Reads PDF files\ntypes: [prompt]\n"))]);
}
