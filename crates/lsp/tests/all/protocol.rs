//! Order of messages, cancellation, revisions and bad input.

use crate::client::Client;
use lsp_server::ErrorCode;
use serde_json::{Value, json};
use std::io::Cursor;

const URI: &str = "file:///module.ptx";
const SOURCE: &str = ".version 8.7\n.target sm_90\n.entry k() { ret; }\n";

#[test]
fn requests_before_initialize_and_after_shutdown_are_errors() {
    let mut client = Client::uninitialized();
    let id = client.send("textDocument/hover", json!({}));
    let code = client.response(id).map_err(|(code, _)| code);
    assert_eq!(code, Err(ErrorCode::ServerNotInitialized as i32));
    let mut client = Client::new();
    assert_eq!(client.request("shutdown", Value::Null), Value::Null);
    let id = client.send("textDocument/hover", json!({}));
    let code = client.response(id).map_err(|(code, _)| code);
    assert_eq!(code, Err(ErrorCode::InvalidRequest as i32));
    assert!(client.server().has_shut_down() && !client.server().has_exited());
    client.notify("exit", Value::Null);
    assert!(client.server().has_exited());
}

#[test]
fn unknown_methods_documents_and_parameters_are_errors() {
    let mut client = Client::new();
    let code = |client: &mut Client, method: &str, params: Value| {
        let id = client.send(method, params);
        client.work();
        client.response(id).map_err(|(code, _)| code)
    };
    let unknown = code(&mut client, "textDocument/moniker", json!({}));
    assert_eq!(unknown, Err(ErrorCode::MethodNotFound as i32));
    let params = json!({ "textDocument": { "uri": "file:///closed.ptx" } });
    let closed = code(&mut client, "textDocument/foldingRange", params);
    assert_eq!(closed, Err(ErrorCode::ContentModified as i32));
    let invalid = code(
        &mut client,
        "textDocument/hover",
        json!({ "textDocument": 3 }),
    );
    assert_eq!(invalid, Err(ErrorCode::InvalidParams as i32));
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": URI, "version": 1 }, "contentChanges": [] }),
    );
    client.notify("textDocument/didOpen", json!([1]));
    assert_eq!(client.claim("window/logMessage").len(), 2);
}

#[test]
fn trace_reports_received_messages() {
    let mut client = Client::new();
    client.notify("$/setTrace", json!({ "value": "messages" }));
    client.open(URI, SOURCE);
    let traced = client.claim("$/logTrace");
    assert_eq!(
        traced,
        [json!({ "message": "received textDocument/didOpen", "verbose": null })]
    );
    client.notify("$/setTrace", json!({ "value": "off" }));
    client.claim("$/logTrace");
}

#[test]
fn cancelled_request_has_error_response() {
    let mut client = Client::new();
    client.open(URI, SOURCE);
    let position = json!({ "line": 2, "character": 1 });
    let id = client.send(
        "textDocument/hover",
        json!({ "textDocument": { "uri": URI }, "position": position }),
    );
    client.notify("$/cancelRequest", json!({ "id": id }));
    client.work();
    let code = client.response(id).map_err(|(code, _)| code);
    assert_eq!(code, Err(ErrorCode::RequestCanceled as i32));
}

#[test]
fn result_for_whole_stale_document_is_an_error() {
    let mut client = Client::new();
    client.open(URI, SOURCE);
    let id = client.send(
        "textDocument/semanticTokens/full",
        json!({ "textDocument": { "uri": URI } }),
    );
    client.change(URI, json!([{ "text": "" }]));
    client.work();
    let code = client.response(id).map_err(|(code, _)| code);
    assert_eq!(code, Err(ErrorCode::ContentModified as i32));
    client.published(URI);
}

#[test]
fn only_newest_revision_is_checked() {
    let mut client = Client::new();
    client.open(URI, SOURCE);
    for n in 0..100 {
        let at = json!({ "line": 3, "character": n });
        client.change(
            URI,
            json!([{ "range": { "start": at, "end": at }, "text": "x" }]),
        );
    }
    client.work();
    let published = client.claim("textDocument/publishDiagnostics");
    assert_eq!(published.len(), 1);
    assert_eq!(published[0]["version"], 101);
}

