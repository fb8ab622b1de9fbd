//! The host of one skill.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Weak};

use prowess_core::Scope;
use prowess_policy::{CommandReach, Denial};
use prowess_sandbox::protections;
use prowess_sdk::wire::{Failure, HostCall, code};
use prowess_spec::manifest::Permission;
use serde_json::{Value, json};

use super::environment::Overlay;
use super::exec::{Execution, run};
use super::fetch::{Fetch, FetchError, fetch};
use super::files::{FileError, ProjectFiles};
use super::git::{GitError, Repository};
use super::lasting::lasts;
use super::log_budget::{LogBudget, LogShare};
use super::services::{Invoke, Services};
use super::skill_files::{self, below_skill};
use crate::approval::{
    Approver, CommandApprovalRequest, NoApprover, ProtectedWriteRequest, WriteDecision,
};
use crate::content::SkillContent;
use crate::event::RuntimeEvent;
use crate::gate::Gate;
use crate::limits::{LOG_BYTES, LOG_LINE_BYTES, LOG_LINES};

/// Performs the calls of a skill's code, after its gate allows them.
pub struct SkillHost {
    gate: Arc<Gate>,
    content: SkillContent,
    services: Arc<Services>,
    overlay: Overlay,
    invoker: Option<Weak<dyn Invoke>>,
    approver: Arc<dyn Approver>,
    log: LogBudget,
}

impl SkillHost {
    /// Creates the host of a skill.
    pub fn new(gate: Arc<Gate>, content: SkillContent, services: Arc<Services>) -> Self {
        Self {
            gate,
            content,
            services,
            overlay: Overlay::default(),
            invoker: None,
            approver: Arc::new(NoApprover),
            log: LogBudget::default(),
        }
    }

