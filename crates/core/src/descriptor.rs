//! The metadata of a skill before it is loaded.

use prowess_spec::{Head, estimate_tokens};
use serde::{Deserialize, Serialize};

use crate::id::SkillId;

/// A skill as the catalog knows it: small, because there may be a hundred thousand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Descriptor {
    /// The one identifier.
    pub id: SkillId,
    /// The description: what the skill does and when to use it.
    pub description: Box<str>,
    /// Whose skill it is.
    pub scope: Scope,
    /// Who can activate it.
    pub invocation: Invocation,
    /// The expected arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<Box<str>>,
    /// The required capabilities of the host.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub requires_capabilities: Box<[Box<str>]>,
    /// Further keys and values of the author's.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub metadata: Box<[(Box<str>, Box<str>)]>,
    /// About how many bytes the instructions take.
    pub body_bytes: u32,
    /// Changes whenever the file of the skill changes; use it as a cache key for derived data.
    #[serde(skip)]
    pub stamp: u64,
}

/// Whose skill it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Compiled in.
    Builtin,
    /// The user's own, for every project.
    User,
    /// The project's.
    Project,
    /// From somewhere else.
    Remote,
}

/// Who can activate a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Invocation {
    /// A model may choose it, and a person may name it.
    #[default]
    Anyone,
    /// Only a person may name it.
    UserOnly,
    /// Only a model may choose it.
    ModelOnly,
    /// Neither: it can only be preloaded or referred to by a program.
    ProgramOnly,
}

impl Invocation {
    /// Combines the two fields of the frontmatter.
    pub fn new(disable_model_invocation: bool, user_invocable: bool) -> Self {
        match (disable_model_invocation, user_invocable) {
            (false, true) => Self::Anyone,
            (true, true) => Self::UserOnly,
            (false, false) => Self::ModelOnly,
            (true, false) => Self::ProgramOnly,
        }
    }

    /// Whether a model may choose the skill.
    pub fn by_model(self) -> bool {
        matches!(self, Self::Anyone | Self::ModelOnly)
    }

    /// Whether a person may name the skill.
    pub fn by_user(self) -> bool {
        matches!(self, Self::Anyone | Self::UserOnly)
    }
}

impl Descriptor {
    /// The descriptor of a skill whose file begins with `head` and is `file_bytes` long.
    pub fn new(id: SkillId, head: &Head<'_>, scope: Scope, file_bytes: u64, stamp: u64) -> Self {
        let body_bytes = file_bytes.saturating_sub(head.body_start as u64);
        let disabled = head.disable_model_invocation.unwrap_or(false);
        let metadata = head
            .metadata
            .iter()
            .map(|(key, value)| (boxed(key), boxed(value)));
        Self {
            id,
            description: boxed(&head.description),
            scope,
            invocation: Invocation::new(disabled, head.user_invocable.unwrap_or(true)),
            argument_hint: head.argument_hint.as_deref().map(boxed),
            requires_capabilities: head
                .requires_capabilities
                .iter()
                .map(|text| boxed(text))
                .collect(),
            metadata: metadata.collect(),
            body_bytes: u32::try_from(body_bytes).unwrap_or(u32::MAX),
            stamp,
        }
    }

    /// The last part of the id.
    pub fn name(&self) -> &str {
        self.id.name()
    }

    /// About how many tokens the skill costs at each level of disclosure.
    pub fn tokens(&self) -> LevelTokens {
        LevelTokens {
            catalog: estimate_tokens(self.id.as_str()) + estimate_tokens(&self.description),
            instructions: usize::try_from(self.body_bytes.div_ceil(4)).unwrap_or(usize::MAX),
        }
    }
}

fn boxed(text: &str) -> Box<str> {
    text.into()
}

/// Estimated tokens of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LevelTokens {
    /// Id and description, which the model always sees.
    pub catalog: usize,
    /// The instructions, which it sees once the skill is active.
    pub instructions: usize,
}