#[test]
fn incremental_changes_produce_same_diagnostics_as_whole_text() {
    let mut client = Client::new();
    client.open(URI, SOURCE);
    let mut text: Vec<char> = SOURCE.chars().collect();
    let mut random = 7u32;
    for round in 0..300 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let at = (random >> 8) as usize % (text.len() + 1);
        let piece = [
            "ret;",
            "\n",
            "\r\n",
            "é",
            "\u{1f600}",
            "{",
            "}",
            ".reg .b32 x;",
            "",
            "\r",
        ][(random >> 4) as usize % 10];
        let n_deleted = ((random >> 20) as usize % 3).min(text.len() - at);
        let position = |offset: usize| {
            let before: String = text[..offset].iter().collect();
            let lines: Vec<&str> = before
                .split_inclusive('\n')
                .flat_map(|line| match line.strip_suffix("\r\n") {
                    Some(_) => line
                        .trim_end_matches("\r\n")
                        .split_inclusive('\r')
                        .chain(["\r\n"])
                        .collect::<Vec<_>>(),
                    None => line.split_inclusive('\r').collect(),
                })
                .collect();
            let is_end = |line: &&&str| line.ends_with(['\n', '\r']);
            let n_lines = lines.iter().filter(is_end).count();
            let last: String = lines
                .iter()
                .rev()
                .take_while(|line| !line.ends_with(['\n', '\r']))
                .copied()
                .collect();
            json!({ "line": n_lines, "character": last.encode_utf16().count() })
        };
        // A position between `\r` and `\n` does not exist in the protocol.
        let splits = |offset: usize| {
            offset > 0 && text[offset - 1] == '\r' && text.get(offset) == Some(&'\n')
        };
        if splits(at) || splits(at + n_deleted) {
            continue;
        }
        let range = json!({ "start": position(at), "end": position(at + n_deleted) });
        client.change(URI, json!([{ "range": range, "text": piece }]));
        text.splice(at..at + n_deleted, piece.chars());
        if round % 10 == 0 {
            client.work();
            let incremental = client.published(URI);
            let whole: String = text.iter().collect();
            let mut fresh = Client::new();
            assert_eq!(incremental, fresh.open(URI, &whole), "{whole:?}");
        }
    }
    client.work();
    client.ignore_messages();
}

/// Every request at every position of half-typed and damaged text has an answer.
#[test]
fn damaged_texts_have_answers() {
    let methods = [
        "textDocument/hover",
        "textDocument/completion",
        "textDocument/signatureHelp",
        "textDocument/definition",
        "textDocument/references",
        "textDocument/documentHighlight",
        "textDocument/prepareCallHierarchy",
    ];
    let whole = [
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/semanticTokens/full",
        "textDocument/formatting",
        "textDocument/codeLens",
        "textDocument/documentLink",
        "textDocument/inlayHint",
    ];
    let sources = [
        ".version 8.7\n.target sm_90\n.entry k(.param .u64 p) { .reg .b32 %r<4>; st.global.v2.u32 [%r1+4], {%r2, %r3}; $l: @%p bra $l; }",
        "__device__ void f(int *p) { asm volatile(\"{ .reg .b32 t; mov.b32 t, %1; st.global.u32 [%0], t; }\" :: \"l\"(p), \"r\"(1)); }",
        "\t\tFunction : k\n        /*0000*/  STG.E [R2.64], R5 ;\n.L_x_0:\n        /*0010*/  BRA `(.L_x_0) ;\n",
    ];
    for (source, uri) in sources
        .iter()
        .zip(["file:///a.ptx", "file:///a.cu", "file:///a.sass"])
    {
        let mut client = Client::new();
        client.open(uri, source);
        for length in (0..source.len()).step_by(3) {
            let text = &source[..source.floor_char_boundary(length)];
            client.replace(uri, text);
            let lines: Vec<&str> = text.split('\n').collect();
            let position = json!({ "line": lines.len() - 1, "character": lines.last().map_or(0, |line| line.len()) });
            for method in methods {
                client.at(method, uri, &position);
            }
            for method in whole {
                client.on(method, uri);
            }
        }
    }
}

/// Writes a message with its header.
fn frame(content: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{content}", content.len()).into_bytes()
}

#[test]
fn server_survives_messages_that_are_not_json() {
    let mut input = frame(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"processId\":null,\"rootUri\":null,\"capabilities\":{}}}",
    );
    input.extend(frame("{ not JSON"));
    input.extend(b"Content-Length: 4\r\n\r\n\xff\xfe\x00\x01");
    input.extend(frame(
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"shutdown\"}",
    ));
    input.extend(frame("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}"));
    let mut output = Vec::new();
    let has_shut_down =
        warpgrid_lsp::stdio::run(Cursor::new(input), &mut output).expect("no output error");
    assert!(has_shut_down);
    let output = String::from_utf8_lossy(&output);
    assert_eq!(output.matches("window/logMessage").count(), 2, "{output}");
    assert!(output.contains("\"id\":2,\"result\":null"), "{output}");
}

#[test]
fn end_of_input_ends_server() {
    let mut output = Vec::new();
    let run = |input: &[u8], output: &mut Vec<u8>| {
        warpgrid_lsp::stdio::run(Cursor::new(input.to_vec()), output).expect("no output error")
    };
    assert!(!run(b"", &mut output));
    assert!(!run(b"no header\r\n\r\n", &mut output));
    assert!(!run(b"Content-Length: 99999999999999\r\n\r\n", &mut output));
}
