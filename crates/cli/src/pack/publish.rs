//! `prowess publish`: a skill to a registry.

use std::path::PathBuf;

use clap::Args;
use prowess_registry::{PackageName, PackageTree, Publication, RegistryClient, package_digest};
use semver::Version;
use serde_json::{Value, json};

use super::command::{Preparation, PreparedSkill, prepare};
use super::keys;
use crate::arguments::Global;
use crate::audit::AllowedFindings;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::packages::Inspection;
use crate::registries::{Registries, RegistryArgument, refused};
use crate::{code_skills, configuration, terminal};

const HELP: &str = "\
The skill is checked, tested and audited as by `pack`; errors stop the command. A published version never \
changes: publishing the same files again does nothing, other files need another version.

Examples:
  prowess publish                        publish the skill of this directory
  prowess publish skills/pdf --dry-run   show what would be published
  prowess publish --owner acme --yes     publish acme/NAME without asking
  prowess publish --sign ~/my.key        sign the package

Exit codes:
  0  published, or published before with the same files
  1  the registry cannot be asked, or refuses the package
  2  invalid arguments
  3  the skill is invalid or a test case fails
  4  not allowed: log in, or say yes";

/// Arguments of `publish`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct PublishArguments {
    /// Directory of the skill
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Owner of the package: it is named OWNER/NAME
    #[arg(long, value_name = "OWNER")]
    owner: Option<String>,
    /// Version, if the skill states none
    #[arg(long, value_name = "VERSION")]
    version: Option<Version>,
    /// Secret key to sign with
    #[arg(long, value_name = "KEYFILE")]
    sign: Option<PathBuf>,
    #[command(flatten)]
    registry: RegistryArgument,
    /// Show what would be published, and publish nothing
    #[arg(long)]
    dry_run: bool,
    /// Publish without asking
    #[arg(short, long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &PublishArguments, global: &Global) -> Result<Exit> {
    let config = configuration::load(global)?;
    let registries = Registries::new(&config, global).limited(&arguments.registry)?;
    let skill = match prepare(&arguments.path, "publish", arguments.json, global)? {
        Preparation::Ready(skill) => skill,
        Preparation::Refused(exit) => return Ok(exit),
    };
    let name = package_name(&skill.name, arguments.owner.as_deref())?;
    let version = version(&skill.contents.tree, arguments.version.as_ref())?;
    let client = registries.owner_of(&name)?;
    let inspection = Inspection::new(
        &skill.name,
        &skill.contents.tree,
        &code_skills::base_rules(),
        &AllowedFindings::default(),
        &[],
    );
    let file = format!("{}-{version}.tar.gz", skill.name);
    let key = arguments.sign.as_deref();
    let signed = key.map(|key| keys::sign_with(key, &skill.packed, &file));
    let signed = signed.transpose()?;
    let digest = package_digest(&skill.packed).to_string();
    if !arguments.json && !global.quiet {
        show(&name, &version, &skill, &inspection, &client)?;
    }
    let mut document = json!({
        "version": 1,
        "name": name,
        "package_version": version,
        "registry": client.url().as_str(),
        "bytes": skill.packed.len(),
        "digest": digest,
        "inspection": inspection,
        "public_key": signed.as_ref().map(|it| it.key.to_string()),
        "published": false,
    });
    if arguments.dry_run {
        return finish(arguments, global, &document, "nothing was published");
    }
    consent(arguments, &name, &version, &client)?;
    let publication = Publication {
        bytes: skill.packed,
        signature: signed.map(|it| it.signature),
    };
    let cannot = format!("cannot publish {name} {version}");
    let published = client.publish(&name, &version, &publication);
    let published = published.map_err(|error| refused(&cannot, &error))?;
    let receipt = &published.receipt;
    if receipt.digest != digest {
        return Err(CommandError::failure(format!(
            "{} stored {} as {name} {version}, not {digest}",
            client.host(),
            receipt.digest
        )));
    }
    for warning in receipt.warnings.iter().filter(|_| !global.quiet) {
        terminal::note(&format!("warning: {}", terminal::one_line(warning)));
    }
    if let Value::Object(fields) = &mut document {
        fields.insert("published".to_owned(), published.is_new.into());
        fields.insert("warnings".to_owned(), json!(receipt.warnings));
    }
    if !arguments.json && published.is_new {
        terminal::print(&format!("published {name} {version} ({digest})\n"))?;
        return Ok(Exit::Success);
    }
    let note = format!("{name} {version} was published before, with the same files");
    finish(arguments, global, &document, &note)
}

fn finish(
    arguments: &PublishArguments,
    global: &Global,
    document: &Value,
    note: &str,
) -> Result<Exit> {
    if arguments.json {
        terminal::print_json(document)?;
    } else if !global.quiet {
        terminal::note(note);
    }
    Ok(Exit::Success)
}

fn package_name(skill: &str, owner: Option<&str>) -> Result<PackageName> {
    let text = match owner {
        Some(owner) => format!("{owner}/{skill}"),
        None => skill.to_owned(),
    };
    text.parse()
        .map_err(|error: prowess_registry::InvalidPackageName| {
            CommandError::usage(format!("cannot publish: {error}"))
        })
}

/// The version that the skill states, or else that of the command line.
fn version(tree: &PackageTree, typed: Option<&Version>) -> Result<Version> {
    let Some(stated) = tree.version() else {
        let hint = "add `version` to the metadata of the skill, or pass `--version 1.0.0`";
        let missing = || CommandError::failure("cannot publish: the skill states no version");
        return typed.cloned().ok_or_else(|| missing().hint(hint));
    };
    let shown = stated.escape_debug().to_string();
    let stated = Version::parse(&stated).map_err(|_| {
        CommandError::failure(format!(
            "cannot publish: invalid version `{shown}`: expected one such as 1.2.0"
        ))
    })?;
    match typed {
        Some(typed) if *typed != stated => Err(CommandError::usage(format!(
            "cannot publish: the skill states version {stated}, not {typed}"
        ))),
        _ => Ok(stated),
    }
}

fn show(
    name: &PackageName,
    version: &Version,
    skill: &PreparedSkill,
    inspection: &Inspection,
    client: &RegistryClient,
) -> Result<()> {
    terminal::print(&format!("{name} {version} to {}\n", client.url()))?;
    terminal::print(&inspection.lines())?;
    for (path, reason) in &skill.contents.left_out {
        let line = terminal::printable(&format!("  left out     {path} ({reason})"));
        terminal::print(&format!("{line}\n"))?;
    }
    let counts = skill.counts;
    let tests = match counts.not_approved {
        0 => format!("{} passed", counts.passed),
        count => format!("{} passed, {count} not approved", counts.passed),
    };
    terminal::print(&format!("  tests        {tests}\n"))?;
    Ok(())
}

fn consent(
    arguments: &PublishArguments,
    name: &PackageName,
    version: &Version,
    client: &RegistryClient,
) -> Result<()> {
    if !client.has_token() {
        let message = format!(
            "cannot publish {name} {version}: no token for {}",
            client.host()
        );
        let url = client.url();
        return Err(CommandError::permission(message).hint(format!("run `prowess login {url}`")));
    }
    if arguments.yes {
        return Ok(());
    }
    if !terminal::can_ask() || arguments.json {
        return Err(CommandError::permission("nothing was published")
            .hint("look at it with `--dry-run`, then add `--yes`"));
    }
    let question = format!("publish {name} {version} at {}?", client.host());
    let agreed = terminal::confirm(&question).context("cannot ask")?;
    if agreed {
        Ok(())
    } else {
        Err(CommandError::permission("nothing was published"))
    }
}
