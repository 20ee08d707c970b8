//! PTX in strings of host languages.

use crate::client::{Client, marked, text_at};
use serde_json::{Value, json};

const CPP: &str = "\
__device__ void store(unsigned *p, unsigned v) {
  asm volatile(\"{\\n\\t.reg .b32 t;\\n\\t\"
               \"mov.b32 t, %1;\\n\\t\"
               \"st.global.u32 [%0], t;\\n\\t}\" :: \"l\"(p), \"r\"(v) : \"memory\");
}
";
const URI: &str = "file:///a.cu";

#[test]
fn error_in_string_has_its_column_in_file() {
    let mut client = Client::new();
    assert_eq!(client.open(URI, CPP), [] as [Value; 0]);
    let wrong = CPP.replace("st.global", "st.gobal");
    let found = client.replace(URI, &wrong);
    assert_eq!(text_at(&wrong, &found[0]["range"]), "gobal");
    assert_eq!(found[0]["range"]["start"]["line"], 3);
}

#[test]
fn hover_completion_and_definition_inside_string() {
    let mut client = Client::new();
    let document = marked(&CPP.replace("[%0], t", "[%0], $0t"));
    client.open(URI, &document.text);
    let found = client.at("textDocument/definition", URI, &document.position);
    assert_eq!(text_at(&document.text, &found[0]["range"]), "t");
    assert_eq!(found[0]["range"]["start"]["line"], 1);
    let operand = marked(&CPP.replace("[%0], t", "[%$00], t"));
    let found = client.at("textDocument/definition", URI, &operand.position);
    assert_eq!(
        text_at(&operand.text, &found[0]["range"]).trim_matches('"'),
        "l"
    );
    let half = marked(&CPP.replace("st.global.u32", "st.glo$0"));
    client.replace(URI, &half.text);
    let list = client.at("textDocument/completion", URI, &half.position);
    let items = list["items"].as_array().expect("a list");
    let item = items
        .iter()
        .find(|item| item["label"] == "global")
        .expect("the state space");
    assert_eq!(text_at(&half.text, &item["textEdit"]["range"]), "glo");
}

#[test]
fn operands_keep_their_names() {
    let mut client = Client::new();
    let document = marked(&CPP.replace("[%0], t", "[%$00], t"));
    client.open(URI, &document.text);
    let params =
        json!({ "textDocument": { "uri": URI }, "position": document.position, "newName": "x" });
    let reason = client
        .try_request("textDocument/rename", params)
        .expect_err("an operand");
    assert!(reason.contains("operand"), "{reason}");
}

#[test]
fn register_in_string_is_renamed() {
    let mut client = Client::new();
    let document = marked(&CPP.replace("mov.b32 t", "mov.b32 $0t"));
    client.open(URI, &document.text);
    let params = json!({ "textDocument": { "uri": URI }, "position": document.position, "newName": "value" });
    let edit = client.request("textDocument/rename", params);
    let new = crate::client::apply(&document.text, &edit["changes"][URI]);
    assert!(
        new.contains(".reg .b32 value;")
            && new.contains("mov.b32 value, %1")
            && new.contains("[%0], value;"),
        "{new}"
    );
}

#[test]
fn text_without_asm_blocks_has_no_features() {
    let mut client = Client::new();
    let source = "// st.gobal.u32 in a comment\nint main() { const char *s = \"st.gobal.u32 [p], 1;\"; return 0; }\n";
    assert_eq!(client.open(URI, source), [] as [Value; 0]);
    assert_eq!(client.on("textDocument/documentSymbol", URI), json!([]));
    assert_eq!(
        client.on("textDocument/semanticTokens/full", URI)["data"],
        json!([])
    );
    assert_eq!(client.on("textDocument/formatting", URI), json!([]));
}
