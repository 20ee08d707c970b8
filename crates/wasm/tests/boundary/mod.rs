//! Tests of the JavaScript API, which run in Node.js and in a browser.

mod whole;

use js_sys::{Float32Array, Object, Reflect};
use warpgrid_wasm::{Session, analyze, check, compare, explain, fragment, layout, product, tokens};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

const SCALE: &str = include_str!("../../../view/tests/data/scale.ptx");
const SCALE_TRACE: &str = include_str!("../../../view/tests/data/scale.trace");

fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).expect("an object")
}

fn text(object: &JsValue, key: &str) -> String {
    get(object, key).as_string().expect("a string")
}

fn scenario(source: &str) -> JsValue {
    let object = Object::new();
    Reflect::set(&object, &"source".into(), &source.into()).expect("a fresh object");
    object.into()
}

fn session() -> Session {
    Session::new(scenario(SCALE)).expect("the example runs")
}

fn bytes(session: &Session) -> Vec<u8> {
    session.memory("out").expect("a buffer").to_vec()
}

#[wasm_bindgen_test]
fn valid_module_is_accepted() {
    let report = check(SCALE, JsValue::UNDEFINED).expect("a report");
    assert_eq!(get(&report, "accept").as_bool(), Some(true));
}

#[wasm_bindgen_test]
fn diagnostic_has_severity_code_and_line() {
    let report = check(
        &SCALE.replace("st.global.f32", "st.shred.f32"),
        JsValue::UNDEFINED,
    )
    .expect("a report");
    assert_eq!(get(&report, "accept").as_bool(), Some(false));
    let first = Reflect::get_u32(&get(&report, "diagnostics"), 0).expect("a diagnostic");
    assert_eq!(text(&first, "severity"), "error");
    assert!(text(&first, "code").starts_with('W'));
    let line = SCALE
        .lines()
        .position(|line| line.contains("st.global.f32"))
        .expect("the store")
        + 1;
    assert_eq!(get(&first, "line").as_f64(), Some(line as f64));
    assert!(explain(&text(&first, "code")).is_some());
}

#[wasm_bindgen_test]
fn tokens_have_offsets_and_classes() {
    let tokens = tokens("é: st.u32", JsValue::UNDEFINED).expect("tokens");
    let at = |index| Reflect::get_u32(&tokens, index).expect("a token");
    assert_eq!(text(&at(0), "class"), "error");
    let opcode = (0..4)
        .map(at)
        .find(|token| text(token, "class") == "opcode");
    assert_eq!(
        get(&opcode.expect("an opcode"), "start").as_f64(),
        Some(3.0)
    );
}

fn fragment_query(ty: &str) -> JsValue {
    let object = Object::new();
    let words = [
        ("op", "store.d"),
        ("shape", "m16n16k16"),
        ("type", ty),
        ("target", "sm_80"),
    ];
    for (key, word) in words {
        Reflect::set(&object, &key.into(), &word.into()).expect("a fresh object");
    }
    object.into()
}

#[wasm_bindgen_test]
fn fragment_query_returns_map_or_error() {
    let view = fragment(fragment_query("f32")).expect("a fragment");
    let at = |value: &JsValue, index| Reflect::get_u32(value, index).expect("an array");
    let place = at(&at(&at(&get(&view, "lanes"), 5), 2), 0);
    assert_eq!(at(&place, 0).as_f64(), Some(9.0));
    assert_eq!(at(&place, 1).as_f64(), Some(2.0));
    let offset = at(&at(&at(&get(&view, "offsets"), 5), 2), 0);
    assert_eq!(offset.as_f64(), Some(9.0 * 16.0 + 2.0));
    let error = fragment(fragment_query("tf32")).expect_err("no fragment");
    assert_eq!(text(&error, "name"), "WarpgridError");
    assert!(text(&error, "message").contains("`f32`"));
}

