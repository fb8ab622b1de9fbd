//! The arguments of every command.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use prowess_core::CatalogFormat;
use prowess_scan::Severity;
use prowess_spec::manifest::Mode;

use crate::chat::{CHAT_HELP, ChatArguments};
use crate::commands::completions::ids;
use crate::create::CreateArguments;
use crate::eval::{EVAL_HELP, EvalArguments};
use crate::mcp::{Client, Scope};

/// The skills engine for AI agents.
#[derive(Parser)]
#[command(name = "prowess", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Args, Default)]
pub(crate) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    /// Read this configuration instead of prowess.toml
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// Never touch the network: use what was kept
    #[arg(long, global = true)]
    pub(crate) offline: bool,

    /// Print only what matters: no warnings, no summary
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check skills as a compiler would
    #[command(after_long_help = CHECK_HELP)]
    Check(CheckArguments),
    /// Make a new skill
    Create(CreateArguments),
    /// Look for what in a skill could do harm
    #[command(after_long_help = AUDIT_HELP)]
    Audit(AuditArguments),
    /// List the skills that an agent would find here
    List(ListArguments),
    /// Look into a collection
    Browse(BrowseArguments),
    /// Find skills for a task
    Search(SearchArguments),
    /// Show everything about a skill but its instructions
    Info(InfoArguments),
    /// Show a skill's instructions as a model gets them
    Show(ShowArguments),
    /// Print a file of a skill
    Read(ReadArguments),
    /// Print what a model is told about skills
    Prompt(PromptArguments),
    /// Tell what makes a skill active, or would
    #[command(after_long_help = WHY_HELP)]
    Why(WhyArguments),
    /// Tell which skills a message activates, why, and what that costs
    #[command(after_long_help = TRACE_HELP)]
    Trace(TraceArguments),
    /// Run a workflow, a tool or a script of a skill
    #[command(after_long_help = RUN_HELP)]
    Run(RunArguments),
    /// Talk with a model that has skills
    #[command(after_long_help = CHAT_HELP)]
    Chat(ChatArguments),
    /// Measure what a skill is worth: with it, without it, and whether it is found
    #[command(after_long_help = EVAL_HELP)]
    Eval(EvalArguments),
    /// Decide what the project's configuration may reach
    #[command(after_long_help = TRUST_HELP)]
    Trust(TrustArguments),
    /// List what skills may do, and take it back
    #[command(after_long_help = PERMISSIONS_HELP)]
    Permissions(PermissionsArguments),
    /// Check where skills are looked for, and what is wrong there
    Doctor(DoctorArguments),
    /// Serve the skills over MCP, on standard input and output
    #[command(after_long_help = MCP_HELP, args_conflicts_with_subcommands = true)]
    Mcp(McpArguments),
    /// Serve the skills over HTTP: an API at /api, MCP at /mcp
    #[command(after_long_help = SERVE_HELP)]
    Serve(ServeArguments),
    /// Show or check the configuration
    Config(ConfigArguments),
    /// Print what a shell needs to complete commands and ids
    #[command(after_long_help = COMPLETIONS_HELP)]
    Completions(CompletionsArguments),
}

const COMPLETIONS_HELP: &str = "\
Put one line into the shell's start-up file:
  bash        source <(prowess completions bash)
  zsh         source <(prowess completions zsh)
  fish        prowess completions fish | source
  powershell  prowess completions powershell | Out-String | Invoke-Expression";

const TRUST_HELP: &str = "\
A project's prowess.toml may name servers, databases, directories outside of the project, variables and programs.
None of them is used before you say yes to the whole list. Your answer is stored for this project and this list:
another comment keeps it, another host, variable, program or query asks again.

Examples:
  prowess trust                         show what the project reaches, and ask
  prowess trust --list                  list the projects that you answered about
  prowess trust --revoke                withdraw the answer about this project
  prowess trust --yes --digest sha256:...   accept exactly this list, without a terminal";

