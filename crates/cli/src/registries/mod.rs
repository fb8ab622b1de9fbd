//! Registries of packages: those of the user, their tokens, their cached answers, and the commands about them.

mod cache;
mod configured;
mod credentials;
pub(crate) mod login;
mod mirror;
pub(crate) mod owners;
mod secret_tool;
mod user_config;
pub(crate) mod yank;

pub(crate) use configured::{Registries, RegistryArgument, RemotePackage, refused};
