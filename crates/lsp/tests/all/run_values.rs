//! Values and findings of runs in the background.

use crate::client::Client;
use serde_json::{Value, json};

const URI: &str = "file:///module.ptx";

const STRIDED: &str = "\
//@ launch grid=1 block=32
.version 8.7
.target sm_90
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 128;
  add.u64 %rd2, %rd1, %rd2;
  mov.u32 %r2, 12;
  st.global.u32 [%rd2], %r2;
  ret;
}
";

fn client() -> Client {
    Client::with(
        json!({ "workspace": { "inlayHint": { "refreshSupport": true } } }),
        json!({}),
    )
}

fn hints(client: &mut Client) -> Vec<(u64, String)> {
    let hints = client.on("textDocument/inlayHint", URI);
    let hints = hints.as_array().expect("a list").iter();
    hints
        .map(|hint| {
            let line = hint["position"]["line"].as_u64().expect("a line");
            (line + 1, hint["label"].as_str().expect("a text").to_owned())
        })
        .collect()
}

#[test]
fn hints_show_traffic_and_constant_registers() {
    let mut client = client();
    client.open(URI, STRIDED);
    assert!(!client.claim("workspace/inlayHint/refresh").is_empty());
    let hints = hints(&mut client);
    assert!(
        hints.contains(&(12, "128 bytes in 32 sectors (ideal 4)".to_owned())),
        "{hints:?}"
    );
    assert!(hints.contains(&(11, "%r2 = 12".to_owned())), "{hints:?}");
    let position = json!({ "line": 11, "character": 4 });
    let hover = client.at("textDocument/hover", URI, &position);
    let text = hover["contents"]["value"].as_str().expect("Markdown");
    assert!(
        text.contains("**Run:** 128 bytes in 32 sectors (ideal 4)."),
        "{text}"
    );
    assert!(text.contains("**Last step**"), "{text}");
    let position = json!({ "line": 7, "character": 11 });
    let hover = client.at("textDocument/hover", URI, &position);
    let text = hover["contents"]["value"].as_str().expect("Markdown");
    assert!(
        text.contains("`%r1 = 0, 1, 2, 3, 4, 5, 6, 7, …` by lane"),
        "{text}"
    );
}

#[test]
fn changed_lines_have_no_values_until_next_run() {
    let mut client = client();
    client.open(URI, STRIDED);
    client.claim("workspace/inlayHint/refresh");
    let start = json!({ "line": 10, "character": 15 });
    let end = json!({ "line": 10, "character": 17 });
    client.change(
        URI,
        json!([{ "range": { "start": start, "end": end }, "text": "13" }]),
    );
    let params = json!({ "textDocument": { "uri": URI } });
    let id = client.send("textDocument/inlayHint", params);
    // The request precedes the next run.
    client.work();
    let found = client.response(id).expect("inlay hints").to_string();
    assert!(
        !found.contains("%r2 = 12") && found.contains("ideal 4"),
        "{found}"
    );
    let hints = hints(&mut client);
    assert!(hints.contains(&(11, "%r2 = 13".to_owned())), "{hints:?}");
    client.claim("workspace/inlayHint/refresh");
    client.published(URI);
}

#[test]
fn findings_of_run_are_warnings() {
    let race = STRIDED
        .replace("%r1, 128", "%r1, 0")
        .replace("mov.u32 %r2, 12", "mov.u32 %r2, %r1");
    let mut client = client();
    let found = client.open(URI, &race);
    let race: Vec<&Value> = found
        .iter()
        .filter(|found| found["code"] == "data-race")
        .collect();
    assert_eq!(race.len(), 1, "{found:?}");
    assert_eq!(race[0]["severity"], 2);
    assert_eq!(race[0]["range"]["start"]["line"], 11);
    client.claim("workspace/inlayHint/refresh");
}

#[test]
fn runs_can_be_disabled() {
    let mut client = Client::with(json!({}), json!({ "runValues": false }));
    client.open(URI, STRIDED);
    assert_eq!(hints(&mut client), []);
}
