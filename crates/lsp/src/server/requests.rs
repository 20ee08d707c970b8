//! Requests of the client: each method is a function of a snapshot and its parameters, which runs as a task.

use crate::document::Snapshot;
use crate::features::diagnostics::diagnostics;
use crate::features::{
    call_hierarchy, code_actions, commands, completion, folding, formatting, hover, inlay_hints,
    links, navigation, rename, semantic_tokens, symbols,
};
use crate::server::Server;
use crate::task::{Answer, Cancellation, Output, Task, TaskGroup, answer, error};
use crate::workspace::Workspace;
use gen_lsp_types::{CallHierarchyItem, CodeActionParams, CompletionItem, Position, Range, Uri};
use lsp_server::{ErrorCode, RequestId, ResponseError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Parameters that most requests have: a document, a position and a range.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentParams {
    text_document: DocumentId,
    position: Option<Position>,
    range: Option<Range>,
    /// Positions of `textDocument/selectionRange`.
    #[serde(default)]
    positions: Vec<Position>,
    /// Name of `textDocument/rename`.
    #[serde(default)]
    new_name: String,
    /// Context of `textDocument/references`.
    context: Option<ReferenceContext>,
    previous_result_id: Option<String>,
}

#[derive(Deserialize)]
struct DocumentId {
    uri: Uri,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReferenceContext {
    #[serde(default)]
    include_declaration: bool,
}

#[derive(Deserialize)]
struct ItemParams {
    item: CallHierarchyItem,
}

#[derive(Deserialize)]
struct QueryParams {
    query: String,
}

#[derive(Deserialize)]
struct CommandParams {
    command: String,
    #[serde(default)]
    arguments: Vec<Value>,
}

/// Creates the task of a request. Returns an error for an unknown method and for invalid parameters.
pub(super) fn task(
    server: &Server,
    id: &RequestId,
    method: &str,
    params: Value,
    cancellation: Cancellation,
) -> Result<Task, ResponseError> {
    let id = id.clone();
    // A new task of the editor replaces such a result, so a stale result is useless.
    let needs_newest = matches!(
        method,
        "textDocument/semanticTokens/full"
            | "textDocument/semanticTokens/full/delta"
            | "textDocument/inlayHint"
            | "textDocument/foldingRange"
            | "textDocument/codeLens"
            | "textDocument/documentLink"
            | "textDocument/documentSymbol"
    );
    match method {
        "completionItem/resolve" => {
            let item: CompletionItem = read(params)?;
            Ok(respond(id, cancellation, None, false, move || {
                answer(completion::resolve(item))
            }))
        }
        "workspace/symbol" => {
            let QueryParams { query } = read(params)?;
            let workspace = server.workspace();
            Ok(respond(id, cancellation, None, false, move || {
                answer(symbols::workspace_symbols(&workspace, &query))
            }))
        }
        "workspace/executeCommand" => {
            let CommandParams { command, arguments } = read(params)?;
            let snapshot = match arguments.first().and_then(Value::as_str) {
                Some(uri) => snapshot_of(server, &Uri(uri.to_owned()))?,
                None => return Err(invalid("the first argument must be the URI of a document")),
            };
            Ok(Task::new(TaskGroup::Requests, move || Output::Command {
                id,
                result: execute(&snapshot, &command, &arguments),
            }))
        }
        "callHierarchy/incomingCalls" | "callHierarchy/outgoingCalls" => {
            let ItemParams { item } = read(params)?;
            let snapshot = snapshot_of(server, &item.uri)?;
            let is_incoming = method == "callHierarchy/incomingCalls";
            Ok(respond(
                id,
                cancellation,
                None,
                false,
                move || match is_incoming {
                    true => answer(call_hierarchy::incoming(&snapshot, &item)),
                    false => answer(call_hierarchy::outgoing(&snapshot, &item)),
                },
            ))
        }
        "textDocument/codeAction" => {
            let params: CodeActionParams = read(params)?;
            let snapshot = snapshot_of(server, &params.text_document.uri)?;
            Ok(respond(id, cancellation, None, false, move || {
                let actions = code_actions::code_actions(&snapshot, params.range, &params.context);
                answer(actions)
            }))
        }
        "textDocument/semanticTokens/full" | "textDocument/semanticTokens/full/delta" => {
            let params: DocumentParams = read(params)?;
            let snapshot = snapshot_of(server, &params.text_document.uri)?;
            let results = server.tokens.clone();
            let checked = snapshot.clone();
            Ok(respond(
                id,
                cancellation,
                Some(checked),
                needs_newest,
                move || {
                    let tokens = semantic_tokens::semantic_tokens(&snapshot, None);
                    let previous = params.previous_result_id.as_deref();
                    answer(results.record(&snapshot.uri, tokens, previous))
                },
            ))
        }
        _ => {
            let feature = feature(method).ok_or_else(|| {
                error(
                    ErrorCode::MethodNotFound,
                    format!("the server does not support the request `{method}`"),
                )
            })?;
            let params: DocumentParams = read(params)?;
            let snapshot = snapshot_of(server, &params.text_document.uri)?;
            let workspace = server.workspace();
            let lenses = server.lens_commands();
            let checked = snapshot.clone();
            Ok(respond(
                id,
                cancellation,
                Some(checked),
                needs_newest,
                move || {
                    feature(&DocumentRequest {
                        snapshot: &snapshot,
                        workspace: &workspace,
                        params: &params,
                        lenses,
                    })
                },
            ))
        }
    }
}

/// Request that refers to a document.
struct DocumentRequest<'r> {
    snapshot: &'r Snapshot,
    workspace: &'r Workspace,
    params: &'r DocumentParams,
    lenses: links::LensCommands,
}

impl DocumentRequest<'_> {
    fn position(&self) -> Result<Position, ResponseError> {
        self.params
            .position
            .ok_or_else(|| invalid("`position` is missing"))
    }

    /// Returns the range of the request, or the range of the whole document.
    fn range(&self) -> Range {
        let whole = || {
            let end = self.snapshot.source().len() as u32;
            self.snapshot.range(warpgrid_program::Span::new(0, end))
        };
        self.params.range.unwrap_or_else(whole)
    }
}

