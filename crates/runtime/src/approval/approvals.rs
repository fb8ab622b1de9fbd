//! The approvals of a session.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use prowess_core::Scope;
use prowess_policy::{
    CommandGrant, CommandPattern, CommandReach, Contents, Decision, Effect, Grant, Grants,
    Lifetime, Right, Subject, decide,
};
use prowess_spec::manifest::{Manifest, Permission};
use prowess_store::{NamedApproval, Store, StoreError};

use super::error::{ApprovalError, CommandRefusal};
use super::request::{
    ApprovalDecision, ApprovalRequest, Approver, CommandApprovalRequest, CommandDecision,
    ProtectedWriteRequest, WriteDecision,
};
use crate::code_skill::CodeSkill;
use crate::content::{ChangedFile, FileDigests, SkillContent, is_own};
use crate::limits::COMMAND_BYTES;

/// Approvals of this session and of the store. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    grants: Arc<RwLock<Grants>>,
    commands: Arc<RwLock<Vec<CommandGrant>>>,
    store: Option<Store>,
    /// The real path of the project root, which stored approvals are bound to.
    project: Arc<str>,
    /// The files of skills when an approval by name was first used.
    named: Arc<RwLock<BTreeMap<String, FileDigests>>>,
    /// Serialises requests to the approver.
    asking: Arc<tokio::sync::Mutex<()>>,
}

impl Approvals {
    /// Creates approvals from grants. Permanent decisions are stored, if there is a store.
    pub fn new(grants: Grants, store: Option<Store>) -> Self {
        Self {
            grants: Arc::new(RwLock::new(grants)),
            store,
            ..Self::default()
        }
    }

    /// Loads the stored approvals of a project.
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

    /// A copy of the grants.
    pub fn grants(&self) -> Grants {
        self.read(Clone::clone)
    }

    /// Allows a skill of any content for this session, without storing it: running its code, permissions, and
    /// sandboxed commands if `shell:exec` is among them. For programs that embed the runtime.
    pub fn approve_any_content(&self, skill: &str, permissions: &[Permission]) {
        self.insert_session_grants(skill, Contents::Any, permissions);
    }

    /// Allows the present content of a skill for this session.
    pub fn approve_for_session(&self, subject: &Subject, permissions: &[Permission]) {
        let contents = Contents::Exactly(subject.content);
        self.insert_session_grants(&subject.skill, contents, permissions);
    }

    /// Allows a skill for this session by its name, if it is what the name meant when it was first used; returns whether it
    /// is. The code of a built-in skill comes with this program, so its name always covers it.
    pub async fn approve_by_name(
        &self,
        skill: &SkillContent,
        permissions: &[Permission],
    ) -> Result<bool, StoreError> {
        let subject = skill.subject();
        if let (Some(store), Scope::User) = (&self.store, skill.scope) {
            let first = NamedApproval {
                content: subject.content.to_string(),
                files: serde_json::to_string(&skill.file_digests()).unwrap_or_default(),
            };
            let approval = store.named_approval(&subject.skill, first).await?;
            if approval.content != subject.content.to_string() {
                let files = serde_json::from_str(&approval.files).unwrap_or_default();
                let mut named = self.named.write().unwrap_or_else(PoisonError::into_inner);
                named.insert(subject.skill, files);
                return Ok(false);
            }
        }
        self.approve_for_session(&subject, permissions);
        Ok(true)
    }

    /// What changed in a skill since an approval by name was first used.
    fn changes_since_named(&self, skill: &SkillContent) -> Option<Vec<ChangedFile>> {
        let named = self.named.read().unwrap_or_else(PoisonError::into_inner);
        let before = named.get(skill.id.as_str())?;
        Some(skill.changes_since(before))
    }

