//! Who says what a skill may do.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use prowess_core::SkillId;
use prowess_policy::{
    CommandGrant, CommandPattern, CommandReach, Contents, Decision, Effect, Grant, Grants,
    Lifetime, Right, Subject, decide,
};
use prowess_spec::manifest::{Manifest, Permission};
use prowess_store::{Store, StoreError};

use crate::code_skill::CodeSkill;
use crate::content::{SkillContent, is_own};

/// A question to whoever may answer it.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The skill.
    pub skill: &'a SkillContent,
    /// What it wants to be, if it says so.
    pub manifest: Option<&'a Manifest>,
    /// What nobody decided yet.
    pub rights: &'a [Right],
    /// Whether other contents of it were allowed something before.
    pub changed: bool,
}

impl Question<'_> {
    /// Whether the answer may count in every project: only for a skill that is built in or the user's own.
    pub fn may_count_everywhere(&self) -> bool {
        is_own(self.skill.scope)
    }
}

/// What the user answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalDecision {
    /// It may, until the session ends.
    Once,
    /// It may, in this project, for as long as it stays as it is.
    Always,
    /// It may, in every project, for as long as it stays as it is.
    Everywhere,
    /// It may not.
    Deny,
    /// There is nobody to ask.
    Unavailable,
}

/// A question about one command.
#[derive(Clone, Copy, Debug)]
pub struct CommandQuestion<'a> {
    /// The skill that wants to run it.
    pub skill: &'a SkillId,
    /// The program and its arguments.
    pub command: &'a [String],
    /// Where it starts.
    pub directory: &'a Path,
    /// What it can reach.
    pub reach: CommandReach,
    /// What it reads from its standard input.
    pub stdin: Option<&'a str>,
    /// Variables that the skill set for it.
    pub variables: &'a [(String, String)],
}

impl CommandQuestion<'_> {
    /// Whether the words of the command are all that decides what it does: only then may an answer count again.
    pub fn is_plain(&self) -> bool {
        self.stdin.is_none() && self.variables.is_empty()
    }

    /// The program that may be approved with any arguments.
    ///
    /// None where something else says what is run, and none that reaches more than the sandbox.
    pub fn program(&self) -> Option<&str> {
        let sandboxed = self.reach == CommandReach::Sandboxed;
        prowess_policy::program(self.command).filter(|_| sandboxed && self.is_plain())
    }
}

/// What the user answers about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandDecision {
    /// Run it now.
    Once,
    /// Run it whenever this skill wants it in this project, word for word.
    AlwaysCommand,
    /// Run this program with any arguments whenever this skill wants it in this project.
    AlwaysProgram,
    /// Do not run it.
    Deny,
    /// There is nobody to ask.
    Unavailable,
}

/// Who can be asked.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Asks what a skill may do.
    async fn ask(&self, question: Question<'_>) -> ApprovalDecision;

    /// Asks whether a command may run.
    async fn ask_command(&self, _question: CommandQuestion<'_>) -> CommandDecision {
        CommandDecision::Unavailable
    }
}

/// Nobody: what was not decided stays so.
#[derive(Clone, Copy, Debug)]
pub struct NoApprover;

#[async_trait]
impl Approver for NoApprover {
    async fn ask(&self, _question: Question<'_>) -> ApprovalDecision {
        ApprovalDecision::Unavailable
    }
}

/// Everything that was said about skills, here and in the store. A clone is another handle.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    grants: Arc<RwLock<Grants>>,
    commands: Arc<RwLock<Vec<CommandGrant>>>,
    store: Option<Store>,
    /// The real path of the project's root: what is approved here counts here.
    project: Arc<str>,
    /// One question at a time.
    asking: Arc<tokio::sync::Mutex<()>>,
}

impl Approvals {
    /// What was said already. What is said for longer than a session goes into the store, if there is one.
    pub fn new(grants: Grants, store: Option<Store>) -> Self {
        Self {
            grants: Arc::new(RwLock::new(grants)),
            store,
            ..Self::default()
        }
    }

    /// What the store holds about the project with this root.
    pub async fn load(store: Store, project: &Path) -> Result<Self, StoreError> {
        let real = project.canonicalize();
        let real = real.unwrap_or_else(|_| project.to_owned());
        let project: Arc<str> = real.to_string_lossy().into();
        let approvals = Self {
            project: Arc::clone(&project),
            ..Self::new(store.grants(&project).await?, Some(store.clone()))
        };
        let commands = store.commands(&project).await?;
        approvals.change_commands(|known| *known = commands);
        Ok(approvals)
    }

