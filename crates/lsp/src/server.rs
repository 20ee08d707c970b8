//! State of the server, and the dispatch of messages.

mod capabilities;
mod requests;

use crate::document::Snapshot;
use crate::features::diagnostics::diagnostics;
use crate::features::links::LensCommands;
use crate::features::semantic_tokens::TokenResults;
use crate::run_values::run;
use crate::settings::Settings;
use crate::task::{Answer, Cancellation, Output, Task, TaskGroup, TaskOutput, answer, error};
use crate::text::Encoding;
use crate::workspace::{NoFiles, Workspace, WorkspaceFiles};
use capabilities::ClientFeatures;
use gen_lsp_types::{
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, InitializeParams, PublishDiagnosticsParams, SetTraceParams,
    TraceValue, Uri, WorkspaceFolders,
};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Language server without a transport.
///
/// A host calls [`Server::receive`] for each message of the client, executes the tasks of [`Server::take_tasks`], passes each output to
/// [`Server::finish`], and sends the messages of [`Server::take_outgoing`].
pub struct Server {
    files: Arc<dyn WorkspaceFiles>,
    phase: Phase,
    has_exited: bool,
    trace: TraceValue,
    client: ClientFeatures,
    encoding: Encoding,
    settings: Arc<Settings>,
    documents: BTreeMap<UriKey, Snapshot>,
    outgoing: Vec<String>,
    tasks: Vec<Task>,
    /// Requests of the client without a response.
    pending: HashMap<RequestId, Cancellation>,
    /// Requests of the server without a response.
    asked: HashMap<RequestId, Asked>,
    n_asked: i32,
    /// Documents whose newest revision is not checked. Each document has at most one check at a time, so a check always starts with the
    /// newest revision.
    unchecked: BTreeSet<UriKey>,
    checking: BTreeSet<UriKey>,
    /// Documents whose newest revision has not run.
    not_run: BTreeSet<UriKey>,
    running: BTreeSet<UriKey>,
    tokens: TokenResults,
}

/// URI as an ordered key, so that the order of tasks is deterministic.
type UriKey = String;

/// Phase of the session, which determines the permitted messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Uninitialized,
    Running,
    ShutDown,
}

/// Purpose of a request of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Configuration,
    /// The response has no content.
    Other,
}

impl Server {
    /// Creates a server without access to files. The server knows only the open documents.
    pub fn new() -> Server {
        Server::with_files(Arc::new(NoFiles))
    }

    /// Creates a server with access to the files of the workspace.
    pub fn with_files(files: Arc<dyn WorkspaceFiles>) -> Server {
        Server {
            files,
            phase: Phase::Uninitialized,
            has_exited: false,
            trace: TraceValue::Off,
            client: ClientFeatures::default(),
            encoding: Encoding::Utf16,
            settings: Arc::default(),
            documents: BTreeMap::new(),
            outgoing: Vec::new(),
            tasks: Vec::new(),
            pending: HashMap::new(),
            asked: HashMap::new(),
            n_asked: 0,
            unchecked: BTreeSet::new(),
            checking: BTreeSet::new(),
            not_run: BTreeSet::new(),
            running: BTreeSet::new(),
            tokens: TokenResults::default(),
        }
    }

