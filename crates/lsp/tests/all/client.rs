//! In-memory client. Each message of the server must be claimed by the test; the client fails on unclaimed messages when it is dropped.

use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::collections::VecDeque;
use warpgrid_lsp::{Server, TaskGroup};

/// Client with a server whose tasks run on the thread of the test.
pub(crate) struct Client {
    server: Server,
    received: VecDeque<Message>,
    n_requests: i32,
    version: i32,
    is_silent: bool,
}

/// Document of a test, in which `$0` marks the cursor.
pub(crate) struct Marked {
    pub(crate) text: String,
    pub(crate) position: Value,
}

/// Removes the marker `$0` from a text, and returns its position in UTF-16 units.
pub(crate) fn marked(text: &str) -> Marked {
    let (before, after) = text.split_once("$0").expect("a marker in the text");
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Marked {
        position: json!({
            "line": before.matches('\n').count(),
            "character": before[line_start..].encode_utf16().count(),
        }),
        text: format!("{before}{after}"),
    }
}

impl Client {
    /// Starts a server for a client without optional features. Kernels do not run in the background.
    pub(crate) fn new() -> Client {
        Client::with(json!({}), json!({ "runValues": false }))
    }

    /// Starts a server with capabilities and settings of the client.
    pub(crate) fn with(capabilities: Value, settings: Value) -> Client {
        let mut client = Client::uninitialized();
        let params = json!({
            "processId": null,
            "rootUri": null,
            "capabilities": capabilities,
            "initializationOptions": settings,
        });
        client.request("initialize", params);
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn uninitialized() -> Client {
        Client {
            server: Server::new(),
            received: VecDeque::new(),
            n_requests: 0,
            version: 0,
            is_silent: false,
        }
    }

    /// Opens a document, and returns its published diagnostics.
    pub(crate) fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        self.version += 1;
        let language = match uri.rsplit('.').next() {
            Some("cu") => "cuda-cpp",
            Some("py") => "python",
            Some("rs") => "rust",
            Some(other) => other,
            None => "",
        };
        let document = json!({
            "uri": uri,
            "languageId": language,
            "version": self.version,
            "text": text,
        });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.work();
        self.published(uri)
    }

