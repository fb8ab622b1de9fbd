//! One client connection: its requests and notifications.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_core::{Event, Session, SkillId};
use prowess_sources::run_inline;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ExtensionCapabilities, GetPromptRequestParams, GetPromptResponse, Implementation,
    InputRequiredResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::code_skills::{Client, CodeResult};
use super::report::RequestReport;
use super::shared::SkillsServer;
use super::skills::shown;
use super::spool::Spool;
use super::tools;
use crate::wire::{DIRECTORY_READ, EXTENSION, SKILLS_GET, SKILLS_LIST, Wanted, WantedPage};

/// The handler of one client. It ends with the client.
pub struct Connection {
    server: SkillsServer,
    session: Arc<Session>,
    /// Whether the client receives change notifications.
    listens: AtomicBool,
    /// The changes since the client came: none is missed between the greeting and the listening.
    changes: watch::Receiver<u64>,
    /// Where answers that are written already wait, if the transport takes them from there.
    spool: Option<Arc<Spool>>,
    /// Ends with the connection, together with the task that sends notifications.
    alive: watch::Sender<()>,
}

impl Connection {
    pub(crate) fn new(server: SkillsServer) -> Self {
        Self {
            session: Arc::new(server.skills().session()),
            changes: server.inner.changes.subscribe(),
            server,
            listens: AtomicBool::new(false),
            spool: None,
            alive: watch::Sender::new(()),
        }
    }

    /// Leaves long answers to a transport that takes them from `spool`.
    pub(crate) fn spooling(mut self, spool: Arc<Spool>) -> Self {
        self.spool = Some(spool);
        self
    }

    /// Starts the code of a loaded skill; what the model should know about it.
    async fn start(&self, id: &SkillId, client: &Client) -> Option<ContentBlock> {
        let code_skills = self.server.inner.code_skills.as_ref()?;
        let names = || {
            let tools = code_skills.tools().into_iter();
            tools.map(|tool| tool.name).collect::<Vec<String>>()
        };
        let before = names();
        let text = code_skills.load(id, client).await;
        if names() != before {
            self.server.notify_tools();
        }
        text.map(ContentBlock::text)
    }

    fn capabilities() -> ServerCapabilities {
        let mut extensions = ExtensionCapabilities::new();
        let settings = JsonObject::from_iter([("directoryRead".to_owned(), json!(true))]);
        extensions.insert(EXTENSION.to_owned(), settings);
        ServerCapabilities::builder()
            .enable_extensions_with(extensions)
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .build()
    }
}

fn cursor(request: Option<&PaginatedRequestParams>) -> Option<&str> {
    request.and_then(|request| request.cursor.as_deref())
}

fn params<T: DeserializeOwned>(method: &str, params: Option<Value>) -> Result<T, ErrorData> {
    let params = params.unwrap_or_else(|| json!({}));
    serde_json::from_value(params).map_err(|error| {
        let message = format!("invalid parameters of {method}: {error}");
        ErrorData::invalid_params(message, None)
    })
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let options = &self.server.inner.options;
        let about = Implementation::new(&options.name, &options.version);
        let info = ServerConfig::new(Self::capabilities()).with_server_info(about);
        match self.server.instructions() {
            Some(text) => info.with_instructions(&*text),
            None => info,
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest {
            method,
            params: given,
            ..
        } = request;
        let known = [SKILLS_LIST, SKILLS_GET, DIRECTORY_READ];
        let known = known.into_iter().find(|it| *it == method);
        let _report = RequestReport::new(known.unwrap_or("unknown"));
        let result = match method.as_str() {
            SKILLS_LIST => {
                let wanted: WantedPage = params(SKILLS_LIST, given)?;
                let cursor = wanted.cursor.as_deref();
                if let Some(spool) = &self.spool {
                    return Ok(spool.leave(self.server.written_skills(cursor).await?));
                }
                self.server.list_skills(cursor).await?
            }
            SKILLS_GET => {
                let wanted: Wanted = params(SKILLS_GET, given)?;
                self.server.get_skill(&wanted.uri).await?
            }
            DIRECTORY_READ => {
                let wanted: Wanted = params(DIRECTORY_READ, given)?;
                self.server
                    .read_directory(&wanted.uri, wanted.cursor.as_deref())
                    .await?
            }
            _ => {
                let message = format!("unknown method `{}`", shown(&method));
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
            }
        };
        Ok(CustomResult::new(result))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let _report = RequestReport::new("resources/list");
        self.server.list_files(cursor(request.as_ref())).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(self.server.templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let _report = RequestReport::new("resources/read");
        Ok(self.server.read_file(&request.uri).await?.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let _report = RequestReport::new("prompts/list");
        self.server.list_prompts(cursor(request.as_ref()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let _report = RequestReport::new("prompts/get");
        Ok(self.server.prompt(&request).await?.into())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let _report = RequestReport::new("tools/list");
        Ok(self.server.list_tools(&self.session))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let report = RequestReport::new("tools/call");
        let client = Client::new(&context, request.input_responses);
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        if let Some(code_skills) = &self.server.inner.code_skills
            && let tools = self.server.code_tools()
            && tools.iter().any(|tool| tool.name == request.name)
        {
            let called = code_skills.call(&request.name, arguments, &client).await;
            if let Some(needed) = client.needed() {
                return Ok(InputRequiredResult::from_input_requests(needed).into());
            }
            let unknown = || CodeResult {
                content: format!("the tool `{}` is no longer available", request.name),
                is_error: true,
            };
            let called = called.unwrap_or_else(unknown);
            report.called(&request.name, called.is_error);
            return Ok(tools::code_result(called).into());
        }
        self.server.expect_tool(&self.session, &request.name)?;
        let session = Arc::clone(&self.session);
        // One thread does all of it, instead of one after the other for each file.
        let tool = request.name.clone();
        let span = tracing::Span::current();
        let called = tokio::task::spawn_blocking(move || {
            span.in_scope(|| {
                run_inline(|| pollster::block_on(session.call(&request.name, &arguments)))
            })
        });
        let given_up = |_| ErrorData::internal_error("the call was cancelled", None);
        let outcome = called.await.map_err(given_up)?;
        report.called(&tool, outcome.result.is_error);
        let mut result = tools::result(outcome.result);
        for event in outcome.events {
            if let Event::Activated { id, .. } = event {
                result.content.extend(self.start(&id, &client).await);
            }
        }
        match client.needed() {
            Some(needed) => Ok(InputRequiredResult::from_input_requests(needed).into()),
            None => Ok(result.into()),
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.listens.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut changes = self.changes.clone();
        let mut alive = self.alive.subscribe();
        let peer = context.peer;
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    news = changes.changed() => if news.is_err() { break },
                    _ = alive.changed() => break,
                }
                let told = async {
                    peer.notify_resource_list_changed().await?;
                    peer.notify_tool_list_changed().await?;
                    peer.notify_prompt_list_changed().await
                };
                if told.await.is_err() {
                    break;
                }
            }
        });
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.clone();
        loop {
            tokio::select! {
                news = changes.changed() => if news.is_err() { return Ok(()) },
                () = context.cancelled() => return Ok(()),
            }
            let sink = context.sink();
            // The sink refuses kinds of changes that the client did not subscribe to.
            let _ = sink.notify_resource_list_changed().await;
            let _ = sink.notify_tool_list_changed().await;
            let _ = sink.notify_prompt_list_changed().await;
        }
    }
}
