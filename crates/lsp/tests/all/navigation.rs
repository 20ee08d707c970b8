//! Definitions, references, highlights, renames, outlines and calls.

use crate::client::{Client, apply, marked, text_at};
use serde_json::{Value, json};

const URI: &str = "file:///module.ptx";

const MODULE: &str = "\
.version 8.7
.target sm_90
.address_size 64
.extern .func (.param .b32 r) helper (.param .b32 x);
.shared .align 4 .b32 buffer[32];
.visible .entry scale(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .reg .pred %p;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  setp.gt.u32 %p, %r0, 7;
  @%p bra $done;
  {
    .reg .b32 %r<2>;
    mov.u32 %r1, 3;
    st.global.u32 [%rd0], %r1;
  }
  mov.u32 %r1, buffer;
  st.global.u32 [%rd0], %r1;
$done:
  ret;
}
";

/// Opens the module with a marker before the nth occurrence of a text, and returns the position of the marker.
fn open_at(client: &mut Client, text: &str, nth: usize) -> Value {
    let (at, _) = MODULE
        .match_indices(text)
        .nth(nth)
        .expect("the text of the module");
    let found = marked(&format!("{}$0{}", &MODULE[..at], &MODULE[at..]));
    assert_eq!(client.open(URI, MODULE), [] as [Value; 0]);
    found.position
}

fn lines(locations: &Value) -> Vec<u64> {
    let locations = locations.as_array().expect("a list").iter();
    let ranges = locations.map(|found| &found["range"]["start"]["line"]);
    ranges
        .map(|line| line.as_u64().expect("a line") + 1)
        .collect()
}

#[test]
fn definition_of_register_is_its_group_in_innermost_scope() {
    let mut client = Client::new();
    let outer = open_at(&mut client, "%r1, buffer", 0);
    assert_eq!(
        lines(&client.at("textDocument/definition", URI, &outer)),
        [8]
    );
    let mut client = Client::new();
    let inner = open_at(&mut client, "%r1, 3", 0);
    assert_eq!(
        lines(&client.at("textDocument/definition", URI, &inner)),
        [16]
    );
}

#[test]
fn definitions_of_labels_parameters_and_variables() {
    for (text, line) in [("$done;", 22), ("out];", 6), ("buffer;", 5), ("helper", 4)] {
        let mut client = Client::new();
        let position = open_at(&mut client, text, 0);
        let found = client.at("textDocument/definition", URI, &position);
        assert_eq!(lines(&found), [line], "{text}");
    }
}

#[test]
fn references_of_register_are_those_of_same_member() {
    let mut client = Client::new();
    let position = open_at(&mut client, "%r1, buffer", 0);
    let params = json!({
        "textDocument": { "uri": URI },
        "position": position,
        "context": { "includeDeclaration": false },
    });
    let found = client.request("textDocument/references", params);
    assert_eq!(lines(&found), [20, 21]);
}

#[test]
fn references_of_group_declaration_are_those_of_all_members() {
    let mut client = Client::new();
    let position = open_at(&mut client, "%r<3>", 0);
    let params = json!({
        "textDocument": { "uri": URI },
        "position": position,
        "context": { "includeDeclaration": true },
    });
    let found = client.request("textDocument/references", params);
    assert_eq!(lines(&found), [8, 12, 13, 20, 21]);
}

#[test]
fn highlights_distinguish_reads_and_writes() {
    let mut client = Client::new();
    let position = open_at(&mut client, "%r0, 7", 0);
    let found = client.at("textDocument/documentHighlight", URI, &position);
    let found = found.as_array().expect("a list").iter();
    let kinds: Vec<_> = found
        .map(|own| (own["range"]["start"]["line"].as_u64(), own["kind"].as_u64()))
        .collect();
    // 1 is text, 2 is a read, and 3 is a write.
    let expected = [(7, 1), (11, 3), (12, 2)];
    assert_eq!(kinds, expected.map(|(line, kind)| (Some(line), Some(kind))));
}

#[test]
fn special_registers_have_highlights_and_no_definition() {
    let mut client = Client::new();
    let position = open_at(&mut client, "%tid.x", 0);
    assert_eq!(
        client.at("textDocument/definition", URI, &position),
        json!([])
    );
    let found = client.at("textDocument/documentHighlight", URI, &position);
    assert_eq!(text_at(MODULE, &found[0]["range"]), "%tid");
}

#[test]
fn extern_function_is_defined_in_another_open_module() {
    let mut client = Client::new();
    let other = ".version 8.7\n.target sm_90\n.visible .func (.param .b32 r) helper (.param .b32 x)\n{\n  ret;\n}\n";
    client.open("file:///other.ptx", other);
    let position = open_at(&mut client, "helper", 0);
    let found = client.at("textDocument/definition", URI, &position);
    assert_eq!(found[0]["uri"], "file:///other.ptx");
    assert_eq!(lines(&found), [3]);
    let found = client.request("workspace/symbol", json!({ "query": "hlp" }));
    let found = found.as_array().expect("a list").iter();
    let uris: Vec<_> = found.map(|own| own["location"]["uri"].clone()).collect();
    assert_eq!(uris, ["file:///other.ptx", URI]);
}

