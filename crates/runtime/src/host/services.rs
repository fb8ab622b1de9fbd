//! What a host offers to skills.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use prowess_policy::TurnLimits;
use prowess_sdk::wire::Output;
use serde_json::Value;

use super::environment::Environment;
use super::fetch::PrivateHosts;
use super::files::ProjectFiles;
use super::model::Model;
use crate::confined::Jails;
use crate::event::Listener;

/// What a host offers to skills.
#[derive(Clone, Default)]
pub struct Services {
    /// The project.
    pub project: Option<ProjectFiles>,
    /// The environment.
    pub environment: Environment,
    /// Sandboxes for commands, without which only unconfined commands run. A runtime uses those of its workers by
    /// default.
    pub jails: Option<Jails>,
    /// Limits.
    pub allowances: Allowances,
    /// Hosts of private networks that skills may fetch from.
    pub private_hosts: PrivateHosts,
    /// The model.
    pub model: Option<Arc<dyn Model>>,
    /// Receives events.
    pub listener: Listener,
}

/// Calls a tool or a workflow of an active skill.
#[async_trait]
pub(crate) trait Invoke: Send + Sync {
    async fn invoke(
        &self,
        skill: &str,
        name: &str,
        input: Value,
        depth: usize,
    ) -> Result<Output, String>;
}

/// Limits per turn, and time limits of programs and fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowances {
    /// Calls per turn.
    pub turn: TurnLimits,
    /// Time limit of a program.
    pub exec_time: Duration,
    /// Time limit of a fetch.
    pub fetch_time: Duration,
}

impl Default for Allowances {
    fn default() -> Self {
        Self {
            turn: TurnLimits::default(),
            exec_time: Duration::from_secs(30),
            fetch_time: Duration::from_secs(15),
        }
    }
}
