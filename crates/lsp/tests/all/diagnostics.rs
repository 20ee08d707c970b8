//! Diagnostics, published and requested, with fixes as code actions.

use crate::client::{Client, apply, text_at};
use serde_json::{Value, json};

const URI: &str = "file:///module.ptx";

const MISSPELLED: &str = ".version 8.7\n.target sm_90\n.entry k() {\n  .reg .b64 %p;\n  /* \u{1f600} */ st.gobal.u32 [%p], 1;\n}\n";

#[test]
fn published_diagnostics_have_ranges_codes_and_severities() {
    let mut client = Client::new();
    let found = client.open(URI, MISSPELLED);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(text_at(MISSPELLED, &found[0]["range"]), "gobal");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["source"], "warpgrid");
    assert!(
        found[0]["code"]
            .as_str()
            .is_some_and(|code| code.starts_with('W'))
    );
    // A corrected document has no diagnostics.
    assert_eq!(
        client.replace(URI, &MISSPELLED.replace("gobal", "global")),
        [] as [Value; 0]
    );
}

#[test]
fn columns_count_bytes_if_client_supports_utf_8() {
    let mut client = Client::with(
        json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } }),
        json!({ "runValues": false }),
    );
    let found = client.open(URI, MISSPELLED);
    let line = MISSPELLED.lines().nth(4).expect("line 5");
    assert_eq!(
        found[0]["range"]["start"]["character"],
        line.find("gobal").expect("the word")
    );
}

#[test]
fn related_location_is_first_declaration() {
    let mut client = Client::new();
    let source = ".version 8.7\n.target sm_90\n.entry k() {\n  .reg .b32 x;\n  .reg .b32 x;\n}\n";
    let found = client.open(URI, source);
    let related = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(related["uri"], URI);
    assert_eq!(related["range"]["start"]["line"], 3);
}

#[test]
fn fix_is_code_action_of_diagnostic() {
    let mut client = Client::new();
    let found = client.open(URI, MISSPELLED);
    let params = json!({
        "textDocument": { "uri": URI },
        "range": found[0]["range"],
        "context": { "diagnostics": found },
    });
    let actions = client.request("textDocument/codeAction", params);
    let quick_fix = &actions[0];
    assert_eq!(quick_fix["kind"], "quickfix");
    assert_eq!(quick_fix["isPreferred"], true);
    let fixed = apply(MISSPELLED, &quick_fix["edit"]["changes"][URI]);
    assert_eq!(fixed, MISSPELLED.replace("gobal", "global"));
    let all = actions
        .as_array()
        .expect("a list")
        .last()
        .expect("an action");
    assert_eq!(all["kind"], "source.fixAll");
    assert_eq!(apply(MISSPELLED, &all["edit"]["changes"][URI]), fixed);
}

#[test]
fn client_that_requests_diagnostics_receives_no_notifications() {
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let mut client = Client::with(capabilities, json!({ "runValues": false }));
    let document = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": MISSPELLED });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    client.work();
    let report = client.on("textDocument/diagnostic", URI);
    assert_eq!(report["kind"], "full");
    assert_eq!(report["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn settings_override_target() {
    let source = ".version 8.7\n.target sm_90\n.entry k() {\n  .reg .b64 %p;\n  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%p], 1, [%p];\n}\n";
    let mut client = Client::new();
    assert_eq!(client.open(URI, source), [] as [Value; 0]);
    let settings = json!({ "warpgrid": { "target": "sm_80", "runValues": false } });
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": settings }),
    );
    client.work();
    let found = client.published(URI);
    assert_eq!(found[0]["severity"], 1, "{found:?}");
}

#[test]
fn settings_are_requested_from_client() {
    let capabilities = json!({ "workspace": { "configuration": true } });
    let mut client = Client::with(capabilities, json!({ "runValues": false }));
    client.answer(
        "workspace/configuration",
        json!([{ "target": "sm_10x", "runValues": false }]),
    );
    let found = client.open(URI, ".version 8.7\n.target sm_90\n");
    assert!(
        found[0]["message"].to_string().contains("sm_10x"),
        "{found:?}"
    );
}

#[test]
fn documents_in_other_formats_have_no_diagnostics() {
    let mut client = Client::new();
    let pretext = "<?xml version=\"1.0\"?>\n<pretext><book>st.gobal</book></pretext>\n";
    assert_eq!(client.open("file:///book.ptx", pretext), [] as [Value; 0]);
    assert_eq!(
        client.open("file:///binary.ptx", "\u{7f}ELF\0\0\u{fffd}"),
        [] as [Value; 0]
    );
    assert_eq!(client.open("file:///empty.ptx", ""), [] as [Value; 0]);
    assert_eq!(
        client.on("textDocument/documentSymbol", "file:///book.ptx"),
        json!([])
    );
}

#[test]
fn closed_document_has_no_diagnostics() {
    let mut client = Client::new();
    client.open(URI, MISSPELLED);
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(client.published(URI), [] as [Value; 0]);
}

#[test]
fn code_lens_checks_kernel_on_another_target() {
    let mut client = Client::new();
    let source = ".version 8.7\n.target sm_80\n.visible .entry k() { ret; }\n";
    client.open(URI, source);
    let lenses = client.on("textDocument/codeLens", URI);
    let titles: Vec<_> = lenses
        .as_array()
        .expect("a list")
        .iter()
        .map(|lens| lens["command"]["title"].clone())
        .collect();
    assert_eq!(titles, ["Run in Warpgrid", "Check on sm_90"]);
    for (lens, message) in [(0, "clean"), (1, "accepted on sm_90")] {
        let command = &lenses[lens]["command"];
        let params = json!({ "command": command["command"], "arguments": command["arguments"] });
        client.request("workspace/executeCommand", params);
        let shown = client.claim("window/showMessage");
        assert!(
            shown[0]["message"].to_string().contains(message),
            "{shown:?}"
        );
    }
}