/// Renames the symbol at an occurrence of a text, and returns the renamed module or the reason of the rejection.
fn renamed(text: &str, name: &str) -> Result<String, String> {
    let mut client = Client::new();
    let position = open_at(&mut client, text, 0);
    let params = json!({ "textDocument": { "uri": URI }, "position": position, "newName": name });
    let edit = client.try_request("textDocument/rename", params)?;
    Ok(apply(MODULE, &edit["changes"][URI]))
}

#[test]
fn rename_of_register_renames_its_group_in_its_scope() {
    let new = renamed("%r1, 3", "%inner").expect("a legal rename");
    assert!(
        new.contains(".reg .b32 %inner<2>;\n    mov.u32 %inner1, 3;"),
        "{new}"
    );
    assert!(new.contains("mov.u32 %r1, buffer;"), "{new}");
    let mut client = Client::new();
    let position = open_at(&mut client, "%r1, 3", 0);
    let prepared = client.at("textDocument/prepareRename", URI, &position);
    assert_eq!(prepared["placeholder"], "%r");
    assert_eq!(text_at(MODULE, &prepared["range"]), "%r");
}

#[test]
fn rename_of_label_and_parameter() {
    let new = renamed("$done;", "$end").expect("a legal rename");
    assert!(new.contains("bra $end;") && new.contains("$end:"), "{new}");
    let new = renamed("out)", "result").expect("a legal rename");
    assert!(
        new.contains("[result]") && new.contains(".u64 result)"),
        "{new}"
    );
}

#[test]
fn rename_that_changes_another_name_is_rejected() {
    for (text, name, reason) in [
        ("%p;", "%r0", "changes the meaning"),
        ("%r<3>", "%rd", "changes the meaning"),
        ("buffer[", "out", "changes the meaning"),
        ("$done;", "1x", "is not a name"),
        ("helper", "scale", "changes the meaning"),
        ("%tid", "%x", "special register"),
    ] {
        let found = renamed(text, name).expect_err(text);
        assert!(found.contains(reason), "{text} to {name}: {found}");
    }
}

#[test]
fn outline_contains_functions_parameters_variables_and_labels() {
    let mut client = Client::new();
    open_at(&mut client, "scale", 0);
    let outline = client.on("textDocument/documentSymbol", URI);
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.map(|own| own["name"].as_str().unwrap_or("").to_owned())
            .collect()
    };
    assert_eq!(names(&outline), ["helper", "buffer", "scale"]);
    assert_eq!(names(&outline[2]["children"]), ["out", "$done"]);
    assert_eq!(outline[1]["detail"], ".shared .align 4 .b32 buffer[32]");
    assert_eq!(outline[2]["range"]["end"]["line"], 23);
}

#[test]
fn calls_have_callers_and_callees() {
    let module = "\
.version 8.7
.target sm_90
.func leaf() { ret; }
.func middle() { call leaf; call leaf; ret; }
.entry top() { call middle; ret; }
";
    let mut client = Client::new();
    client.open(URI, module);
    let position = json!({ "line": 3, "character": 7 });
    let item = client.at("textDocument/prepareCallHierarchy", URI, &position)[0].clone();
    assert_eq!(item["name"], "middle");
    let incoming = client.request("callHierarchy/incomingCalls", json!({ "item": item }));
    assert_eq!(incoming[0]["from"]["name"], "top");
    let outgoing = client.request("callHierarchy/outgoingCalls", json!({ "item": item }));
    assert_eq!(outgoing[0]["to"]["name"], "leaf");
    assert_eq!(outgoing[0]["fromRanges"].as_array().map(Vec::len), Some(2));
}

#[test]
fn listing_has_functions_labels_and_registers() {
    let listing = "\
\tcode for sm_80
\t\tFunction : first
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   BRA `(.L_x_0) ;
\t\tFunction : second
        /*0000*/                   MOV R1, R2 ;
";
    let uri = "file:///a.sass";
    let mut client = Client::new();
    client.open(uri, listing);
    let outline = client.on("textDocument/documentSymbol", uri);
    assert_eq!(outline[0]["name"], "first");
    assert_eq!(outline[1]["name"], "second");
    let label = json!({ "line": 4, "character": 42 });
    assert_eq!(
        lines(&client.at("textDocument/definition", uri, &label)),
        [4]
    );
    let register = json!({ "line": 2, "character": 39 });
    let found = client.at("textDocument/documentHighlight", uri, &register);
    // Each function has its own registers.
    assert_eq!(found.as_array().map(Vec::len), Some(1));
}
