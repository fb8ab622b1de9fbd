//! The table of attacks, as data.

use prowess_sandbox::Isolation;
use serde::Deserialize;

use super::watched::file;

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Attack {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) category: String,
    #[serde(default)]
    pub(crate) grants: Vec<Grant>,
    #[serde(default)]
    pub(crate) outcome: Outcome,
    #[serde(default)]
    pub(crate) open_in: Vec<Place>,
}

/// What the confinement gives away for an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Grant {
    Network,
    ProjectWrite,
}

/// How an attack ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    #[default]
    ByItself,
    KilledByUs,
    EndedByLimit,
}

/// Where an attack is known to succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Place {
    #[serde(rename = "every jail")]
    Everywhere,
    #[serde(rename = "bubblewrap")]
    Bubblewrap,
}

impl Attack {
    /// Whether it is known to succeed in such a jail.
    pub(crate) fn open(&self, isolation: Isolation) -> bool {
        let bubblewrap = isolation == Isolation::Bubblewrap;
        self.open_in.iter().any(|place| match place {
            Place::Everywhere => true,
            Place::Bubblewrap => bubblewrap,
        })
    }
}

#[derive(Deserialize)]
struct Table {
    attack: Vec<Attack>,
}

pub(crate) fn attacks() -> Vec<Attack> {
    let table: Table = toml::from_str(&file("attacks.toml")).unwrap();
    table.attack
}
