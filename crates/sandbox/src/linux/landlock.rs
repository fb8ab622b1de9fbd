//! The second layer: files that a child may write, whatever becomes of its mounts.

use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope, path_beneath_rules,
};

use crate::confinement::{Access, Confinement, Network};
use crate::error::{Refusal, Step};

/// The newest that we know; the crate takes what the kernel has of it.
const NEWEST: ABI = ABI::V9;

/// Devices that may be written to; everything but the null device ignores it or fails.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// Everything may be read, as far as it is there; only what is writable may be written. Returns the version.
pub(super) fn restrict(confinement: &Confinement) -> Result<Option<u32>, Refusal> {
    let mut ruleset = rules()?;
    if confinement.network == Network::None {
        let network = AccessNet::from_all(NEWEST);
        ruleset = ruleset.handle_access(network).step("forbid TCP")?;
    }
    let mut writable = vec![PathBuf::from("/tmp"), PathBuf::from("/dev/shm")];
    writable.extend(confinement.copied.iter().map(|mount| mount.inside.clone()));
    for (mount, access) in confinement.mounts() {
        if access != Access::ReadOnly {
            writable.push(mount.inside);
        }
    }
    let status = ruleset
        .create()
        .step("make a Landlock ruleset")?
        .add_rules(path_beneath_rules(["/"], AccessFs::from_read(NEWEST)))
        .step("allow to read")?
        .add_rules(path_beneath_rules(writable, AccessFs::from_all(NEWEST)))
        .step("allow to write")?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(NEWEST)))
        .step("allow devices")?
        .restrict_self()
        .step("enforce Landlock")?;
    Ok(version(&status.landlock))
}

/// No file may be opened, no connection made, no process outside signalled. Returns the version.
pub(super) fn forbid_everything() -> Result<Option<u32>, Refusal> {
    let status = rules()?
        .handle_access(AccessNet::from_all(NEWEST))
        .step("forbid TCP")?
        .create()
        .step("make a Landlock ruleset")?
        .restrict_self()
        .step("enforce Landlock")?;
    Ok(version(&status.landlock))
}

fn rules() -> Result<Ruleset, Refusal> {
    Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))
        .step("forbid files")?
        .scope(Scope::from_all(NEWEST))
        .step("forbid signals")
}

fn version(status: &LandlockStatus) -> Option<u32> {
    match status {
        LandlockStatus::Available { effective_abi, .. } => {
            u32::try_from(*effective_abi as i32).ok()
        }
        _ => None,
    }
}