    /// Changes a document without executing tasks.
    pub(crate) fn change(&mut self, uri: &str, changes: Value) {
        self.version += 1;
        let id = json!({ "uri": uri, "version": self.version });
        let params = json!({ "textDocument": id, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    /// Replaces the text of a document, and returns its published diagnostics.
    pub(crate) fn replace(&mut self, uri: &str, text: &str) -> Vec<Value> {
        self.change(uri, json!([{ "text": text }]));
        self.work();
        self.published(uri)
    }

    /// Executes all tasks.
    pub(crate) fn work(&mut self) {
        while self.server.work(&TaskGroup::ALL) {}
        self.collect();
    }

    fn collect(&mut self) {
        let outgoing = self.server.take_outgoing().into_iter();
        self.received.extend(
            outgoing.map(|text| serde_json::from_str::<Message>(&text).expect("a message")),
        );
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let notification = Notification::new(method.to_owned(), params);
        self.server.receive(notification.into());
        self.collect();
    }

    /// Sends a request, and returns its ID. The request has no response before [`Client::work`].
    pub(crate) fn send(&mut self, method: &str, params: Value) -> i32 {
        self.n_requests += 1;
        let request = Request::new(self.n_requests.into(), method.to_owned(), params);
        self.server.receive(request.into());
        self.n_requests
    }

    /// Sends a request, and returns its result.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.try_request(method, params)
            .unwrap_or_else(|message| panic!("{method}: {message}"))
    }

    /// Sends a request, and returns its result or the message of its error.
    pub(crate) fn try_request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let id = self.send(method, params);
        self.work();
        self.response(id).map_err(|(_, message)| message)
    }

    /// Sends a request that refers to a position of a document.
    pub(crate) fn at(&mut self, method: &str, uri: &str, position: &Value) -> Value {
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        self.request(method, params)
    }

    /// Sends a request that refers to a document.
    pub(crate) fn on(&mut self, method: &str, uri: &str) -> Value {
        self.request(method, json!({ "textDocument": { "uri": uri } }))
    }

    /// Claims the response of a request: its result, or the code and the message of its error.
    pub(crate) fn response(&mut self, id: i32) -> Result<Value, (i32, String)> {
        self.collect();
        let wanted = RequestId::from(id);
        let is_wanted =
            |message: &Message| matches!(message, Message::Response(own) if own.id == wanted);
        let at = self.received.iter().position(is_wanted);
        let at = at.unwrap_or_else(|| panic!("request {id} has no response"));
        match self.received.remove(at) {
            Some(Message::Response(Response {
                response_result, ..
            })) => response_result.map_err(|error| (error.code, error.message)),
            _ => unreachable!("the position belongs to a response"),
        }
    }

    /// Claims the last published diagnostics of a document.
    pub(crate) fn published(&mut self, uri: &str) -> Vec<Value> {
        let params = self.claim("textDocument/publishDiagnostics");
        let own = params.into_iter().rev().find(|own| own["uri"] == uri);
        let own = own.unwrap_or_else(|| panic!("{uri} has no diagnostics"));
        own["diagnostics"].as_array().cloned().unwrap_or_default()
    }

    /// Claims all notifications and requests of the server with this method, and returns their parameters.
    pub(crate) fn claim(&mut self, method: &str) -> Vec<Value> {
        self.collect();
        let mut claimed = Vec::new();
        self.received.retain(|message| match message {
            Message::Notification(own) if own.method == method => {
                claimed.push(own.params.clone());
                false
            }
            Message::Request(own) if own.method == method => {
                claimed.push(own.params.clone());
                false
            }
            _ => true,
        });
        claimed
    }

    /// Claims a request of the server, and answers it.
    pub(crate) fn answer(&mut self, method: &str, result: Value) {
        let is_wanted =
            |message: &Message| matches!(message, Message::Request(own) if own.method == method);
        let at = self.received.iter().position(is_wanted);
        let at = at.unwrap_or_else(|| panic!("the server has not sent {method}"));
        if let Some(Message::Request(request)) = self.received.remove(at) {
            self.server
                .receive(Response::new_ok(request.id, result).into());
        }
        self.collect();
    }

    /// Disables the check for unclaimed messages, for tests with random input.
    pub(crate) fn ignore_messages(&mut self) {
        self.is_silent = true;
        self.received.clear();
    }

    pub(crate) fn server(&mut self) -> &mut Server {
        &mut self.server
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if !self.is_silent && !std::thread::panicking() {
            self.collect();
            assert!(self.received.is_empty(), "unclaimed: {:?}", self.received);
        }
    }
}

/// Returns the text of a range of a document, in UTF-16 units.
pub(crate) fn text_at(text: &str, range: &Value) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let character = position["character"].as_u64().expect("a column") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut units = 0;
        let mut at = start;
        for c in text[start..].chars() {
            if units >= character {
                break;
            }
            units += c.len_utf16();
            at += c.len_utf8();
        }
        at
    };
    text[offset(&range["start"])..offset(&range["end"])].to_owned()
}

/// Applies text edits of the protocol to a text.
pub(crate) fn apply(text: &str, edits: &Value) -> String {
    let mut edits: Vec<&Value> = edits.as_array().expect("a list of edits").iter().collect();
    edits.sort_by_key(|edit| {
        let start = &edit["range"]["start"];
        (start["line"].as_u64(), start["character"].as_u64())
    });
    let mut result = text.to_owned();
    for edit in edits.iter().rev() {
        let before =
            json!({ "start": { "line": 0, "character": 0 }, "end": edit["range"]["start"] });
        let start = text_at(text, &before).len();
        let end = start + text_at(text, &edit["range"]).len();
        result.replace_range(start..end, edit["newText"].as_str().expect("a text"));
    }
    result
}