    /// Sets the approver for commands.
    #[must_use]
    pub fn with_approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = approver;
        self
    }

    pub(crate) fn with_invoker(mut self, invoker: Weak<dyn Invoke>) -> Self {
        self.invoker = Some(invoker);
        self
    }

    /// The gate.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    pub(crate) fn emit(&self, event: RuntimeEvent) {
        self.services.listener.emit(event);
    }

    /// Resets the log budget for the next call.
    pub(crate) fn renew_log(&self) {
        self.log.renew();
    }

    fn write_log(&self, mut message: String) {
        let length = message.len();
        if length > LOG_LINE_BYTES {
            message.truncate(message.floor_char_boundary(LOG_LINE_BYTES));
            message.shrink_to_fit();
            let _ = write!(message, " [cut: {length} bytes]");
        }
        let message = match self.log.take(message.len()) {
            LogShare::Logged => message,
            LogShare::FirstDropped => {
                format!(
                    "log limit reached: {LOG_LINES} lines or {LOG_BYTES} bytes; the rest of this call is dropped"
                )
            }
            LogShare::Dropped => return,
        };
        let skill = self.gate.skill().clone();
        self.emit(RuntimeEvent::Log { skill, message });
    }

    /// Performs a call if the skill has the permission.
    pub async fn call(&self, call: HostCall, depth: usize) -> Result<Value, Failure> {
        if let Some(own) = self.own_files(&call) {
            return own.map_err(file_failed);
        }
        let name = name(&call);
        let allowed = permission(&call).map_or(Ok(()), |permission| self.gate.pass(permission));
        let done = match allowed {
            Ok(()) => self.perform(call, depth).await,
            Err(denial) => Err(refused(denial)),
        };
        if let Err(failure) = &done
            && failure.code == code::DENIED
            && self.log.take(failure.message.len()) == LogShare::Logged
        {
            self.emit(RuntimeEvent::Denied {
                skill: self.gate.skill().clone(),
                call: name,
                reason: failure.message.clone(),
            });
        }
        done
    }

    /// Performs a call about the files of the skill itself.
    fn own_files(&self, call: &HostCall) -> Option<Result<Value, FileError>> {
        let content = &self.content;
        Some(match call {
            HostCall::ReadFile { path } => {
                skill_files::read(content, below_skill(path)?).map(|it| json!({"content": it}))
            }
            HostCall::ListDir { path } => {
                skill_files::list(content, below_skill(path)?).map(|it| json!({"entries": it}))
            }
            HostCall::SearchFiles { pattern } => {
                skill_files::search(content, below_skill(pattern)?).map(|it| json!({"files": it}))
            }
            _ => return None,
        })
    }

    async fn perform(&self, call: HostCall, depth: usize) -> Result<Value, Failure> {
        match call {
            HostCall::Log { message } => {
                self.write_log(message);
                Ok(Value::Null)
            }
            HostCall::ReadFile { path } => {
                let text = self.with_files(move |files| files.read(&path)).await?;
                Ok(json!({"content": text}))
            }
            HostCall::WriteFile { path, content } => {
                self.write(path, content, depth).await?;
                Ok(Value::Null)
            }
            HostCall::ListDir { path } => {
                let entries = self.with_files(move |files| files.list(&path)).await?;
                Ok(json!({"entries": entries}))
            }
            HostCall::SearchFiles { pattern } => {
                let found = self.with_files(move |files| files.search(&pattern)).await?;
                Ok(json!({"files": found}))
            }
            HostCall::Exec {
                command,
                stdin,
                reach,
            } => {
                self.exec(&command, stdin.as_deref(), reach.as_deref())
                    .await
            }
            HostCall::Env { name } => {
                let inherited = || self.services.environment.get(&name).map(str::to_owned);
                let value = self.overlay.get(&name).or_else(inherited);
                Ok(json!({"value": value}))
            }
            HostCall::SetEnv { name, value } => {
                if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                    return Err(failed(format!(
                        "invalid variable name `{}`",
                        name.escape_debug()
                    )));
                }
                self.overlay.set(name, value);
                Ok(Value::Null)
            }
            HostCall::Complete {
                prompt,
                system,
                max_tokens,
            } => {
                let Some(model) = &self.services.model else {
                    return Err(failed("no model is available"));
                };
                let answer = model.complete(&prompt, system.as_deref(), max_tokens).await;
                Ok(json!({"content": answer.map_err(failed)?}))
            }
            HostCall::Fetch {
                url,
                method,
                headers,
                body,
            } => {
                let wanted = Fetch {
                    url: &url,
                    method: method.as_deref(),
                    headers: &headers,
                    body: body.as_deref(),
                };
                let time = self.services.allowances.fetch_time;
                let done = fetch(&wanted, &self.services.private_hosts, time).await;
                done.map_err(|error| match error {
                    FetchError::Private { .. } | FetchError::Url(_) => denied(error),
                    _ => failed(error),
                })
            }
            call @ (HostCall::GitDiff { .. }
            | HostCall::GitLog { .. }
            | HostCall::GitStatus {}
            | HostCall::GitAdd { .. }
            | HostCall::GitCommit { .. }) => self.git(call).await,
            HostCall::InvokeSkill { skill, name, input } => {
                let invoker = self.invoker.as_ref().and_then(Weak::upgrade);
                let Some(invoker) = invoker else {
                    return Err(failed("no other skills are available"));
                };
                let output = invoker.invoke(&skill, &name, input, depth + 1).await;
                let output = output.map_err(failed)?;
                serde_json::to_value(output).map_err(|error| failed(error.to_string()))
            }
        }
    }

    async fn git(&self, call: HostCall) -> Result<Value, Failure> {
        let repository = self.repository()?;
        let done = match call {
            HostCall::GitDiff { args } => repository.diff(&args).await,
            HostCall::GitLog { limit, args } => repository.log(limit.unwrap_or(10), &args).await,
            HostCall::GitStatus {} => repository.status().await,
            HostCall::GitAdd { paths } => repository.add(&paths).await,
            HostCall::GitCommit { message } => repository.commit(&message).await,
            _ => Ok(Value::Null),
        };
        done.map_err(git_failed)
    }

    fn files(&self) -> Result<&ProjectFiles, Failure> {
        let project = self.services.project.as_ref();
        project.ok_or_else(|| failed("no project is open"))
    }

    async fn with_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ProjectFiles) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.in_project(work).await?.map_err(file_failed)
    }

    async fn in_project<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ProjectFiles) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let files = self.files()?.clone();
        let done = tokio::task::spawn_blocking(move || work(&files)).await;
        done.map_err(|_| failed("cancelled"))
    }

    /// Writes a file. The user is asked about a protected one if a built-in skill writes it for the model or for the user:
    /// no other skill may, and none may have another skill do it.
    async fn write(&self, path: String, content: String, depth: usize) -> Result<(), Failure> {
        let (place, text) = (path.clone(), content.clone());
        let done = self
            .in_project(move |files| files.write(&place, &text))
            .await?;
        let may_ask = self.content.scope == Scope::Builtin && depth == 0;
        let target = match done {
            Err(FileError::Protected {
                target: Some(target),
                ..
            }) if may_ask => target,
            done => return done.map_err(file_failed),
        };
        let request = ProtectedWriteRequest {
            skill: self.gate.skill(),
            path: &path,
            target: &target,
            protections: &protections(&target),
            content: &content,
        };
        match self.gate.ask_write(&*self.approver, request).await {
            WriteDecision::Once => {}
            WriteDecision::Deny => return Err(denied("the user denied writing this file")),
            WriteDecision::Unavailable => {
                let target = None;
                return Err(file_failed(FileError::Protected { path, target }));
            }
        }
        self.with_files(move |files| files.write_also(&path, &content, Some(&target)))
            .await
    }

    fn environment(&self, reach: CommandReach) -> BTreeMap<String, String> {
        let everything = self.gate.may(Permission::EnvRead).is_ok();
        let environment = &self.services.environment;
        self.overlay.over(match reach {
            CommandReach::Unconfined => environment.for_program(everything),
            _ => environment.for_command(everything),
        })
    }

    async fn exec(
        &self,
        command: &[String],
        stdin: Option<&str>,
        reach: Option<&str>,
    ) -> Result<Value, Failure> {
        let reach = match reach {
            Some(word) => CommandReach::parse(word).ok_or_else(|| {
                failed("unknown reach: expected `sandbox`, `network` or `unconfined`")
            })?,
            None => CommandReach::default(),
        };
        let directory = self.files()?.root();
        let variables = self.overlay.all();
        let environment = self.environment(reach);
        let search = environment.get("PATH").map(String::as_str);
        let request = CommandApprovalRequest {
            skill: self.gate.skill(),
            command,
            directory,
            reach,
            stdin,
            variables: &variables,
            lasts: lasts(command, reach, search, directory),
        };
        self.gate
            .command(&*self.approver, request)
            .await
            .map_err(denied)?;
        let done = run(Execution {
            command,
            stdin,
            directory,
            environment,
            time: self.services.allowances.exec_time,
            reach,
            jails: self.services.jails.as_ref(),
        });
        let done = done.await.map_err(failed)?;
        Ok(json!({"stdout": done.stdout, "stderr": done.stderr, "exit_code": done.exit_code}))
    }

    fn repository(&self) -> Result<Repository<'_>, Failure> {
        Ok(Repository {
            files: self.files()?,
            environment: self.services.environment.for_program(false),
            time: self.services.allowances.exec_time,
        })
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "made to be given to `map_err`"
)]
fn file_failed(error: FileError) -> Failure {
    match error {
        FileError::Outside(_) | FileError::Repository(_) | FileError::Protected { .. } => {
            denied(error)
        }
        FileError::Invisible(_) | FileError::Failed { .. } => failed(error),
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "made to be given to `map_err`"
)]
fn git_failed(error: GitError) -> Failure {
    match error {
        GitError::Option(_) | GitError::Outside(_) => denied(error),
        _ => failed(error),
    }
}