    fn insert_session_grants(&self, skill: &str, contents: Contents, permissions: &[Permission]) {
        let asked = permissions.iter().copied().map(Right::Ask);
        self.change(|grants| {
            for right in asked.chain([Right::Run]) {
                grants.insert(Grant {
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

    /// Forgets the denials of this session, of one skill or of all.
    pub fn forget_denials(&self, skill: Option<&str>) {
        self.change(|grants| grants.forget_denials(skill));
    }

    /// Requires approval of a command; asks the approver if no earlier decision covers it.
    pub(crate) async fn require_command(
        &self,
        approver: &dyn Approver,
        subject: &Subject,
        request: CommandApprovalRequest<'_>,
    ) -> Result<(), CommandRefusal> {
        if request.bytes() > COMMAND_BYTES {
            return Err(CommandRefusal::TooLong);
        }
        let covered = || {
            let commands = self.commands.read().unwrap_or_else(PoisonError::into_inner);
            let covers = |grant: &CommandGrant| {
                grant.covers(subject, request.command, request.reach)
                    && (request.may_be_stored() || grant.pattern == CommandPattern::Any)
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
        let exactly = || CommandPattern::Exactly(request.command.to_vec());
        let decision = approver.ask_command(request).await;
        tracing::info!(
            skill = subject.skill,
            ?decision,
            "approval of a command was asked for"
        );
        let pattern = match decision {
            CommandDecision::Once => return Ok(()),
            CommandDecision::AlwaysCommand | CommandDecision::AlwaysProgram
                if !request.may_be_stored() =>
            {
                return Ok(());
            }
            CommandDecision::AlwaysCommand => exactly(),
            CommandDecision::AlwaysProgram => request.program().map_or_else(exactly, |program| {
                CommandPattern::Program(program.to_owned())
            }),
            CommandDecision::Deny => return Err(CommandRefusal::Denied),
            CommandDecision::Unavailable => return Err(CommandRefusal::NoApprover),
        };
        let grant = CommandGrant {
            skill: subject.skill.clone(),
            contents: Contents::Exactly(subject.content),
            pattern,
            reach: request.reach,
            lifetime: Lifetime::Always,
        };
        if let Some(store) = &self.store {
            let stored = store.save_command_grant(&grant, &self.project).await;
            stored.map_err(|error| CommandRefusal::Store(error.to_string()))?;
        }
        self.change_commands(|commands| commands.push(grant));
        Ok(())
    }

    /// Asks about writing a protected file. Nothing is remembered: what starts because of it depends on the text.
    pub(crate) async fn ask_write(
        &self,
        approver: &dyn Approver,
        request: ProtectedWriteRequest<'_>,
    ) -> WriteDecision {
        let _one_at_a_time = self.asking.lock().await;
        let decision = approver.ask_write(request).await;
        let skill = request.skill.as_str();
        tracing::info!(skill, ?decision, "writing a protected file was asked for");
        decision
    }

    /// Adds and stores a decision about the present content of a skill.
    pub async fn record(
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
            // Stored first, so that a failure leaves nothing approved.
            if let Some(store) = &self.store {
                store.save_grant(&grant, &self.project).await?;
            }
            self.change(|grants| grants.insert(grant));
        }
        Ok(())
    }

    /// Revokes one right of a skill, or all.
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

    /// The undecided rights of a skill.
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

    /// Whether another content of the skill was approved.
    fn has_other_content(&self, subject: &Subject) -> bool {
        self.read(|grants| {
            let other = |grant: &Grant| {
                grant.skill == subject.skill
                    && grant.effect == Effect::Allow
                    && !grant.is_about(subject)
            };
            grants.iter().any(other)
        })
    }

    /// Requires approval of all rights; asks the approver about undecided ones.
    pub(crate) async fn require(
        &self,
        approver: &dyn Approver,
        skill: &SkillContent,
        manifest: Option<&Manifest>,
        wanted: &[Right],
    ) -> Result<(), ApprovalError> {
        let subject = skill.subject();
        let undecided = || self.read(|grants| grants.undecided(&subject, wanted));
        if undecided().is_empty() {
            return self.require_allowed(&subject, wanted);
        }
        // A call at the same time may ask for the same.
        let _one_at_a_time = self.asking.lock().await;
        if let (false, Some(store)) = (undecided().is_empty(), &self.store) {
            // Another process may have stored decisions.
            for grant in store.grants(&self.project).await?.iter() {
                self.change(|grants| grants.insert(grant.clone()));
            }
        }
        let undecided = undecided();
        if !undecided.is_empty() {
            let changed_files = self.changes_since_named(skill);
            let request = ApprovalRequest {
                skill,
                manifest,
                rights: &undecided,
                changed: changed_files.is_some() || self.has_other_content(&subject),
                changed_files: changed_files.as_deref().unwrap_or_default(),
            };
            let decision = approver.ask(request).await;
            let rights = undecided.len();
            tracing::info!(
                skill = subject.skill,
                rights,
                ?decision,
                "approval was asked for"
            );
            let (effect, lifetime) = match decision {
                ApprovalDecision::Once => (Effect::Allow, Lifetime::Session),
                ApprovalDecision::Everywhere if is_own(skill.scope) => {
                    (Effect::Allow, Lifetime::Everywhere)
                }
                ApprovalDecision::Always | ApprovalDecision::Everywhere => {
                    (Effect::Allow, Lifetime::Always)
                }
                // A denial is asked again when the user activates the skill again.
                ApprovalDecision::Deny => (Effect::Deny, Lifetime::Session),
                ApprovalDecision::Unavailable => return Err(ApprovalError::Undecided(undecided)),
            };
            self.record(&subject, &undecided, effect, lifetime).await?;
        }
        self.require_allowed(&subject, wanted)
    }

    fn require_allowed(&self, subject: &Subject, wanted: &[Right]) -> Result<(), ApprovalError> {
        match self.denied(subject, wanted) {
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
