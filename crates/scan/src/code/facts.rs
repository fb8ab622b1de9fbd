//! What goes into the analysis of code, and the facts that come out of it.

use prowess_spec::Span;
pub(crate) use prowess_syntax::CodeLanguage;

use super::step::StepKind;

/// A piece of code of a skill: a script, a fenced block of a Markdown file, a decoded text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit<'a> {
    /// The path in the skill: imports and "runs scripts/x.py" are resolved with it.
    pub path: &'a str,
    /// The language that the code is written in.
    pub language: CodeLanguage,
    /// The code.
    pub source: &'a str,
}

/// How much work one analysis may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeBudget {
    /// Bytes of one unit; a longer one is not analysed.
    pub unit_bytes: usize,
    /// Bytes of all units; what comes later is not analysed.
    pub total_bytes: usize,
    /// Expressions and statements that are interpreted.
    pub steps: usize,
    /// Calls of the parser's progress callback for the whole skill.
    pub parse_ticks: usize,
    /// Syntax errors, each of which takes the parser long.
    pub errors: usize,
    /// Nodes of syntax trees that are read.
    pub nodes: usize,
}

impl Default for CodeBudget {
    fn default() -> Self {
        Self {
            unit_bytes: crate::limits::CODE_BYTES,
            total_bytes: 4 * 1024 * 1024,
            steps: 1_500_000,
            parse_ticks: 70_000,
            errors: 20_000,
            nodes: 500_000,
        }
    }
}

/// The facts about the code of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Analysis {
    /// From where something comes in to where it leaves or runs.
    pub flows: Vec<Flow>,
    /// What the code can do, whether or not it is bad.
    pub capabilities: Vec<Capability>,
    /// Texts that only exist after folding or decoding.
    pub texts: Vec<DerivedText>,
    /// Units, or parts of them, that were not analysed.
    pub unparsed: Vec<Unparsed>,
}

/// One place that a value passes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    /// Index of the unit.
    pub unit: usize,
    /// Bytes in the source of the unit.
    pub span: Span,
    /// What happens there.
    pub kind: StepKind,
}

/// A value's way from its source (first) to its sink (last).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Flow {
    /// What it amounts to.
    pub kind: FlowKind,
    /// At most [`FLOW_STEPS`].
    pub steps: Vec<Step>,
}

/// What a flow amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FlowKind {
    /// Credential files, keys, tokens of the environment or a keychain are sent.
    SecretToNetwork,
    /// Browser profiles, histories, sessions, wallets, clipboard, screenshots or documents are sent.
    PersonalToNetwork,
    /// The whole environment is sent.
    EnvironmentToNetwork,
    /// A file of the user or the project is uploaded.
    FileToNetwork,
    /// Text or a file from the network is executed.
    RemoteToExecution,
    /// Decoded, decrypted or decompressed text is executed.
    DecodedToExecution,
    /// The content of a file outside of the skill is executed.
    ControlFileToExecution,
    /// Remote text is written into an agent's memory, settings, hooks or skills.
    RemoteToAgent,
    /// Something is installed that runs later without being asked for.
    Persistence,
    /// Instructions, settings or hooks of an agent are written.
    AgentTampering,
    /// A shell is attached to a network connection.
    ReverseShell,
    /// The home directory, the root directory or a disk is erased.
    Destruction,
    /// A serious flow happens only under a condition on time or surroundings.
    ConditionalTrigger,
}

/// One thing that the code can do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Capability {
    /// The kind of thing.
    pub kind: CapabilityKind,
    /// Index of the unit.
    pub unit: usize,
    /// Bytes in the source of the unit.
    pub span: Span,
    /// The host, program, path or name, as far as it is constant.
    pub detail: String,
}

/// The kinds of things that code can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CapabilityKind {
    /// Talks to a host.
    Network,
    /// Starts a program.
    Process,
    /// Reads a credential file or a keychain.
    ReadsSecret,
    /// Reads personal data.
    ReadsPersonal,
    /// Reads a variable of the environment, or all of it (`*`).
    ReadsEnvironment,
    /// Writes a file outside of the skill and the project.
    WritesOutside,
    /// Writes something that runs later.
    Persistence,
    /// Writes a file that instructs or configures an agent.
    AgentFiles,
    /// Runs code that is made at run time.
    DynamicCode,
    /// Decodes or decrypts data.
    Encoding,
    /// Installs a package; the detail is `manager: what (how)`.
    PackageInstall,
    /// Adds a remote MCP server.
    RemoteMcp,
    /// Reads or writes the clipboard.
    Clipboard,
    /// Takes a picture of the screen.
    Screenshot,
    /// Listens to the keyboard.
    Keyboard,
    /// Records sound.
    Microphone,
    /// Records pictures.
    Camera,
    /// Mines a currency.
    Miner,
    /// Installs hooks of git or of an agent.
    Hooks,
}

/// A text that results from folding and is not written in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DerivedText {
    /// Index of the unit.
    pub unit: usize,
    /// The expression that results in it.
    pub span: Span,
    /// The text.
    pub text: String,
    /// How it comes about: `joined strings`, `base64 decoded`.
    pub how: String,
}

/// A unit, or a part of one, that was not analysed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unparsed {
    /// Index of the unit.
    pub unit: usize,
    /// The part; the whole source when nothing of it was analysed.
    pub span: Span,
    /// Why.
    pub reason: UnparsedReason,
}

/// Why code was not analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum UnparsedReason {
    /// Longer than a unit, or a skill, may be.
    TooLarge,
    /// Nested more deeply than is followed.
    TooDeep,
    /// The parser or the interpreter used up its steps.
    StepsUsedUp,
    /// Most of it is not valid in its language.
    SyntaxErrors,
    /// Runs code that is not known before it runs.
    DynamicCode,
    /// The parser did not survive it.
    ParserCrashed,
    /// The parser did not come back from it.
    ParserTimedOut,
    /// No parser could be started.
    NoParser,
}

impl UnparsedReason {
    /// Whether no parser answered.
    pub(crate) fn is_parser_lost(self) -> bool {
        matches!(
            self,
            Self::ParserCrashed | Self::ParserTimedOut | Self::NoParser
        )
    }

    /// In words.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "too large",
            Self::TooDeep => "nested too deep",
            Self::StepsUsedUp => "too much work",
            Self::SyntaxErrors => "mostly syntax errors",
            Self::DynamicCode => "runs code that is not known before it runs",
            Self::ParserCrashed => "it crashes the parser",
            Self::ParserTimedOut => "it stops the parser",
            Self::NoParser => "no parser could be started",
        }
    }
}

/// Steps of one flow.
pub(crate) const FLOW_STEPS: usize = 8;
/// Flows of one kind of one analysis.
pub(crate) const FLOWS: usize = 200;
/// Capabilities of one kind of one analysis.
pub(crate) const CAPABILITIES: usize = 1000;
/// Derived texts of one analysis.
pub(crate) const TEXTS: usize = 500;
/// Bytes of one derived text.
pub(crate) const TEXT_BYTES: usize = 64 * 1024;
/// Bytes of all derived texts.
pub(crate) const TEXTS_BYTES: usize = 1024 * 1024;
/// Parts that are listed as not analysed.
pub(crate) const UNPARSED: usize = 100;