/// The permission of a call.
fn permission(call: &HostCall) -> Option<Permission> {
    Some(match call {
        HostCall::Log { .. } => return None,
        HostCall::ReadFile { .. } | HostCall::ListDir { .. } | HostCall::SearchFiles { .. } => {
            Permission::FileRead
        }
        HostCall::WriteFile { .. } => Permission::FileWrite,
        HostCall::Exec { .. } => Permission::ShellExec,
        HostCall::Env { .. } => Permission::EnvRead,
        HostCall::SetEnv { .. } => Permission::EnvWrite,
        HostCall::Complete { .. } => Permission::LlmCall,
        HostCall::Fetch { .. } => Permission::NetFetch,
        HostCall::GitDiff { .. } | HostCall::GitLog { .. } | HostCall::GitStatus {} => {
            Permission::GitRead
        }
        HostCall::GitAdd { .. } | HostCall::GitCommit { .. } => Permission::GitWrite,
        HostCall::InvokeSkill { .. } => Permission::SkillInvoke,
    })
}

fn name(call: &HostCall) -> &'static str {
    match call {
        HostCall::Log { .. } => "log",
        HostCall::ReadFile { .. } => "read_file",
        HostCall::WriteFile { .. } => "write_file",
        HostCall::ListDir { .. } => "list_dir",
        HostCall::SearchFiles { .. } => "search_files",
        HostCall::Exec { .. } => "exec",
        HostCall::Env { .. } => "env",
        HostCall::SetEnv { .. } => "set_env",
        HostCall::Complete { .. } => "llm_complete",
        HostCall::Fetch { .. } => "fetch",
        HostCall::GitDiff { .. } => "git_diff",
        HostCall::GitLog { .. } => "git_log",
        HostCall::GitStatus {} => "git_status",
        HostCall::GitAdd { .. } => "git_add",
        HostCall::GitCommit { .. } => "git_commit",
        HostCall::InvokeSkill { .. } => "invoke_skill",
    }
}

fn refused(denial: Denial) -> Failure {
    Failure {
        code: code::DENIED,
        message: format!("{}: {denial}", denial.code()),
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "made to be given to `map_err`"
)]
fn denied(error: impl ToString) -> Failure {
    Failure {
        code: code::DENIED,
        message: error.to_string(),
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "made to be given to `map_err`"
)]
fn failed(error: impl ToString) -> Failure {
    Failure {
        code: code::FAILED,
        message: error.to_string(),
    }
}
