//! Decisions about permissions.

use std::fmt;

use prowess_spec::manifest::{Keyword, Permission};

use crate::grant::{Effect, Grants, Subject};

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Allowed,
    /// It may not.
    Denied(Denial),
}

/// Why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The manifest does not declare it, so it cannot be approved.
    NotDeclared(Permission),
    /// Not approved, or denied.
    NotApproved(Permission),
    /// It was done as often as a turn allows.
    RateLimited {
        /// The requested data.
        permission: Permission,
        /// How often a turn allows it.
        limit: u32,
    },
}

impl Denial {
    /// A stable word for it.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotDeclared(_) => "not-declared",
            Self::NotApproved(_) => "not-approved",
            Self::RateLimited { .. } => "rate-limited",
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDeclared(permission) => {
                write!(f, "the skill does not declare `{}`", permission.as_str())
            }
            Self::NotApproved(permission) => {
                write!(
                    f,
                    "`{}` is not approved for this skill",
                    permission.as_str()
                )
            }
            Self::RateLimited { permission, limit } => write!(
                f,
                "limit reached: `{}` can be used {limit} times per turn",
                permission.as_str()
            ),
        }
    }
}

/// Whether a skill has a permission: declared, approved for exactly this content, and not denied.
///
/// ```
/// use prowess_policy::{ContentDigest, Contents, Decision, Effect, Grant, Grants, Lifetime, Subject, decide};
/// use prowess_spec::manifest::Permission;
///
/// let subject = Subject { skill: "kubernetes".to_owned(), content: ContentDigest([1; 32]) };
/// let grants: Grants = [Grant {
///     skill: "kubernetes".to_owned(),
///     contents: Contents::Exactly(subject.content),
///     right: Permission::ShellExec.into(),
///     effect: Effect::Allow,
///     lifetime: Lifetime::Always,
/// }].into_iter().collect();
/// let declared = [Permission::ShellExec];
/// assert_eq!(decide(&subject, &declared, &grants, Permission::ShellExec), Decision::Allowed);
///
/// let changed = Subject { content: ContentDigest([2; 32]), ..subject };
/// assert_ne!(decide(&changed, &declared, &grants, Permission::ShellExec), Decision::Allowed);
/// ```
pub fn decide(
    subject: &Subject,
    declared: &[Permission],
    grants: &Grants,
    permission: Permission,
) -> Decision {
    if !declared.contains(&permission) {
        return Decision::Denied(Denial::NotDeclared(permission));
    }
    match grants.effect(subject, permission) {
        Some(Effect::Allow) => Decision::Allowed,
        Some(Effect::Deny) | None => Decision::Denied(Denial::NotApproved(permission)),
    }
}

/// How often a turn allows what costs something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// Questions to the model.
    pub llm_calls: u32,
    /// Commands.
    pub shell_execs: u32,
    /// Fetches.
    pub net_fetches: u32,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            llm_calls: 10,
            shell_execs: 20,
            net_fetches: 10,
        }
    }
}

impl TurnLimits {
    /// How often this is allowed; nothing where it is not counted.
    fn of(&self, permission: Permission) -> Option<u32> {
        match permission {
            Permission::LlmCall => Some(self.llm_calls),
            Permission::ShellExec => Some(self.shell_execs),
            Permission::NetFetch => Some(self.net_fetches),
            _ => None,
        }
    }
}

/// The usage of a skill in a turn. Each turn starts with a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    counts: Vec<(Permission, u32)>,
}

impl Usage {
    /// Counts one more, unless that is one too many.
    pub fn take(&mut self, permission: Permission, limits: &TurnLimits) -> Decision {
        let Some(limit) = limits.of(permission) else {
            return Decision::Allowed;
        };
        let position = self
            .counts
            .iter()
            .position(|(counted, _)| *counted == permission);
        let used = position.and_then(|position| self.counts.get_mut(position));
        match used {
            Some((_, used)) if *used >= limit => {
                Decision::Denied(Denial::RateLimited { permission, limit })
            }
            Some((_, used)) => {
                *used += 1;
                Decision::Allowed
            }
            None if limit == 0 => Decision::Denied(Denial::RateLimited { permission, limit }),
            None => {
                self.counts.push((permission, 1));
                Decision::Allowed
            }
        }
    }
}