    fn change_commands(&self, change: impl FnOnce(&mut Vec<CommandGrant>)) {
        change(
            &mut self
                .commands
                .write()
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    fn read<T>(&self, look: impl FnOnce(&Grants) -> T) -> T {
        look(&self.grants.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Grants)) {
        change(&mut self.grants.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// A copy of everything.
    pub fn grants(&self) -> Grants {
        self.read(Clone::clone)
    }

    /// Adds what a program that embeds the runtime says beforehand, whatever the skill consists of: that its code runs,
    /// what it may ask for, and that its commands run in the sandbox. It is not stored.
    pub fn say_for_session(&self, skill: &str, permissions: &[Permission]) {
        self.say(skill, Contents::Any, permissions);
    }

    /// The same for a skill as it is: what a command line or the user's configuration approves by name.
    pub fn approve_for_session(&self, subject: &Subject, permissions: &[Permission]) {
        let contents = Contents::Exactly(subject.content);
        self.say(&subject.skill, contents, permissions);
    }

    fn say(&self, skill: &str, contents: Contents, permissions: &[Permission]) {
        let asked = permissions.iter().copied().map(Right::Ask);
        self.change(|grants| {
            for right in asked.chain([Right::Run]) {
                grants.say(Grant {
                    skill: skill.to_owned(),
                    contents,
                    right,
                    effect: Effect::Allow,
                    lifetime: Lifetime::Session,
                });
            }
        });
        if permissions.contains(&Permission::ShellExec) {
            self.change_commands(|commands| {
                commands.push(CommandGrant {
                    skill: skill.to_owned(),
                    contents,
                    pattern: CommandPattern::Any,
                    reach: CommandReach::Sandboxed,
                    lifetime: Lifetime::Session,
                });
            });
        }
    }

    /// Withdraws what was denied in this session, of one skill or of all: it is asked about again.
    pub fn forget_denials(&self, skill: Option<&str>) {
        self.change(|grants| grants.forget_denials(skill));
    }

    /// Has a command decided: one that no earlier answer covers is asked about.
    pub(crate) async fn require_command(
        &self,
        approver: &dyn Approver,
        subject: &Subject,
        question: CommandQuestion<'_>,
    ) -> Result<(), CommandRefusal> {
        let covered = || {
            let commands = self.commands.read().unwrap_or_else(PoisonError::into_inner);
            let covers = |grant: &CommandGrant| {
                grant.covers(subject, question.command, question.reach)
                    && (question.is_plain() || grant.pattern == CommandPattern::Any)
            };
            commands.iter().any(covers)
        };
        if covered() {
            return Ok(());
        }
        let _one_at_a_time = self.asking.lock().await;
        if covered() {
            return Ok(());
        }
        let exactly = || CommandPattern::Exactly(question.command.to_vec());
        let pattern = match approver.ask_command(question).await {
            CommandDecision::Once => return Ok(()),
            CommandDecision::AlwaysCommand | CommandDecision::AlwaysProgram
                if !question.is_plain() =>
            {
                return Ok(());
            }
            CommandDecision::AlwaysCommand => exactly(),
            CommandDecision::AlwaysProgram => question.program().map_or_else(exactly, |program| {
                CommandPattern::Program(program.to_owned())
            }),
            CommandDecision::Deny => return Err(CommandRefusal::Denied),
            CommandDecision::Unavailable => return Err(CommandRefusal::NoApprover),
        };
        let grant = CommandGrant {
            skill: subject.skill.clone(),
            contents: Contents::Exactly(subject.content),
            pattern,
            reach: question.reach,
            lifetime: Lifetime::Always,
        };
        if let Some(store) = &self.store {
            let stored = store.say_command(&grant, &self.project).await;
            stored.map_err(|error| CommandRefusal::Store(error.to_string()))?;
        }
        self.change_commands(|commands| commands.push(grant));
        Ok(())
    }

    /// Adds an answer about a skill as it is.
    pub async fn answer(
        &self,
        subject: &Subject,
        rights: &[Right],
        effect: Effect,
        lifetime: Lifetime,
    ) -> Result<(), StoreError> {
        for right in rights {
            let grant = Grant {
                skill: subject.skill.clone(),
                contents: Contents::Exactly(subject.content),
                right: *right,
                effect,
                lifetime,
            };
            // Stored first: what could not be stored was not said for always.
            if let Some(store) = &self.store {
                store.say(&grant, &self.project).await?;
            }
            self.change(|grants| grants.say(grant));
        }
        Ok(())
    }

    /// Takes back everything about a skill, or one right of it.
    pub async fn revoke(&self, skill: &str, right: Option<Right>) -> Result<(), StoreError> {
        match right {
            Some(right) => self.change(|grants| grants.revoke(skill, right)),
            None => self.change(|grants| grants.forget(skill)),
        }
        if right.is_none_or(|right| right == Right::Ask(Permission::ShellExec)) {
            self.change_commands(|commands| commands.retain(|grant| grant.skill != skill));
        }
        if let Some(store) = &self.store {
            match right {
                Some(right) => store.revoke(skill, right).await?,
                None => store.forget(skill).await?,
            };
        }
        Ok(())
    }

    /// What nobody decided yet of what a skill wants.
    pub fn undecided(&self, skill: &CodeSkill) -> Vec<Right> {
        self.read(|grants| grants.undecided(&skill.content.subject(), &skill.rights()))
    }

    fn denied(&self, subject: &Subject, wanted: &[Right]) -> Vec<Right> {
        let wanted = wanted.iter().copied();
        self.read(|grants| {
            let denied = |right: &Right| grants.effect(subject, *right) == Some(Effect::Deny);
            wanted.filter(denied).collect()
        })
    }

    /// Whether other contents of the skill were allowed something.
    fn knew_otherwise(&self, subject: &Subject) -> bool {
        self.read(|grants| {
            let other = |grant: &Grant| {
                grant.skill == subject.skill
                    && grant.effect == Effect::Allow
                    && !grant.is_about(subject)
            };
            grants.iter().any(other)
        })
    }

    /// Has everything decided that a skill wants: asks about what nobody decided yet.
    pub(crate) async fn require(
        &self,
        approver: &dyn Approver,
        skill: &SkillContent,
        manifest: Option<&Manifest>,
        wanted: &[Right],
    ) -> Result<(), ApprovalError> {
        let subject = skill.subject();
        let mut undecided = self.read(|grants| grants.undecided(&subject, wanted));
        if let (false, Some(store)) = (undecided.is_empty(), &self.store) {
            // The user may have answered in another process.
            for grant in store.grants(&self.project).await?.iter() {
                self.change(|grants| grants.say(grant.clone()));
            }
            undecided = self.read(|grants| grants.undecided(&subject, wanted));
        }
        if !undecided.is_empty() {
            let question = Question {
                skill,
                manifest,
                rights: &undecided,
                changed: self.knew_otherwise(&subject),
            };
            let (effect, lifetime) = match approver.ask(question).await {
                ApprovalDecision::Once => (Effect::Allow, Lifetime::Session),
                ApprovalDecision::Everywhere if is_own(skill.scope) => {
                    (Effect::Allow, Lifetime::Everywhere)
                }
                ApprovalDecision::Always | ApprovalDecision::Everywhere => {
                    (Effect::Allow, Lifetime::Always)
                }
                // A no is for now: it is asked about again when the user wants the skill again.
                ApprovalDecision::Deny => (Effect::Deny, Lifetime::Session),
                ApprovalDecision::Unavailable => return Err(ApprovalError::Undecided(undecided)),
            };
            self.answer(&subject, &undecided, effect, lifetime).await?;
        }
        match self.denied(&subject, wanted) {
            denied if denied.is_empty() => Ok(()),
            denied => Err(ApprovalError::Denied(denied)),
        }
    }

    pub(crate) fn decide(
        &self,
        subject: &Subject,
        declared: &[Permission],
        permission: Permission,
    ) -> Decision {
        self.read(|grants| decide(subject, declared, grants, permission))
    }
}

/// Why a command did not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandRefusal {
    #[error("the user denied this command")]
    Denied,
    #[error("needs approval: run this command; there is nobody to ask")]
    NoApprover,
    #[error("cannot store the approval: {0}")]
    Store(String),
}

/// Why a skill may not do what it wants.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApprovalError {
    #[error("not approved: {}", words(.0))]
    Undecided(Vec<Right>),
    #[error("denied: {}", words(.0))]
    Denied(Vec<Right>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Rights in words.
pub(crate) fn words(rights: &[Right]) -> String {
    let words: Vec<&str> = rights.iter().map(|it| it.word()).collect();
    words.join(", ")
}
