//! Requests of the protocol, one module per group. Each function takes a snapshot and the parameters of the request.

pub(crate) mod call_hierarchy;
pub(crate) mod code_actions;
pub(crate) mod commands;
pub(crate) mod completion;
pub(crate) mod diagnostics;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod hover;
pub(crate) mod inlay_hints;
pub(crate) mod links;
pub(crate) mod navigation;
pub(crate) mod rename;
pub(crate) mod semantic_tokens;
pub(crate) mod symbols;
