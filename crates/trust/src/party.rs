//! The four parties, and the rule.

use std::fmt;

/// The author of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// The person at the keyboard: the own configuration directory, the environment, the command line.
    User,
    /// Files found in the working directory and up to the root of its repository.
    Project,
    /// The files of a skill.
    Skill,
    /// A server that Prowess talks to.
    Remote,
}

impl Party {
    /// Every party.
    pub const ALL: [Self; 4] = [Self::User, Self::Project, Self::Skill, Self::Remote];
}

/// The effect of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// Adds skills or text.
    Add,
    /// Lowers a limit, or leaves something out.
    Narrow,
    /// Chooses the destination of a key or a request.
    Redirect,
    /// Shows a variable or a file to someone.
    Reveal,
    /// Raises a limit or a cost.
    Spend,
    /// Starts a program, or loosens what confines one.
    Run,
    /// Accepts something in the user's name.
    Approve,
}

impl Act {
    /// Every act.
    pub const ALL: [Self; 7] = [
        Self::Add,
        Self::Narrow,
        Self::Redirect,
        Self::Reveal,
        Self::Spend,
        Self::Run,
        Self::Approve,
    ];
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "add skills",
            Self::Narrow => "lower limits",
            Self::Redirect => "choose the destination of keys and requests",
            Self::Reveal => "expose variables or files",
            Self::Spend => "raise limits",
            Self::Run => "start programs or loosen the sandbox",
            Self::Approve => "approve anything",
        })
    }
}

/// The answer to [`may`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The statement is obeyed.
    Allowed,
    /// Allowed only after the user has seen and accepted its exact effect.
    AskUser,
}

/// Whether a statement of `party` that does `act` is obeyed without a question.
pub const fn may(party: Party, act: Act) -> Verdict {
    match (party, act) {
        (Party::User, _) | (_, Act::Add | Act::Narrow) => Verdict::Allowed,
        (
            Party::Project | Party::Skill | Party::Remote,
            Act::Redirect | Act::Reveal | Act::Spend | Act::Run | Act::Approve,
        ) => Verdict::AskUser,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_does_more_than_add_and_narrow() {
        for party in Party::ALL {
            for act in Act::ALL {
                let free = party == Party::User || matches!(act, Act::Add | Act::Narrow);
                let expected = if free {
                    Verdict::Allowed
                } else {
                    Verdict::AskUser
                };
                assert_eq!(may(party, act), expected, "{party:?} {act:?}");
            }
        }
    }
}
