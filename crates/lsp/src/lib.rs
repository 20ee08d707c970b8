//! Language server for PTX, SASS listings, and PTX in inline assembly of C++, Python, Rust and Julia.
//!
//! - Input and output: messages of the Language Server Protocol 3.18. [`Server`] is independent of the transport: a host passes messages
//!   to [`Server::receive`], executes the returned tasks on any thread, and sends the outgoing messages. `stdio` is the host of the
//!   command `warpgrid lsp`; the VS Code extension runs the server as WebAssembly.
//! - Each task has a snapshot of its document. A task opens the front end of the language for its snapshot, so tasks share no mutable
//!   state, and a result always refers to one revision.
//! - This crate contains no facts about PTX or SASS. All results come from `view::source` and from runs of `view::session`.
//! - Tests: `cargo test -p warpgrid-lsp` contains an in-memory client, which fails on messages that a test does not expect.

mod document;
mod features;
mod run_values;
mod server;
mod settings;
#[cfg(feature = "native")]
pub mod stdio;
mod task;
mod text;
mod workspace;
#[cfg(feature = "native")]
mod workspace_files;

pub use server::Server;
pub use task::{Task, TaskGroup, TaskOutput};
pub use workspace::{GlobalSymbol, NoFiles, WorkspaceFiles};
