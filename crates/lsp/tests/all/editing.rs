//! Hover, completion, signature help, formatting, semantic tokens, folding, selection and inlay hints.

use crate::client::{Client, apply, marked, text_at};
use serde_json::{Value, json};

const URI: &str = "file:///module.ptx";

fn in_kernel(body: &str) -> String {
    format!(
        ".version 8.7\n.target sm_90\n.entry k(.param .u64 out) {{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n{body}\n}}\n"
    )
}

#[test]
fn hover_shows_syntax_requirements_and_manual() {
    let document = marked(&in_kernel(
        "s$0t.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%rd1], %r1, [%rd2];",
    ));
    let mut client = Client::new();
    client.open(URI, &document.text);
    let hover = client.at("textDocument/hover", URI, &document.position);
    let text = hover["contents"]["value"].as_str().expect("Markdown");
    assert!(text.starts_with("```ptx\nst.async"), "{text}");
    assert!(
        text.contains("Since PTX 8.1") || text.contains("since PTX 8.1"),
        "{text}"
    );
    assert!(text.contains("docs.nvidia.com"), "{text}");
}

#[test]
fn completion_replaces_typed_prefix_and_resolves_documentation() {
    let document = marked(&in_kernel("st.global.v4.f3$0"));
    let mut client = Client::new();
    client.open(URI, &document.text);
    let list = client.at("textDocument/completion", URI, &document.position);
    let items = list["items"].as_array().expect("a list");
    let item = items
        .iter()
        .find(|item| item["label"] == "f32")
        .expect("the type f32");
    assert_eq!(text_at(&document.text, &item["textEdit"]["range"]), "f3");
    let document = marked(&in_kernel("wmma$0"));
    client.replace(URI, &document.text);
    let list = client.at("textDocument/completion", URI, &document.position);
    let items = list["items"].as_array().expect("a list");
    let item = items
        .iter()
        .find(|item| item["data"].is_string())
        .expect("an opcode");
    let resolved = client.request("completionItem/resolve", item.clone());
    assert!(
        resolved["documentation"]["value"]
            .to_string()
            .contains("wmma"),
        "{resolved}"
    );
}