#[wasm_bindgen_test]
fn layout_query_returns_grid_or_error() {
    let query = r#"{"op":"wgmma.shared.a","type":"f16","with":{"swizzle":"64B"}}"#;
    let view = layout(js_sys::JSON::parse(query).expect("an object")).expect("a layout");
    let at = |value: &JsValue, index| Reflect::get_u32(value, index).expect("an array");
    // Row 2 is in the second 128-byte line, in which the swizzle exchanges chunks of 16 bytes.
    let place = at(&at(&at(&get(&view, "grid"), 2), 0), 0);
    assert_eq!(at(&place, 0).as_f64(), Some(144.0));
    let query = js_sys::JSON::parse(r#"{"op":"tcgen05.ld","shape":"8x8b"}"#).expect("an object");
    let error = layout(query).expect_err("no layout");
    assert!(text(&error, "message").contains("`16x256b`"));
}

#[wasm_bindgen_test]
fn mma_explanation_has_result_and_exact_value() {
    let query = js_sys::JSON::parse(
        r#"{"op":"mma","shape":"m16n8k8","types":["f16","f16","f32","f32"],"target":"sm_80","a":["0.5","3"],"b":["2","0x3c00"],"c":"1"}"#,
    )
    .expect("an object");
    let view = product(query.clone()).expect("a product");
    assert_eq!(text(&get(&view, "result"), "bits"), "0x40a00000");
    assert_eq!(text(&view, "exact"), "5");
    Reflect::set(&query, &"op".into(), &"wgmma".into()).expect("an object");
    let error = product(query).expect_err("no product");
    assert_eq!(text(&error, "name"), "WarpgridError");
}

#[wasm_bindgen_test]
fn run_produces_expected_memory() {
    let mut session = session();
    assert!(
        session
            .run(JsValue::UNDEFINED)
            .expect("options are optional")
    );
    let bytes = session.memory("out").expect("a buffer");
    let values = Float32Array::new(&bytes.buffer()).to_vec();
    assert_eq!(values.len(), 64);
    assert!(
        values
            .iter()
            .enumerate()
            .all(|(i, value)| *value == 2.0 * i as f32)
    );
}

#[wasm_bindgen_test]
fn memory_view_aliases_wasm_memory() {
    let mut session = session();
    let all: Vec<u8> = bytes(&session);
    let view = session.memory_view("out").expect("a buffer");
    let wasm: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    assert_eq!(view.buffer(), wasm.buffer().into());
    assert_eq!(view.to_vec(), all);
    session
        .run(JsValue::UNDEFINED)
        .expect("options are optional");
    let view = session.memory_view("out").expect("a buffer");
    assert_eq!(view.to_vec(), bytes(&session));
    assert_ne!(view.to_vec(), all);
    let file = session.memory_file("out", "npy", JsValue::UNDEFINED);
    let file = file.expect("a file").to_vec();
    assert!(
        file.starts_with(b"\x93NUMPY")
            && file.ends_with(&session.memory("out").expect("a buffer").to_vec())
    );
    assert!(
        session
            .memory_file("out", "png", JsValue::UNDEFINED)
            .is_err()
    );
    let error = session
        .memory_view("nothing")
        .expect_err("unknown buffer or variable");
    assert_eq!(text(&error, "code"), "W0902");
}

#[wasm_bindgen_test]
fn stepping_back_and_seeking_forward_restores_end_state() {
    let mut session = session();
    while session.step() {}
    let (length, end) = (session.position(), bytes(&session));
    assert_eq!(session.length(), Some(length));
    while session.back() {}
    assert_eq!(session.position(), 0.0);
    assert_ne!(bytes(&session), end);
    session.seek(length).expect("a position");
    assert_eq!(bytes(&session), end);
}

#[wasm_bindgen_test]
fn trace_matches_native_build() {
    let mut session = session();
    session
        .run(JsValue::UNDEFINED)
        .expect("options are optional");
    let end = session.position();
    let events: js_sys::Array = session.events(0.0, end).expect("events").into();
    let compact: js_sys::Array = session.compact_events(0.0, end).expect("events").into();
    assert_eq!(compact.length(), events.length());
    let lines: Vec<String> = events
        .iter()
        .map(|event| {
            let lanes: js_sys::Array = get(&event, "lanes").into();
            let values: Vec<String> = lanes.iter().map(|lane| text(&lane, "value")).collect();
            format!(
                "{} {} {}\n",
                get(&event, "step").as_f64().expect("a number"),
                text(&event, "instruction"),
                values.join(" ")
            )
        })
        .collect();
    assert_eq!(lines.concat(), SCALE_TRACE);
}

#[wasm_bindgen_test]
fn grid_cell_shows_value_and_writing_lane() {
    let mut session = session();
    session
        .run(JsValue::UNDEFINED)
        .expect("options are optional");
    let grid = session.grid("out", JsValue::UNDEFINED).expect("a grid");
    let cell = Reflect::get_u32(&get(&grid, "cells"), 37).expect("a cell");
    assert_eq!(text(&cell, "text"), "74.0");
    assert_eq!(get(&cell, "lane").as_f64(), Some(5.0));
}

fn object(key: &str, value: JsValue) -> JsValue {
    let object = Object::new();
    Reflect::set(&object, &key.into(), &value).expect("a fresh object");
    object.into()
}

#[wasm_bindgen_test]
fn invalid_arguments_throw_with_error_code() {
    let mut session = session();
    let mut refusals = Vec::new();
    for place in [-1.0, f64::NAN, 1.5] {
        refusals.extend(session.seek(place).err());
        refusals.extend(session.lanes(place, 0.0).err());
        refusals.extend(session.events(0.0, place).err());
    }
    refusals.extend(session.run(object("maxSteps", f64::NAN.into())).err());
    refusals.extend(session.run(object("maxStep", 1.into())).err());
    refusals.extend(session.grid("out", object("columns", 99_999.into())).err());
    refusals.extend(session.grid("out", object("type", "q7".into())).err());
    refusals.extend(check(SCALE, object("tagret", "sm_90".into())).err());
    refusals.extend(Session::new(object("blokc", 1.into())).err());
    assert_eq!(refusals.len(), 15);
    for refusal in refusals {
        assert_eq!(text(&refusal, "code"), "W0901");
    }
    let grids = js_sys::Array::of1(&object("memory", "zzz".into()));
    let error = session
        .frame(object("grids", grids.into()))
        .expect_err("unknown buffer or variable");
    assert_eq!(text(&error, "code"), "W0902");
}

#[wasm_bindgen_test]
fn invalid_scenario_throws_with_code_and_diagnostics() {
    let error = Session::new(scenario(&SCALE.replace("ret;", "rett;")))
        .err()
        .expect("refused");
    assert_eq!(text(&error, "name"), "WarpgridError");
    assert!(text(&error, "code").starts_with('W'));
    assert!(js_sys::Array::is_array(&get(&error, "diagnostics")));
    let error = session()
        .memory("nothing")
        .expect_err("unknown buffer or variable");
    assert_eq!(text(&error, "code"), "W0902");
}

#[wasm_bindgen_test]
fn analyze_reports_verdict_and_findings_of_each_kernel() {
    let report = analyze(scenario(SCALE), JsValue::UNDEFINED).expect("an analysis");
    assert_eq!(text(&report, "verdict"), "clean");
    let kernels: js_sys::Array = get(&report, "kernels").into();
    assert_eq!(get(&kernels.get(0), "seeds").as_f64(), Some(8.0));
    let rejected = analyze(scenario("st.shred.u32 [p], 1;"), JsValue::UNDEFINED);
    assert_eq!(text(&rejected.expect("an analysis"), "verdict"), "error");
    let options = object("seeds", (-1).into());
    let error = analyze(scenario(SCALE), options.into()).expect_err("a negative number");
    assert_eq!(text(&error, "code"), "W0901");
}

#[wasm_bindgen_test]
fn line_table_maps_lines_to_source_file() {
    let source = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n.entry k() {\n.loc 1 7 2\nret; }";
    let session = Session::new(scenario(source)).expect("a session");
    let table = session.line_table().expect("a table");
    let lines: js_sys::Array = get(&table, "lines").into();
    assert_eq!(get(&lines.get(0), "line").as_f64(), Some(7.0));
    let frames: js_sys::Array = get(&lines.get(0), "frames").into();
    assert_eq!(text(&frames.get(0), "file"), "k.cu");
    assert_eq!(get(&frames.get(0), "line").as_f64(), Some(7.0));
}

#[wasm_bindgen_test]
fn compare_reports_equality_or_differences() {
    let beside = |source: &str| {
        let scenario = scenario(SCALE);
        let beside = object("source", source.into());
        Reflect::set(&scenario, &"beside".into(), &beside).expect("an object");
        compare(scenario, JsValue::UNDEFINED)
    };
    let same = beside(SCALE).expect("both run");
    assert_eq!(get(&same, "equal").as_bool(), Some(true));
    let parted = beside(&SCALE.replace("add.f32", "mul.f32")).expect("both run");
    let differences: js_sys::Array = get(&parted, "differences").into();
    assert_eq!(text(&differences.get(0), "memory"), "out");
    assert_eq!(text(&parted, "verdict"), "different");
    let sides: js_sys::Array = get(&get(&parted, "firstDifference"), "sides").into();
    assert!(text(&sides.get(0), "instruction").starts_with("add.f32"));
    assert!(text(&sides.get(1), "instruction").starts_with("mul.f32"));
    assert!(beside("st.shred.u32 [p], 1;").is_err());
    let error = compare(scenario(SCALE), JsValue::UNDEFINED).expect_err("nothing to compare with");
    assert_eq!(text(&error, "code"), "W0901");
}

#[wasm_bindgen_test]
fn scenario_sets_registers_and_misaligned_access_policy() {
    let run = |json: &str| {
        let scenario = js_sys::JSON::parse(json).expect("an object");
        let mut session = Session::new(scenario)?;
        session.run(JsValue::UNDEFINED)?;
        session.memory("shared:0")
    };
    let facts = |value: &str, misaligned: &str| {
        format!(
            r#"{{"front":"sass","source":"STS [R2+0x1], R3 ;\n","registers":[{{"name":"R2","value":"lane * 4"}},{{"name":"R3","value":{value}}}],"misaligned":"{misaligned}"}}"#
        )
    };
    let bytes = run(&facts("7", "force")).expect("a run");
    assert_eq!(bytes.to_vec()[124..128], [7, 0, 0, 0]);
    assert!(run(&facts("7", "maybe")).is_err());
    let error = run(&facts(r#""lane * lane""#, "force")).expect_err("no value");
    assert_eq!(text(&error, "code"), "W0706");
}
