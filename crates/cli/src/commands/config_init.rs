//! `prowess config init`: a first configuration file, in which everything is explained.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use prowess_config::CONFIG_FILE;

use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::{configuration, environment, terminal};

const PROJECT: &str = include_str!("config_templates/project.toml");
const USER: &str = include_str!("config_templates/user.toml");

/// Arguments of `config init`.
#[derive(Args)]
pub(super) struct ConfigInitArguments {
    /// Write your own file, which counts in every project
    #[arg(long)]
    user: bool,
}

pub(super) fn run(arguments: &ConfigInitArguments, global: &Global) -> Result<Exit> {
    let (path, text) = if arguments.user {
        let directory = environment::user_directories().config;
        let directory = directory.context("cannot find the home directory")?;
        (directory.join("prowess").join(CONFIG_FILE), USER)
    } else {
        (PathBuf::from(CONFIG_FILE), PROJECT)
    };
    let path = std::path::absolute(path)?;
    let shown = configuration::shown(&path);
    let cannot_write = || format!("cannot write {shown}");
    if let Some(directory) = path.parent() {
        environment::make_private_directory(directory).with_context(cannot_write)?;
    }
    let created = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = match created {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(CommandError::failure(format!("{shown} already exists"))
                .hint("run `prowess config show` to print what it sets"));
        }
        created => created.with_context(cannot_write)?,
    };
    file.write_all(text.as_bytes()).with_context(cannot_write)?;
    if !global.quiet {
        terminal::note(&format!("wrote {shown}; everything in it is a comment"));
    }
    Ok(Exit::Success)
}
