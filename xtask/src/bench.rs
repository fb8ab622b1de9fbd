//! `cargo xtask bench`: the benchmarks by name.

use anyhow::Result;
use clap::ValueEnum;

use crate::run::run;
use crate::workspace::Workspace;

/// A benchmark, and what to tell it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Which one
    name: Bench,
    /// Passed on to the benchmark
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

/// Every benchmark of the workspace.
#[derive(Clone, Copy, ValueEnum)]
enum Bench {
    /// The loop around a model
    Agent,
    /// What an audit finds, how often it is wrong, and how fast it is
    Audit,
    /// The web console in a browser
    Console,
    /// Discovering and rendering skills
    Engine,
    /// Parsing and checking skills
    Format,
    /// Skills over MCP
    Mcp,
    /// Installing, verifying and updating skills
    Packages,
    /// Programs of skills, in their jails
    Process,
    /// Searching, reading, downloading and publishing packages of a registry
    Registry,
    /// Skills with code: triggers, workers, handlers
    Runtime,
    /// Finding the right skill, and how fast
    Search,
    /// Many clients at once, some of which hang
    Serve,
    /// Requests a second, pages, sessions and memory of the service
    Server,
    /// Archives, and places far away
    Sources,
}

impl Bench {
    /// The packages it lives in, and its names there. Only the first takes arguments.
    fn targets(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Agent => &[("prowess-agent", "agent")],
            Self::Audit => &[("prowess-scan", "audit")],
            Self::Console => &[("prowess-cli", "console")],
            Self::Engine => &[("prowess-cli", "engine")],
            Self::Format => &[("prowess-cli", "format")],
            Self::Mcp => &[("prowess-cli", "mcp")],
            Self::Packages => &[("prowess-cli", "packages")],
            Self::Process => &[("prowess-cli", "process")],
            Self::Registry => &[("prowess-cli", "registry")],
            Self::Runtime => &[("prowess-cli", "runtime")],
            Self::Search => &[
                ("prowess-core", "search"),
                ("prowess-embeddings", "meaning"),
                ("prowess-cli", "search"),
            ],
            Self::Serve => &[("prowess-cli", "serve")],
            Self::Server => &[("prowess-cli", "server")],
            Self::Sources => &[("prowess-cli", "sources")],
        }
    }
}

/// Runs one benchmark; with arguments, only its first part.
pub(crate) fn bench(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let parts = arguments.name.targets();
    let parts = if arguments.args.is_empty() {
        parts
    } else {
        parts.get(..1).unwrap_or(parts)
    };
    for (package, name) in parts {
        run(workspace
            .cargo()
            .args(["bench", "--profile", "dist", "--package", package])
            .args(["--bench", name, "--"])
            .args(&arguments.args))?;
    }
    Ok(())
}
