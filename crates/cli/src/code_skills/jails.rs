//! Configures workers, sandboxes and scripts for the code of skills.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::thread;

use prowess_config::{SandboxMode, Scripts as Wanted, SkillsConfig, StoreLocation};
use prowess_core::Skills;
use prowess_runtime::worker::Program;
use prowess_runtime::{
    Approvals, Approver, Jails, NoApprover, Scripts, ScriptsMode, Workers, secret_places,
};
use prowess_sandbox::{Launcher, Requirement};
use prowess_scan::{File, Rules};
use prowess_trust::ProjectRoot;
use prowess_worker::JailedParsers;

use super::store::{self, StoreNeed};
use crate::error::{CommandError, Context, Result};
use crate::{environment, terminal};

fn own_program() -> Result<PathBuf> {
    let program = env::current_exe().context("cannot find the path of this program")?;
    // A sandbox contains the real file, not links to it.
    Ok(program.canonicalize().unwrap_or(program))
}

/// Returns a sandbox launcher that runs this program as `sandbox-init`.
pub(crate) fn launcher() -> Result<Launcher> {
    let mut launcher = Launcher::new(own_program()?);
    launcher.arguments = vec!["sandbox-init".into()];
    Ok(launcher)
}

fn jails(config: &SkillsConfig) -> Result<Jails> {
    let requirement = match config.skills.sandbox {
        SandboxMode::Full => Requirement::Full,
        SandboxMode::None => Requirement::ExplicitlyNone,
    };
    let search = env::var("PATH").ok();
    let own_config = environment::user_directories().config;
    let store = match &config.store {
        StoreLocation::Sqlite(path) => Some(path.clone()),
        StoreLocation::DefaultSqlite | StoreLocation::Postgres(_) => None,
    };
    let ours = [
        environment::data_directory(),
        environment::cache_directory(),
        own_config.map(|directory| directory.join("prowess")),
        store,
    ];
    let hidden = config.permissions.secret_paths.iter().cloned();
    let hidden = hidden.chain(ours.into_iter().flatten());
    let hidden = hidden.chain(moved_secret_places());
    let home = environment::user_directories().home;
    let jails = Jails::new(launcher()?, requirement, search, home).hide(hidden);
    Ok(jails.watched(environment::work_records()))
}

/// Secret places of the home directory that variables of the environment put elsewhere.
fn moved_secret_places() -> Vec<PathBuf> {
    let moved = environment::moved_directories();
    let places = moved.iter().flat_map(|(name, directory)| {
        secret_places().filter_map(move |place| {
            let rest = Path::new(place).strip_prefix(name).ok()?;
            Some(directory.join(rest))
        })
    });
    places.collect()
}

/// The parsers of this process: this program as `worker parse`, shut in.
pub(crate) fn parsers() -> Arc<JailedParsers> {
    static PARSERS: LazyLock<Arc<JailedParsers>> = LazyLock::new(|| {
        // Without a program none starts, and no code is parsed: it is reported as not read.
        let mut launcher = Launcher::new(own_program().unwrap_or_default());
        launcher.arguments = vec!["worker".into(), "parse".into()];
        Arc::new(JailedParsers::new(launcher))
    });
    Arc::clone(&PARSERS)
}

/// The rules of an audit; code is parsed in a jail.
pub(crate) fn base_rules() -> Rules {
    Rules::base(parsers())
}

/// Compiles the rules and starts a parser while the caller fetches what is to be audited: both take longer than an audit.
pub(crate) fn prepare_rules() {
    thread::spawn(|| {
        let text = File {
            path: "SKILL.md",
            bytes: b"Read it.\n",
        };
        base_rules().scan([text], None);
    });
    // Without a parser the audit says that code is not read.
    thread::spawn(|| parsers().jail());
}

/// Returns workers that run this program as `worker KIND`.
pub(super) fn workers(config: &SkillsConfig) -> Result<Workers> {
    let program = own_program()?;
    let worker = |kind: &str| Program {
        program: program.clone(),
        arguments: vec!["worker".into(), kind.into()],
    };
    Ok(Workers {
        starlark: Some(worker("starlark")),
        jails: Some(jails(config)?),
        plugin_host: Some(worker("plugin")),
        call_time: None,
    })
}

/// Returns a script runner, and the skills with it unless scripts are off.
pub(super) fn with_scripts(
    skills: Skills,
    config: &SkillsConfig,
    approvals: &Approvals,
    approver: Arc<dyn Approver>,
    project: &Path,
) -> Result<(Skills, Arc<Scripts>)> {
    let scripts = scripts(skills.clone(), config, approvals, approver)?;
    let scripts = Arc::new(scripts.project(project.to_owned()));
    if config.skills.scripts == Wanted::Off {
        return Ok((skills, scripts));
    }
    Ok((skills.with_scripts(Arc::clone(&scripts)), scripts))
}

fn scripts(
    skills: Skills,
    config: &SkillsConfig,
    approvals: &Approvals,
    approver: Arc<dyn Approver>,
) -> Result<Scripts> {
    let mode = match config.skills.scripts {
        Wanted::Off => ScriptsMode::Off,
        Wanted::Ask => ScriptsMode::Ask,
        Wanted::Sandboxed => ScriptsMode::Sandboxed,
    };
    let scripts = Scripts::new(skills, jails(config)?, approvals.clone(), approver, mode);
    Ok(scripts.time(config.permissions.shell_exec_timeout))
}

/// Returns a script runner that uses stored approvals and never asks; `None` if scripts are off.
pub(crate) fn scripts_unattended(
    skills: Skills,
    config: &SkillsConfig,
) -> Result<Option<Arc<Scripts>>> {
    if config.skills.scripts == Wanted::Off {
        return Ok(None);
    }
    let directory = env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    let root = ProjectRoot::find(&directory, home.as_deref());
    let approvals = pollster::block_on(async {
        let store = store::open_for(config, StoreNeed::Required).await?;
        Ok::<_, CommandError>(Approvals::load(store, root.path()).await?)
    });
    let approvals = match approvals {
        Ok(approvals) => approvals,
        Err(error) => {
            terminal::note(&terminal::printable(&format!(
                "warning: scripts are unavailable: {error}"
            )));
            return Ok(None);
        }
    };
    let scripts = scripts(skills, config, &approvals, Arc::new(NoApprover))?;
    Ok(Some(Arc::new(scripts)))
}
