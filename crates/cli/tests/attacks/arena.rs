//! Attacks by a skill, one after the other.

use std::path::Path;

use prowess_sandbox::Limits;
use prowess_sandbox::limits::SCRATCH;
use prowess_spec::manifest::Permission;
use serde::Deserialize;

use crate::executors::{AttackResult, Executor};
use crate::watched::{Known, Verdict, Watched, file};

/// One row of the sandbox's table.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Attack {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) category: String,
    #[serde(default)]
    grants: Vec<String>,
    #[serde(default)]
    outcome: Option<String>,
    #[serde(default)]
    open_in: Vec<String>,
}

#[derive(Deserialize)]
struct Table {
    attack: Vec<Attack>,
}

/// The attacks that need nothing but a project to be granted, end by themselves and must not succeed.
pub(crate) fn attacks() -> Vec<Attack> {
    let table: Table = toml::from_str(&file("attacks.toml")).unwrap();
    let plain = |attack: &Attack| {
        let everywhere = attack.open_in.iter().any(|place| place == "every jail");
        let network = attack.grants.iter().any(|grant| grant == "network");
        // The skills of these tests do not lie in the project.
        let in_project = ["skill-in-project", "skill-replaced"].contains(&attack.id.as_str());
        !network && !in_project && attack.outcome.is_none() && !everywhere
    };
    table.attack.into_iter().filter(plain).collect()
}

pub(crate) struct Arena(Watched);

impl Arena {
    pub(crate) fn new() -> Self {
        Self(Watched::new())
    }

    /// Has a skill make an attack, and looks at what it left.
    pub(crate) fn run(&mut self, attack: &Attack, executor: &dyn Executor) -> Verdict {
        let known = Known {
            project: Path::new("/project"),
            skill: Path::new("/skill"),
            given: &["HOME", "LANG", "LC_CTYPE", "PATH", "PWD", "TMPDIR"],
            limits: Limits::default(),
            scratch: SCRATCH,
        };
        let before = self.0.before();
        let mark = self.0.mark(&attack.id);
        let text = self.0.text(&attack.id, &known);
        let permissions: &[Permission] = if attack.grants.is_empty() {
            &[Permission::FileRead]
        } else {
            &[Permission::FileRead, Permission::FileWrite]
        };
        let said = executor.run(&self.0.root().join("project"), &text, &mark, permissions);
        self.0.after(&before, &mark, verdict(attack, said))
    }
}

fn verdict(attack: &Attack, said: AttackResult) -> Verdict {
    match said {
        AttackResult::Ended { text, .. }
            if attack.id == "escape-bytes" && !text.contains('\u{1b}') =>
        {
            Verdict::Unclear(text)
        }
        AttackResult::Ended { text, code } => Verdict::of(&text, Some(code), &text),
        // Whoever shoots at everything it sees hits itself.
        AttackResult::Died(reason) => Verdict::Held(format!("it ended with its worker: {reason}")),
        AttackResult::Not(reason) => Verdict::Unclear(reason),
    }
}