    /// Processes a message of the client.
    pub fn receive(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                self.trace_message(&request.method, &request.params);
                self.request(request);
            }
            Message::Notification(notification) => {
                self.trace_message(&notification.method, &notification.params);
                self.notification(notification);
            }
            Message::Response(response) => self.response(response),
        }
    }

    /// Reports a message that is not valid JSON, without ending the session.
    pub fn reject(&mut self, reason: &str) {
        self.log(&format!("a message of the client is invalid: {reason}"));
    }

    /// Returns the messages to the client in their order, as JSON texts.
    pub fn take_outgoing(&mut self) -> Vec<String> {
        std::mem::take(&mut self.outgoing)
    }

    /// Returns the tasks that can start.
    pub fn take_tasks(&mut self) -> Vec<Task> {
        for key in std::mem::take(&mut self.unchecked) {
            match self.checking.contains(&key) {
                // The next check starts when the present check ends.
                true => drop(self.unchecked.insert(key)),
                false => self.start_check(key),
            }
        }
        if self.settings.run_values.0 {
            for key in std::mem::take(&mut self.not_run) {
                let is_busy = self.running.contains(&key) || self.checking.contains(&key);
                match is_busy {
                    true => drop(self.not_run.insert(key)),
                    false => self.start_run(key),
                }
            }
        }
        std::mem::take(&mut self.tasks)
    }

    /// Executes one task of `groups` on the present thread, for hosts without threads. Requests precede checks, and checks precede runs.
    /// Returns whether there was such a task.
    pub fn work(&mut self, groups: &[TaskGroup]) -> bool {
        let mut tasks = self.take_tasks();
        let candidates = tasks.iter().enumerate();
        let first = candidates
            .filter(|(_, task)| groups.contains(&task.group))
            .min_by_key(|(_, task)| task.group as usize);
        let next = first.map(|(at, _)| at).map(|at| tasks.remove(at));
        self.tasks = tasks;
        let Some(task) = next else {
            return false;
        };
        self.finish(task.run());
        true
    }

    /// Returns whether the client has requested the shutdown of the server.
    pub fn has_shut_down(&self) -> bool {
        self.phase == Phase::ShutDown
    }

    /// Returns whether the client has sent the notification `exit`.
    pub fn has_exited(&self) -> bool {
        self.has_exited
    }

    /// Processes the output of a task.
    pub fn finish(&mut self, output: TaskOutput) {
        match output.0 {
            Output::Response { id, result } => self.respond(id, result),
            Output::Command { id, result } => {
                if let Ok(result) = &result {
                    // Type 3 is an information.
                    let message = format!("Warpgrid: {}", result.message);
                    let params = json!({ "type": 3, "message": message });
                    self.notify("window/showMessage", params);
                }
                self.respond(id, result.and_then(|result| answer(result.data)));
            }
            Output::Diagnostics {
                uri,
                version,
                diagnostics,
            } => {
                self.checking.remove(&uri.0);
                // A client must not receive diagnostics of a document that it has closed, or of an earlier revision.
                let newest = self.documents.get(&uri.0);
                if newest.is_some_and(|own| own.version == version) {
                    self.notify(
                        "textDocument/publishDiagnostics",
                        PublishDiagnosticsParams {
                            uri,
                            version: Some(version),
                            diagnostics,
                        },
                    );
                }
            }
            Output::Run {
                uri,
                version,
                values,
            } => {
                self.running.remove(&uri.0);
                let Some(own) = self.documents.get_mut(&uri.0) else {
                    return;
                };
                own.run = values;
                if own.version == version && own.run.is_some() {
                    self.refresh(&uri);
                }
            }
        }
    }

    /// Requests that the client updates its views after a run.
    fn refresh(&mut self, uri: &Uri) {
        if self.client.pulls_diagnostics {
            if self.client.refreshes_diagnostics {
                self.ask("workspace/diagnostic/refresh", Value::Null, Asked::Other);
            }
        } else {
            self.unchecked.insert(uri.0.clone());
        }
        if self.client.refreshes_inlay_hints {
            self.ask("workspace/inlayHint/refresh", Value::Null, Asked::Other);
        }
    }

    fn start_check(&mut self, key: UriKey) {
        let Some(snapshot) = self.documents.get(&key).cloned() else {
            return;
        };
        self.checking.insert(key);
        self.tasks
            .push(Task::new(TaskGroup::Checks, move || Output::Diagnostics {
                diagnostics: diagnostics(&snapshot),
                version: snapshot.version,
                uri: snapshot.uri,
            }));
    }

    fn start_run(&mut self, key: UriKey) {
        let Some(snapshot) = self.documents.get(&key).cloned() else {
            return;
        };
        self.running.insert(key);
        self.tasks
            .push(Task::new(TaskGroup::Runs, move || Output::Run {
                values: match snapshot.is_stale() {
                    true => None,
                    false => run(&snapshot).map(Arc::new),
                },
                version: snapshot.version,
                uri: snapshot.uri,
            }));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        match (self.phase, method.as_str()) {
            (Phase::Uninitialized, "initialize") => self.initialize(id, params),
            (Phase::Uninitialized, _) => {
                let reason = "the first request must be `initialize`";
                self.respond(id, Err(error(ErrorCode::ServerNotInitialized, reason)));
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.respond(id, answer(Value::Null));
            }
            (Phase::Running, _) => {
                let cancellation = Cancellation::default();
                self.pending.insert(id.clone(), cancellation.clone());
                match requests::task(self, &id, &method, params, cancellation) {
                    Ok(task) => self.tasks.push(task),
                    Err(error) => self.respond(id, Err(error)),
                }
            }
            (Phase::ShutDown, _) => {
                let reason = "the server has shut down";
                self.respond(id, Err(error(ErrorCode::InvalidRequest, reason)));
            }
        }
    }

    fn initialize(&mut self, id: RequestId, params: Value) {
        let params: InitializeParams = match serde_json::from_value(params) {
            Ok(params) => params,
            Err(reason) => {
                let found = error(ErrorCode::InvalidParams, reason.to_string());
                return self.respond(id, Err(found));
            }
        };
        self.client = ClientFeatures::of(&params.capabilities);
        self.encoding = self.client.encoding;
        if let Some(options) = &params.initialization_options {
            self.configure(section(options.clone()));
        }
        self.trace = params.trace.unwrap_or(TraceValue::Off);
        self.files.set_roots(roots(&params));
        self.phase = Phase::Running;
        let result = capabilities::result(&self.client, self.encoding);
        self.respond(id, answer(result));
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match (self.phase, method.as_str()) {
            (_, "exit") => self.has_exited = true,
            (Phase::Running, "initialized") => self.initialized(),
            (Phase::Running, "$/cancelRequest") => self.cancel(&params),
            (Phase::Running, "$/setTrace") => {
                self.with(params, |server, params: SetTraceParams| {
                    server.trace = params.value
                });
            }
            (Phase::Running, "textDocument/didOpen") => self.with(params, Server::did_open),
            (Phase::Running, "textDocument/didChange") => self.with(params, Server::did_change),
            (Phase::Running, "textDocument/didClose") => self.with(params, Server::did_close),
            (Phase::Running, "workspace/didChangeConfiguration") => {
                self.with(params, Server::did_change_configuration);
            }
            (Phase::Running, "workspace/didChangeWatchedFiles") => self.files.forget(),
            // Other notifications, such as `didSave`, need no action.
            _ => {}
        }
    }

    /// Deserializes the parameters of a notification, and passes them to `handle`.
    fn with<P: DeserializeOwned>(&mut self, params: Value, handle: impl FnOnce(&mut Server, P)) {
        match serde_json::from_value(params) {
            Ok(params) => handle(self, params),
            Err(reason) => self.reject(&reason.to_string()),
        }
    }

    fn initialized(&mut self) {
        if self.client.watches_files {
            let options = json!({ "watchers": [{ "globPattern": "**/*.ptx" }] });
            let registration = json!({
                "registrations": [{
                    "id": "ptx-files",
                    "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": options,
                }],
            });
            self.ask("client/registerCapability", registration, Asked::Other);
        }
        self.request_configuration();
    }

    fn request_configuration(&mut self) {
        if self.client.has_configuration {
            let items = json!({ "items": [{ "section": "warpgrid" }] });
            self.ask("workspace/configuration", items, Asked::Configuration);
        }
    }

    fn did_change_configuration(&mut self, params: DidChangeConfigurationParams) {
        match self.client.has_configuration {
            true => self.request_configuration(),
            false => self.configure(section(params.settings)),
        }
    }

    /// Replaces the settings, and checks all documents again if the settings differ.
    fn configure(&mut self, section: Value) {
        let settings = Settings::read(section);
        if settings == *self.settings {
            return;
        }
        self.settings = Arc::new(settings);
        for snapshot in self.documents.values_mut() {
            snapshot.settings = self.settings.clone();
            snapshot.run = None;
            self.not_run.insert(snapshot.uri.0.clone());
            if !self.client.pulls_diagnostics {
                self.unchecked.insert(snapshot.uri.0.clone());
            }
        }
        if self.client.pulls_diagnostics && self.client.refreshes_diagnostics {
            self.ask("workspace/diagnostic/refresh", Value::Null, Asked::Other);
        }
        if self.client.refreshes_inlay_hints && self.phase == Phase::Running {
            self.ask("workspace/inlayHint/refresh", Value::Null, Asked::Other);
        }
    }

    fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let snapshot = Snapshot::new(
            document.uri.clone(),
            document.version,
            &String::from(document.language_id),
            document.text,
            self.encoding,
            self.settings.clone(),
        );
        self.documents.insert(document.uri.0.clone(), snapshot);
        self.changed(document.uri);
    }

    fn did_change(&mut self, params: DidChangeTextDocumentParams) {
        let id = params.text_document;
        let uri = id.text_document_identifier.uri;
        let Some(own) = self.documents.get_mut(&uri.0) else {
            return self.reject(&format!("`{}` is not open", uri.0));
        };
        let text = own.text.changed(params.content_changes);
        *own = own.with_text(id.version, text);
        self.changed(uri);
    }

    fn changed(&mut self, uri: Uri) {
        if !self.client.pulls_diagnostics {
            self.unchecked.insert(uri.0.clone());
        }
        self.not_run.insert(uri.0);
    }

    fn did_close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.documents.remove(&uri.0);
        self.tokens.forget(&uri);
        self.unchecked.remove(&uri.0);
        self.not_run.remove(&uri.0);
        if !self.client.pulls_diagnostics {
            self.notify(
                "textDocument/publishDiagnostics",
                PublishDiagnosticsParams {
                    uri,
                    version: None,
                    diagnostics: Vec::new(),
                },
            );
        }
    }

    fn cancel(&mut self, params: &Value) {
        let id = params.get("id").cloned().unwrap_or_default();
        if let Ok(id) = serde_json::from_value::<RequestId>(id)
            && let Some(cancellation) = self.pending.get(&id)
        {
            cancellation.cancel();
        }
    }

    fn response(&mut self, response: Response) {
        let asked = self.asked.remove(&response.id);
        if asked == Some(Asked::Configuration)
            && let Ok(Value::Array(sections)) = response.response_result
        {
            let first = sections.into_iter().next().unwrap_or_default();
            self.configure(first);
        }
    }

    fn respond(&mut self, id: RequestId, result: Answer) {
        self.pending.remove(&id);
        let (result, error) = match &result {
            Ok(value) => (Some(value.as_ref()), None),
            Err(error) => (None, Some(error)),
        };
        self.send(&Outgoing {
            id: Some(&id),
            result,
            error,
            ..Outgoing::default()
        });
    }

    fn notify(&mut self, method: &str, params: impl Serialize) {
        self.send(&Outgoing {
            method: Some(method),
            params: answer(params).ok(),
            ..Outgoing::default()
        });
    }

    fn ask(&mut self, method: &str, params: Value, asked: Asked) {
        self.n_asked += 1;
        let id = RequestId::from(self.n_asked);
        self.send(&Outgoing {
            id: Some(&id),
            method: Some(method),
            params: answer(params).ok(),
            ..Outgoing::default()
        });
        self.asked.insert(id, asked);
    }

    /// Serializes a message to the client. The serialization cannot fail, because the contents are JSON texts.
    fn send(&mut self, message: &Outgoing<'_>) {
        self.outgoing.extend(serde_json::to_string(message));
    }

    /// Reports a received message to the client if the client traces the server.
    fn trace_message(&mut self, method: &str, params: &Value) {
        let verbose = match self.trace {
            TraceValue::Off => return,
            TraceValue::Messages => None,
            TraceValue::Verbose => Some(params.to_string()),
        };
        let message = format!("received {method}");
        self.notify(
            "$/logTrace",
            json!({ "message": message, "verbose": verbose }),
        );
    }

    fn log(&mut self, message: &str) {
        // Type 2 is a warning.
        self.notify(
            "window/logMessage",
            json!({ "type": 2, "message": message }),
        );
    }

    fn workspace(&self) -> Workspace {
        Workspace {
            documents: self.documents.values().cloned().collect(),
            files: self.files.clone(),
        }
    }

    fn lens_commands(&self) -> LensCommands {
        match self.client.has_own_commands {
            true => LensCommands::CLIENT,
            false => LensCommands::SERVER,
        }
    }
}

impl Default for Server {
    fn default() -> Server {
        Server::new()
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("phase", &self.phase)
            .field("n_documents", &self.documents.len())
            .finish_non_exhaustive()
    }
}

/// Returns the section `warpgrid` of settings, or the settings if they are the section.
fn section(settings: Value) -> Value {
    match settings.get("warpgrid") {
        Some(section) => section.clone(),
        None => settings,
    }
}

/// Returns the folders of the workspace.
fn roots(params: &InitializeParams) -> Vec<Uri> {
    let folders = &params.workspace_folders_initialize_params.workspace_folders;
    match folders {
        Some(WorkspaceFolders::WorkspaceFolderList(folders)) => {
            folders.iter().map(|folder| folder.uri.clone()).collect()
        }
        #[expect(
            deprecated,
            reason = "clients without workspace folders send only this field"
        )]
        _ => params.root_uri.iter().cloned().collect(),
    }
}

/// Message to the client in the format of JSON-RPC 2.0.
#[derive(Serialize)]
struct Outgoing<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RequestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ResponseError>,
}

impl Default for Outgoing<'_> {
    fn default() -> Self {
        Outgoing {
            jsonrpc: "2.0",
            id: None,
            method: None,
            params: None,
            result: None,
            error: None,
        }
    }
}
