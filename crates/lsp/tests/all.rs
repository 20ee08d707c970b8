//! Protocol tests with an in-memory client.

#[path = "all/client.rs"]
mod client;
#[path = "all/diagnostics.rs"]
mod diagnostics;
#[path = "all/editing.rs"]
mod editing;
#[path = "all/every_token.rs"]
mod every_token;
#[path = "all/inline_assembly.rs"]
mod inline_assembly;
#[path = "all/navigation.rs"]
mod navigation;
#[path = "all/protocol.rs"]
mod protocol;
#[path = "all/run_values.rs"]
mod run_values;