#[test]
fn completion_of_registers_depends_on_scope() {
    let document = marked(&in_kernel("mov.u32 %r1, %r$0"));
    let mut client = Client::new();
    client.open(URI, &document.text);
    let list = client.at("textDocument/completion", URI, &document.position);
    let labels: Vec<&str> = list["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect();
    assert!(
        labels.iter().any(|label| label.contains("%r")),
        "{labels:?}"
    );
}

#[test]
fn signature_help_has_active_operand() {
    let document = marked(&in_kernel("mad.lo.u32 %r1, %r2, $0"));
    let mut client = Client::new();
    client.open(URI, &document.text);
    let help = client.at("textDocument/signatureHelp", URI, &document.position);
    assert_eq!(help["activeParameter"], 2, "{help}");
    let signature = &help["signatures"][0];
    let label: Vec<u16> = signature["label"]
        .as_str()
        .expect("a label")
        .encode_utf16()
        .collect();
    let parameter = &signature["parameters"][2]["label"];
    let range = parameter[0].as_u64().expect("a start") as usize
        ..parameter[1].as_u64().expect("an end") as usize;
    assert_eq!(String::from_utf16_lossy(&label[range]), "b");
}

#[test]
fn formatting_edits_only_lines_that_differ() {
    let source = in_kernel("add.u32   %r1,%r2,1;  st.global.u32 [%rd1],%r1;\n/* kept */");
    let mut client = Client::new();
    client.open(URI, &source);
    let edits = client.request(
        "textDocument/formatting",
        json!({
            "textDocument": { "uri": URI },
            "options": { "tabSize": 4, "insertSpaces": true },
        }),
    );
    let formatted = apply(&source, &edits);
    assert_eq!(formatted, warpgrid_view::format(&source));
    client.replace(URI, &formatted);
    let again = client.on("textDocument/formatting", URI);
    assert_eq!(again, json!([]));
}

#[test]
fn formatting_on_semicolon_affects_its_line() {
    let source = in_kernel("add.u32   %r1,%r2,1;\nadd.u32   %r1,%r2,2;");
    let mut client = Client::new();
    client.open(URI, &source);
    let edits = client.request(
        "textDocument/onTypeFormatting",
        json!({
            "textDocument": { "uri": URI },
            "position": { "line": 6, "character": 20 },
            "ch": ";",
            "options": { "tabSize": 4, "insertSpaces": true },
        }),
    );
    let formatted = apply(&source, &edits);
    assert!(
        formatted.contains("add.u32 %r1, %r2, 1;\nadd.u32   %r1,%r2,2;"),
        "{formatted}"
    );
}

/// Decodes semantic tokens to their texts and types.
fn decoded(text: &str, data: &Value) -> Vec<(String, u64)> {
    let data: Vec<u64> = data
        .as_array()
        .expect("integers")
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    let (mut line, mut column) = (0, 0);
    data.chunks(5)
        .map(|token| {
            if token[0] > 0 {
                (line, column) = (line + token[0], 0);
            }
            column += token[1];
            let place = |character: u64| json!({ "line": line, "character": character });
            let range = json!({ "start": place(column), "end": place(column + token[2]) });
            (text_at(text, &range), token[3])
        })
        .collect()
}

#[test]
fn semantic_tokens_are_split_at_lines() {
    let source = in_kernel("/* a\r\n b */ st.global.u32 [%rd1], %r1;");
    let mut client = Client::new();
    client.open(URI, &source);
    let tokens = client.on("textDocument/semanticTokens/full", URI);
    let tokens = decoded(&source, &tokens["data"]);
    let has = |text: &str, kind: u64| tokens.contains(&(text.to_owned(), kind));
    assert!(has("/* a", 0) && has(" b */", 0), "{tokens:?}");
    assert!(
        has("st", 2) && has(".global", 3) && has(".u32", 4) && has("%rd1", 5),
        "{tokens:?}"
    );
}

#[test]
fn semantic_tokens_delta_produces_new_tokens() {
    let source = in_kernel("add.u32 %r1, %r2, 1;\nret;");
    let mut client = Client::new();
    client.open(URI, &source);
    let full = client.on("textDocument/semanticTokens/full", URI);
    client.replace(
        URI,
        &source.replace("add.u32 %r1,", "bar.sync 0;\n add.u32 %r1,"),
    );
    let delta = client.request(
        "textDocument/semanticTokens/full/delta",
        json!({
            "textDocument": { "uri": URI },
            "previousResultId": full["resultId"],
        }),
    );
    let mut data: Vec<Value> = full["data"].as_array().expect("integers").clone();
    for edit in delta["edits"].as_array().expect("edits") {
        let start = edit["start"].as_u64().expect("a start") as usize;
        let end = start + edit["deleteCount"].as_u64().expect("a count") as usize;
        data.splice(
            start..end,
            edit["data"].as_array().cloned().unwrap_or_default(),
        );
    }
    let again = client.on("textDocument/semanticTokens/full", URI);
    assert_eq!(Value::Array(data), again["data"]);
    // An unknown previous result has a full result as its answer.
    let full = client.request(
        "textDocument/semanticTokens/full/delta",
        json!({
            "textDocument": { "uri": URI },
            "previousResultId": "unknown",
        }),
    );
    assert_eq!(full["data"], again["data"]);
}

#[test]
fn functions_blocks_and_comments_fold() {
    let source =
        ".version 8.7\n// a\n// b\n.target sm_90\n.entry k()\n{\n  {\n    ret;\n  }\n}\n/*\n*/\n";
    let mut client = Client::new();
    client.open(URI, source);
    let ranges = client.on("textDocument/foldingRange", URI);
    let ranges = ranges.as_array().expect("a list").iter();
    let lines: Vec<_> = ranges
        .map(|range| (range["startLine"].as_u64(), range["endLine"].as_u64()))
        .collect();
    let expected = [(1, 2), (5, 8), (6, 7), (10, 11)];
    assert_eq!(lines, expected.map(|(start, end)| (Some(start), Some(end))));
}

#[test]
fn selection_grows_from_token_to_document() {
    let document = marked(&in_kernel("st.global.v2.u32 [%rd1], {%r1, %r$02};"));
    let mut client = Client::new();
    client.open(URI, &document.text);
    let params = json!({ "textDocument": { "uri": URI }, "positions": [document.position] });
    let mut range = &client.request("textDocument/selectionRange", params)[0];
    let mut texts = Vec::new();
    while range.is_object() {
        texts.push(text_at(&document.text, &range["range"]));
        range = &range["parent"];
    }
    assert_eq!(
        texts[..4],
        [
            "%r2",
            "%r1, %r2",
            "{%r1, %r2}",
            "st.global.v2.u32 [%rd1], {%r1, %r2};"
        ]
    );
    assert_eq!(texts.last(), Some(&document.text));
}

fn hints(settings: Value, source: &str) -> Vec<(u64, String)> {
    let mut client = Client::with(
        json!({}),
        json!({ "runValues": false, "inlayHints": settings }),
    );
    client.open(URI, source);
    let end = json!({ "line": 100, "character": 0 });
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 0, "character": 0 }, "end": end },
    });
    let hints = client.request("textDocument/inlayHint", params);
    let hints = hints.as_array().expect("a list").iter();
    hints
        .map(|hint| {
            let column = hint["position"]["character"].as_u64().expect("a column");
            (column, hint["label"].as_str().expect("a text").to_owned())
        })
        .collect()
}

#[test]
fn inlay_hints_have_categories() {
    let source = in_kernel("mov.f32 %f1, 0f3F800000;\nfma.rn.f32 %f2, %f1, %f1, %f0;");
    let owned = |hints: &[(u64, &str)]| -> Vec<(u64, String)> {
        hints
            .iter()
            .map(|(column, text)| (*column, (*text).to_owned()))
            .collect()
    };
    let none = json!({ "values": false });
    assert_eq!(hints(none, &source), []);
    assert_eq!(hints(json!({}), &source), owned(&[(23, "= 1.0")]));
    let types = json!({ "values": false, "types": true });
    assert_eq!(hints(types, &source), owned(&[(11, ".f32"), (14, ".f32")]));
    let operands = json!({ "values": false, "operands": true });
    let expected = owned(&[
        (8, "d:"),
        (13, "a:"),
        (11, "d:"),
        (16, "a:"),
        (21, "b:"),
        (26, "c:"),
    ]);
    assert_eq!(hints(operands, &source), expected);
}

#[test]
fn links_open_source_files() {
    let source = ".version 8.7\n.target sm_90\n.file 1 \"dir/kernel.cu\"\n";
    let mut client = Client::new();
    client.open(URI, source);
    let links = client.on("textDocument/documentLink", URI);
    assert_eq!(links[0]["target"], "file:///dir/kernel.cu");
    assert_eq!(text_at(source, &links[0]["range"]), "dir/kernel.cu");
}
