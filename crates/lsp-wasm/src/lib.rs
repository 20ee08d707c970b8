//! WebAssembly module of the language server, which the VS Code extension runs in a worker.

use lsp_server::Message;
use warpgrid_lsp::TaskGroup;
use wasm_bindgen::prelude::*;

/// Language server without a transport. Messages are JSON texts without headers.
#[wasm_bindgen]
pub struct LanguageServer {
    server: warpgrid_lsp::Server,
}

#[wasm_bindgen]
impl LanguageServer {
    #[wasm_bindgen(constructor)]
    #[expect(
        clippy::new_without_default,
        reason = "JavaScript calls the constructor"
    )]
    pub fn new() -> LanguageServer {
        LanguageServer {
            server: warpgrid_lsp::Server::new(),
        }
    }

    /// Processes a message of the client, and returns the messages for the client.
    pub fn receive(&mut self, message: &str) -> Result<Vec<String>, JsError> {
        let message: Message = serde_json::from_str(message)?;
        self.server.receive(message);
        Ok(self.server.take_outgoing())
    }

    /// Executes one task, and returns the messages for the client. Returns `undefined` if no task is left. A run of a kernel can take tenths
    /// of a second, so a host includes runs only while the client is idle.
    pub fn work(&mut self, includes_runs: bool) -> Option<Vec<String>> {
        let groups = match includes_runs {
            true => &TaskGroup::ALL[..],
            false => &[TaskGroup::Requests, TaskGroup::Checks],
        };
        let is_pending = self.server.work(groups);
        let outgoing = self.server.take_outgoing();
        (is_pending || !outgoing.is_empty()).then_some(outgoing)
    }
}
