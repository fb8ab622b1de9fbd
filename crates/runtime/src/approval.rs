//! Who says what a skill may do.

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use prowess_policy::{
    Contents, Decision, Effect, Grant, Grants, Lifetime, Right, Subject, TurnLimits, decide,
};
use prowess_spec::manifest::{Manifest, Permission};
use prowess_store::{Store, StoreError};

use crate::content::SkillContent;
use crate::living::LivingSkill;

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

/// What somebody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may, until the session ends.
    Once,
    /// It may, for as long as it stays as it is.
    Always,
    /// It may not.
    Deny,
    /// There is nobody to ask.
    Nobody,
}

/// Somebody who can be asked.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Asks.
    async fn ask(&self, question: Question<'_>) -> Answer;
}

/// Nobody: what was not decided stays so.
#[derive(Clone, Copy, Debug)]
pub struct NobodyToAsk;

#[async_trait]
impl Approver for NobodyToAsk {
    async fn ask(&self, _question: Question<'_>) -> Answer {
        Answer::Nobody
    }
}

/// Everything that was said about skills, here and in the store. A clone is another handle.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    grants: Arc<RwLock<Grants>>,
    store: Option<Store>,
}

impl Approvals {
    /// What was said already. What is said for longer than a session goes into the store, if there is one.
    pub fn new(grants: Grants, store: Option<Store>) -> Self {
        Self {
            grants: Arc::new(RwLock::new(grants)),
            store,
        }
    }

    /// What the store holds.
    pub async fn load(store: Store) -> Result<Self, StoreError> {
        let grants = store.grants().await?;
        Ok(Self::new(grants, Some(store)))
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

    /// Adds what a command line or a configuration says beforehand: that a skill's code runs, and what it may ask
    /// for. It is not kept.
    pub fn say_for_session(&self, skill: &str, permissions: &[Permission]) {
        let asked = permissions.iter().copied().map(Right::Ask);
        self.change(|grants| {
            for right in asked.chain([Right::Run]) {
                grants.say(Grant {
                    skill: skill.to_owned(),
                    contents: Contents::Any,
                    right,
                    effect: Effect::Allow,
                    lifetime: Lifetime::Session,
                });
            }
        });
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
            // Kept first: what could not be kept was not said for always.
            if let Some(store) = &self.store {
                store.say(&grant).await?;
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
        if let Some(store) = &self.store {
            match right {
                Some(right) => store.revoke(skill, right).await?,
                None => store.forget(skill).await?,
            };
        }
        Ok(())
    }

    /// What nobody decided yet of what a skill wants.
    pub fn undecided(&self, skill: &LivingSkill) -> Vec<Right> {
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
    pub(crate) async fn settle(
        &self,
        approver: &dyn Approver,
        skill: &SkillContent,
        manifest: Option<&Manifest>,
        wanted: &[Right],
    ) -> Result<(), NotApproved> {
        let subject = skill.subject();
        let mut undecided = self.read(|grants| grants.undecided(&subject, wanted));
        if let (false, Some(store)) = (undecided.is_empty(), &self.store) {
            // Somebody may have said something in another process.
            for grant in store.grants().await?.iter() {
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
                Answer::Once => (Effect::Allow, Lifetime::Session),
                Answer::Always => (Effect::Allow, Lifetime::Always),
                // A no is for now; whoever means it for good removes the skill.
                Answer::Deny => (Effect::Deny, Lifetime::Session),
                Answer::Nobody => return Err(NotApproved::Undecided(undecided)),
            };
            self.answer(&subject, &undecided, effect, lifetime).await?;
        }
        match self.denied(&subject, wanted) {
            denied if denied.is_empty() => Ok(()),
            denied => Err(NotApproved::Denied(denied)),
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

/// Why a skill may not do what it wants.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotApproved {
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

/// What a turn allows, and how long programs and fetches may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowances {
    /// How often.
    pub turn: TurnLimits,
    /// How long a program may run.
    pub exec_time: std::time::Duration,
    /// How long a fetch may take.
    pub fetch_time: std::time::Duration,
}

impl Default for Allowances {
    fn default() -> Self {
        Self {
            turn: TurnLimits::default(),
            exec_time: std::time::Duration::from_secs(30),
            fetch_time: std::time::Duration::from_secs(15),
        }
    }
}