/// Arguments of `trust`.
#[derive(Args)]
pub(crate) struct TrustArguments {
    /// List your answers
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    pub(crate) list: bool,
    /// Withdraw the answer about a project [default: this one]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with = "yes")]
    pub(crate) revoke: Option<PathBuf>,
    /// Say yes without a question; needs --digest
    #[arg(long, requires = "digest")]
    pub(crate) yes: bool,
    /// The digest of the list that you accept, as `prowess trust` shows it
    #[arg(long, value_name = "DIGEST", requires = "yes")]
    pub(crate) digest: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const MCP_HELP: &str = "\
Clients start it themselves. To tell one of them:
  prowess mcp install claude-code            adds it to .mcp.json, after showing the difference
  prowess mcp install codex                  adds it to ~/.codex/config.toml
  prowess mcp install cursor --print         prints what belongs where";

/// Arguments of `mcp`.
#[derive(Args)]
pub(crate) struct McpArguments {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    #[command(flatten)]
    pub(crate) place: Where,
}

/// What to do besides serving.
#[derive(Subcommand)]
pub(crate) enum McpCommand {
    /// Tell a client that Prowess is there
    Install(McpInstallArguments),
}

/// Arguments of `mcp install`.
#[derive(Args)]
pub(crate) struct McpInstallArguments {
    /// The client
    #[arg(value_enum)]
    pub(crate) client: Client,
    /// For whom; the project where the client knows projects
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
    /// Only print what belongs into which file
    #[arg(long)]
    pub(crate) print: bool,
    /// Write without asking
    #[arg(short, long, conflicts_with = "print")]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) place: Where,
}

const SERVE_HELP: &str = "\
Another Prowess reads it with
  [[skills.repositories]]
  name = \"team\"
  type = \"http\"
  url = \"http://127.0.0.1:7357/api\"

Anybody on this machine may ask. To listen elsewhere, set PROWESS_TOKEN to a token that whoever asks must
send, name the host with --host, and put a proxy with TLS in front.";

/// Arguments of `serve`.
#[derive(Args)]
pub(crate) struct ServeArguments {
    /// Serve only for reading
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7357")]
    pub(crate) listen: SocketAddr,
    /// Answer to this host name too (may be repeated)
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// The environment variable that holds the token
    #[arg(long, value_name = "VARIABLE", default_value = "PROWESS_TOKEN")]
    pub(crate) token_env: String,
    /// Seconds after which the sources are asked again
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) refresh: u64,
    /// Print a line for each request
    #[arg(long)]
    pub(crate) log: bool,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Print the address as JSON when it is ready
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `config`.
#[derive(Args)]
pub(crate) struct ConfigArguments {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// What to do with the configuration.
#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every key with its value and where it comes from, secrets masked
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the files that count, the strongest first
    Path {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check the files, and whether each repository makes sense
    Check,
    /// Print a JSON schema of prowess.toml, for editors
    Schema,
}

/// Arguments of `completions`.
#[derive(Args)]
pub(crate) struct CompletionsArguments {
    /// The shell: bash, elvish, fish, powershell or zsh
    pub(crate) shell: String,
}

/// Where to look for skills.
#[derive(Args, Default)]
pub(crate) struct Where {
    /// Look in DIR instead of the usual places (may be repeated, the first wins)
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) directories: Vec<PathBuf>,
}

/// Arguments of `list`.
#[derive(Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) place: Where,
    /// Also list skills that are shadowed, unavailable or invalid
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `browse`.
#[derive(Args)]
pub(crate) struct BrowseArguments {
    /// The collection; the root if absent
    pub(crate) path: Option<String>,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `search`.
#[derive(Args)]
pub(crate) struct SearchArguments {
    /// What the task is about, in your own words
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How many skills to show at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `info`.
#[derive(Args)]
pub(crate) struct InfoArguments {
    /// The skill's id
    #[arg(add = ids())]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `show`.
#[derive(Args)]
pub(crate) struct ShowArguments {
    /// The skill's id
    #[arg(add = ids())]
    pub(crate) id: String,
    /// What a person would type behind the skill's name
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Where,
    #[command(flatten)]
    pub(crate) raw: RawFlag,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How content is written.
#[derive(Args, Clone, Copy)]
pub(crate) struct RawFlag {
    /// Print bytes unchanged, also to a terminal, which may obey them
    #[arg(long, conflicts_with = "json")]
    raw: bool,
}

impl From<RawFlag> for crate::terminal::Content {
    fn from(flag: RawFlag) -> Self {
        if flag.raw { Self::Raw } else { Self::ForReader }
    }
}

/// Arguments of `read`.
#[derive(Args)]
pub(crate) struct ReadArguments {
    /// The skill's id
    #[arg(add = ids())]
    pub(crate) id: String,
    /// The file's path inside the skill
    pub(crate) path: String,
    /// The byte to begin at
    #[arg(long, default_value_t = 0)]
    pub(crate) offset: u64,
    /// How many bytes to print
    #[arg(long)]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) place: Where,
    #[command(flatten)]
    pub(crate) raw: RawFlag,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `prompt`.
#[derive(Args)]
pub(crate) struct PromptArguments {
    /// How the catalog is written; the dialect's way if absent
    #[arg(long, value_enum)]
    pub(crate) format: Option<PromptFormat>,
    /// How many characters it may take
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// Speak as this host does: prowess, meerkat, remcochat, vibe-tavern, ruby-llm, claude-code
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `doctor`.
#[derive(Args)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) place: Where,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Skills with code, and what they may do.
#[derive(Args, Default)]
pub(crate) struct CodeSkillArguments {
    /// Activate these skills, or all skills of a directory such as ./dir
    #[arg(long, value_name = "ID|DIR", value_delimiter = ',', add = ids())]
    pub(crate) skills: Vec<String>,
    /// Approve what these skills ask for, for this run only
    #[arg(long, value_name = "ID", value_delimiter = ',', add = ids())]
    pub(crate) approve_skills: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Where,
}

/// How the host is being used.
#[derive(Args, Default)]
pub(crate) struct ModeArgument {
    /// The mode that triggers see; by whether there is a terminal if absent
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
}

impl ModeArgument {
    pub(crate) fn mode(&self) -> Mode {
        let by_terminal = || {
            if std::io::stdin().is_terminal() {
                ModeName::Interactive
            } else {
                ModeName::Headless
            }
        };
        match self.mode.unwrap_or_else(by_terminal) {
            ModeName::Interactive => Mode::Interactive,
            ModeName::Headless => Mode::Headless,
            ModeName::Wiki => Mode::Wiki,
        }
    }
}

/// A mode, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// With a person
    Interactive,
    /// Without one
    Headless,
    /// Building a wiki
    Wiki,
}

const WHY_HELP: &str = "\
Examples:
  prowess why kubernetes
  prowess why kubernetes --message deploy the pods
  prowess why rfc-writer --json";

/// Arguments of `why`.
#[derive(Args)]
pub(crate) struct WhyArguments {
    /// The skill's id
    #[arg(add = ids())]
    pub(crate) skill: String,
    /// The message that keywords are looked for in
    #[arg(long, num_args = 1.., value_name = "WORDS")]
    pub(crate) message: Vec<String>,
    #[command(flatten)]
    pub(crate) mode: ModeArgument,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const TRACE_HELP: &str = "\
Examples:
  prowess trace                                the skills that the project itself calls for
  prowess trace deploy it to kubernetes        with a message
  prowess trace --skills ./my-skill            with the skills of a directory

Skills really become active, and end again: what they ask for has to be approved.";

/// Arguments of `trace`.
#[derive(Args)]
pub(crate) struct TraceArguments {
    /// The message
    pub(crate) message: Vec<String>,
    #[command(flatten)]
    pub(crate) mode: ModeArgument,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const RUN_HELP: &str = "\
Examples:
  prowess run rfc-writer/draft --arg title=\"Faster scans\"
  prowess run core-tools/find_files --arg pattern='*.rs'
  prowess run pdf-forms/scripts/fill.py -- form.pdf --flat
  prowess run kubernetes/pods --input '{\"namespace\": \"web\"}' --json

What a skill asks for is asked in a terminal, once for each content of the skill. Without a terminal nothing is
approved but what --approve-skills names, or [permissions.approved] in your own prowess.toml.

Exit codes:
  0  it ran
  1  it failed
  2  the command line makes no sense
  4  it is not approved";

/// Arguments of `run`.
#[derive(Args)]
pub(crate) struct RunArguments {
    /// The skill's id, a slash, and the name of a workflow or a tool, or the path of a script
    #[arg(value_name = "SKILL/NAME", add = ids())]
    pub(crate) target: String,
    /// A key and its value; JSON where it reads as JSON, else text (may be repeated)
    #[arg(long = "arg", value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// The whole input as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// What a script gets as its arguments
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub(crate) script: Vec<String>,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const PERMISSIONS_HELP: &str = "\
Examples:
  prowess permissions                                    everything that was approved for good
  prowess permissions kubernetes --revoke                take back all of it
  prowess permissions kubernetes --revoke shell:exec     take back one";

/// Arguments of `permissions`.
#[derive(Args)]
pub(crate) struct PermissionsArguments {
    /// Only this skill
    #[arg(add = ids())]
    pub(crate) skill: Option<String>,
    /// Take back what was approved: everything of the skill, or one permission
    #[arg(long, value_name = "PERMISSION", num_args = 0..=1, requires = "skill", default_missing_value = "all")]
    pub(crate) revoke: Option<String>,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How the catalog is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptFormat {
    /// Elements with the id as attribute
    Xml,
    /// Elements with name and description inside
    XmlElements,
    /// Empty elements with attributes
    XmlAttributes,
    /// One JSON object
    Json,
    /// A list
    Markdown,
}

impl From<PromptFormat> for CatalogFormat {
    fn from(format: PromptFormat) -> Self {
        match format {
            PromptFormat::Xml => Self::Xml,
            PromptFormat::XmlElements => Self::XmlElements,
            PromptFormat::XmlAttributes => Self::XmlAttributes,
            PromptFormat::Json => Self::Json,
            PromptFormat::Markdown => Self::Markdown,
        }
    }
}

const CHECK_HELP: &str = "\
Examples:
  prowess check                      every skill below this directory
  prowess check skills/pdf           one skill
  prowess check --fix                mend what can be mended, after asking
  prowess check --fix --yes          the same without asking
  prowess check --explain unquoted-colon
  prowess check --format github      annotations for a pull request

Exit codes:
  0  every skill is valid (there may be warnings)
  1  something could not be read
  2  the command line makes no sense
  3  a skill is invalid";

const AUDIT_HELP: &str = "\
Examples:
  prowess audit skills/pdf           one skill, or every skill below a directory
  prowess audit pdf-forms            a skill by its id, wherever it comes from
  prowess audit . --format sarif     for code scanning

Exit codes:
  0  everything was read, and nothing found that counts (see --fail-on)
  1  a target could not be audited
  2  invalid arguments
  3  something was found, or code could not be read (unverified)

Skills of the type security-rule add their rules. Their code looks only if it was approved before; an audit asks
nothing.

A skill without findings is not thereby harmless: read what was not read, and what its code does.";

/// Arguments of `audit`.
#[derive(Args)]
pub(crate) struct AuditArguments {
    /// Directories with skills, or ids of skills
    #[arg(required = true, value_name = "PATH|ID", add = ids())]
    pub(crate) targets: Vec<String>,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = AuditFormat::Human)]
    pub(crate) format: AuditFormat,
    /// Print JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// The least that counts for the exit code
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Medium)]
    pub(crate) fail_on: FailOn,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
}

impl AuditArguments {
    pub(crate) fn format(&self) -> AuditFormat {
        if self.json {
            AuditFormat::Json
        } else {
            self.format
        }
    }
}

/// How `audit` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    /// Source lines with carets, for people
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// The least that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Only what is critical
    Critical,
    /// What is high or worse
    High,
    /// What is medium or worse
    Medium,
    /// What is low or worse
    Low,
    /// Everything
    Info,
}

impl FailOn {
    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::Critical => Severity::Critical,
            Self::High => Severity::High,
            Self::Medium => Severity::Medium,
            Self::Low => Severity::Low,
            Self::Info => Severity::Info,
        }
    }
}

/// Arguments of `check`.
#[derive(Args)]
pub(crate) struct CheckArguments {
    /// Skills, or directories to search for them
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// Print JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Mend what needs no guessing: quotes, tabs, spelling of keys, line endings
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub(crate) fix: bool,

    /// Write fixes without asking
    #[arg(short, long, requires = "fix")]
    pub(crate) yes: bool,

    /// Explain a diagnostic code and exit
    #[arg(long, value_name = "CODE", exclusive = true)]
    pub(crate) explain: Option<String>,
}

impl CheckArguments {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// How `check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Source lines with carets, for people
    Human,
    /// One JSON document
    Json,
    /// Annotations for GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}