/// Returns the function of a request that refers to a document.
fn feature(method: &str) -> Option<fn(&DocumentRequest<'_>) -> Answer> {
    Some(match method {
        "textDocument/diagnostic" => |request| {
            let items = diagnostics(request.snapshot);
            answer(json!({ "kind": "full", "items": items }))
        },
        "textDocument/hover" => {
            |request| answer(hover::hover(request.snapshot, request.position()?))
        }
        "textDocument/signatureHelp" => {
            |request| answer(hover::signature_help(request.snapshot, request.position()?))
        }
        "textDocument/completion" => |request| {
            answer(completion::completion(
                request.snapshot,
                request.position()?,
            ))
        },
        "textDocument/definition" => |request| {
            let position = request.position()?;
            answer(navigation::definition(
                request.snapshot,
                request.workspace,
                position,
            ))
        },
        "textDocument/declaration" => |request| {
            let position = request.position()?;
            answer(navigation::declaration(
                request.snapshot,
                request.workspace,
                position,
            ))
        },
        "textDocument/references" => |request| {
            let context = request.params.context.as_ref();
            let with_declaration = context.is_some_and(|context| context.include_declaration);
            answer(navigation::references(
                request.snapshot,
                request.workspace,
                request.position()?,
                with_declaration,
            ))
        },
        "textDocument/documentHighlight" => |request| {
            answer(navigation::highlights(
                request.snapshot,
                request.position()?,
            ))
        },
        "textDocument/documentSymbol" => {
            |request| answer(symbols::document_symbols(request.snapshot))
        }
        "textDocument/prepareRename" => |request| {
            let found = rename::prepare(request.snapshot, request.position()?).map_err(failed)?;
            let prepared =
                found.map(|(range, name)| json!({ "range": range, "placeholder": name }));
            answer(prepared)
        },
        "textDocument/rename" => |request| {
            let name = &request.params.new_name;
            let found = rename::rename(request.snapshot, request.position()?, name);
            answer(found.map_err(failed)?)
        },
        "textDocument/foldingRange" => |request| answer(folding::folding_ranges(request.snapshot)),
        "textDocument/selectionRange" => |request| {
            let positions = &request.params.positions;
            answer(folding::selection_ranges(request.snapshot, positions))
        },
        "textDocument/prepareCallHierarchy" => |request| {
            let found = call_hierarchy::prepare(request.snapshot, request.position()?);
            answer(found.map(|item| vec![item]))
        },
        "textDocument/semanticTokens/range" => |request| {
            let range = Some(request.range());
            answer(semantic_tokens::semantic_tokens(request.snapshot, range))
        },
        "textDocument/inlayHint" => {
            |request| answer(inlay_hints::inlay_hints(request.snapshot, request.range()))
        }
        "textDocument/formatting" => |request| answer(formatting::document(request.snapshot)),
        "textDocument/rangeFormatting" => {
            |request| answer(formatting::range(request.snapshot, request.range()))
        }
        "textDocument/onTypeFormatting" => {
            |request| answer(formatting::on_type(request.snapshot, request.position()?))
        }
        "textDocument/documentLink" => |request| answer(links::document_links(request.snapshot)),
        "textDocument/codeLens" => {
            |request| answer(links::code_lenses(request.snapshot, request.lenses))
        }
        _ => return None,
    })
}

fn execute(
    snapshot: &Snapshot,
    command: &str,
    arguments: &[Value],
) -> Result<commands::CommandResult, ResponseError> {
    let argument = arguments.get(1).and_then(Value::as_str);
    let result = match (command, argument) {
        ("warpgrid.server.run", kernel) => commands::run(snapshot, kernel),
        ("warpgrid.server.checkOnTarget", Some(target)) => {
            commands::check_on_target(snapshot, target)
        }
        ("warpgrid.server.checkOnTarget", None) => {
            return Err(invalid("the second argument must be the name of a target"));
        }
        _ => {
            let reason = format!("`{command}` is not a command of the server");
            return Err(invalid(&reason));
        }
    };
    result.map_err(failed)
}

/// Creates a task that responds to a request.
fn respond(
    id: RequestId,
    cancellation: Cancellation,
    snapshot: Option<Snapshot>,
    needs_newest: bool,
    work: impl FnOnce() -> Answer + Send + 'static,
) -> Task {
    Task::new(TaskGroup::Requests, move || {
        let checked = cancellation.check(snapshot.as_ref(), needs_newest);
        Output::Response {
            id,
            result: checked.and_then(|()| work()),
        }
    })
}

/// Returns the newest revision of an open document. A client can send a request for a document that it has just closed, for example because
/// the user has changed the language of the document. Clients display other error codes to the user, but ignore `ContentModified`.
fn snapshot_of(server: &Server, uri: &Uri) -> Result<Snapshot, ResponseError> {
    let found = server.documents.get(&uri.0).cloned();
    found.ok_or_else(|| {
        let reason = format!("`{}` is not open", uri.0);
        error(ErrorCode::ContentModified, reason)
    })
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, ResponseError> {
    serde_json::from_value(params).map_err(|reason| invalid(&reason.to_string()))
}

fn invalid(reason: &str) -> ResponseError {
    error(ErrorCode::InvalidParams, reason)
}

fn failed(reason: String) -> ResponseError {
    error(ErrorCode::RequestFailed, reason)
}
