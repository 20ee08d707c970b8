//! Tests of the API for tools and editors.

use super::{SCALE, bytes, get, object, scenario, session, text};
use js_sys::{Array, Object, Reflect};
use warpgrid_wasm::{
    Session, check, codes, complete, cure, cut_litmus, explain, explore_litmus, file_text, format,
    forms, hover, lens, open_file, picture, repair_litmus,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

const CLUSTERS: &str = include_str!("../../../../public/examples/cluster-messages.ptx");
const COPIES: &str = include_str!("../../../../public/examples/copy-pipeline.ptx");
const FAULTS: &str = include_str!("../../../../public/examples/misaligned-store.ptx");

/// Threads of two warps store different values to one element without synchronization.
const RACE: &str = "\
//@ launch grid=1 block=64
//@ buffer out: u32[1] = 0
.version 8.6
.target sm_90
.address_size 64
.visible .entry race(.param .u64 p_out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p_out];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

fn launched(source: &str) -> Session {
    Session::new(scenario(source)).expect("the example runs")
}

const FATBIN: &[u8] = include_bytes!("../../../paste/tests/data/binaries/zstd.fatbin");

fn array(value: JsValue) -> Array {
    value.dyn_into().expect("an array")
}

#[wasm_bindgen_test]
fn hover_and_completion_work_across_boundary() {
    let at = SCALE.find("st.global.f32").expect("the store") as u32;
    let word = hover(SCALE, at + 1, JsValue::UNDEFINED).expect("an answer");
    assert_eq!(get(&word, "start").as_f64(), Some(f64::from(at)));
    let line_end = SCALE.find('\n').expect("several lines") as u32;
    let blank = hover(SCALE, line_end + 1_000_000, JsValue::UNDEFINED).expect("an answer");
    assert!(blank.is_undefined());
    let choices = array(complete("st.", 3, JsValue::UNDEFINED).expect("an answer"));
    let words: Vec<String> = choices.iter().map(|choice| text(&choice, "text")).collect();
    assert!(words.iter().any(|word| word.contains("global")));
}

#[wasm_bindgen_test]
fn formatter_is_idempotent() {
    let once = format("st.global.u32 [p],5;");
    assert_eq!(format(&once), once);
    assert!(once.contains("[p], 5;"));
}

#[wasm_bindgen_test]
fn forms_and_codes_are_exported_and_codes_have_explanations() {
    assert!(array(forms().expect("the forms")).length() > 100);
    let codes = array(codes().expect("the codes"));
    assert!(codes.length() > 50);
    for page in codes {
        let code = text(&page, "code");
        assert!(explain(&code).is_some(), "{code}");
    }
}

#[wasm_bindgen_test]
fn session_reports_inferred_annotations_and_completion() {
    let bare = launched("mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;");
    assert_eq!(bare.guesses()[0], "//@ launch grid=1 block=32");
    let mut session = session();
    assert!(!session.over());
    assert!(session.run(JsValue::UNDEFINED).expect("a run"));
    assert!(session.over());
    assert!(session.fault().expect("an answer").is_null());
}

#[wasm_bindgen_test]
fn translated_run_matches_interpreter() {
    let engine = |name: &str| {
        let options = Object::new();
        Reflect::set(&options, &"engine".into(), &name.into()).expect("a fresh object");
        options.into()
    };
    let mut interpreted = session();
    assert!(interpreted.engine().expect("an answer").is_undefined());
    assert!(interpreted.run(engine("interpreter")).expect("a run"));
    let mut translated = session();
    assert!(translated.run(engine("translated")).expect("a run"));
    let name = |session: &Session| text(&session.engine().expect("an answer"), "name");
    assert_eq!(name(&interpreted), "interpreter");
    assert_eq!(name(&translated), "translated");
    assert_eq!(bytes(&translated), bytes(&interpreted));
    assert_eq!(translated.position(), interpreted.position());
    assert_eq!(
        translated.lane_instructions(),
        interpreted.lane_instructions()
    );
    // The interpreter executes the step back.
    assert!(translated.back() && interpreted.back());
    assert_eq!(translated.position(), interpreted.position());
    assert_eq!(bytes(&translated), bytes(&interpreted));
}

#[wasm_bindgen_test]
fn fault_has_message_and_causes() {
    let mut session = launched(FAULTS);
    session.run(JsValue::UNDEFINED).expect("a run");
    let fault = session.fault().expect("an answer");
    assert!(text(&fault, "message").contains("aligned"));
    let causes = array(session.causes().expect("the causes"));
    assert!(causes.length() > 0);
}

#[wasm_bindgen_test]
fn clusters_mbarriers_and_traffic_are_exported() {
    let mut session = launched(CLUSTERS);
    let cluster = session.cluster(1.0).expect("an answer");
    assert_eq!(array(get(&cluster, "blocks")).length(), 4);
    assert!(session.cluster(99.0).expect("an answer").is_undefined());
    while array(session.mbarriers().expect("an answer")).length() == 0 {
        assert!(session.step(), "no mbarrier was there");
    }
    let first = array(session.mbarriers().expect("an answer")).get(0);
    assert_eq!(text(&first, "name"), "bar");
    session.run(JsValue::UNDEFINED).expect("a run");
    let traffic = session.traffic().expect("an answer");
    let steps = get(&traffic, "steps").as_f64();
    assert_eq!(steps, Some(session.position()));
}

#[wasm_bindgen_test]
fn report_contains_fault_and_differences() {
    let mut session = launched(FAULTS);
    let report = session.report(JsValue::UNDEFINED).expect("an answer");
    assert_eq!(get(&report, "ok").as_bool(), Some(false));
    let fault = get(&report, "fault");
    assert!(text(&fault, "message").contains("misaligned"), "{fault:?}");
    assert_eq!(array(get(&report, "differences")).length(), 1);
}

#[wasm_bindgen_test]
fn timeline_and_chrome_trace_are_exported() {
    let mut session = launched(RACE);
    session.run(JsValue::UNDEFINED).expect("a run");
    let timeline = session.timeline(JsValue::UNDEFINED).expect("a timeline");
    let tracks = array(get(&timeline, "tracks"));
    assert_eq!(text(&tracks.get(0), "name"), "warp 0");
    let spans = array(get(&tracks.get(0), "spans"));
    assert_eq!(text(&spans.get(0), "state"), "running");
    let options = object("block", 7.into());
    let other = session.timeline(options.into()).expect("a timeline");
    assert_eq!(array(get(&other, "tracks")).length(), 0);
    let options = object("from", 0.5.into());
    let error = session.timeline(options.into()).expect_err("a fraction");
    assert_eq!(text(&error, "code"), "W0901");
    let trace = session.chrome_trace().expect("a trace");
    assert!(trace.starts_with("{\"traceEvents\""), "{trace}");
}

#[wasm_bindgen_test]
fn races_and_hang_are_exported() {
    let mut session = launched(FAULTS);
    session.run(JsValue::UNDEFINED).expect("a run");
    let found = session.races().expect("an answer");
    assert_eq!(array(get(&found, "races")).length(), 0);
    assert!(session.hang().expect("an answer").is_null());

    let mut session = launched(RACE);
    session.run(JsValue::UNDEFINED).expect("a run");
    let found = session.races().expect("an answer");
    let races = array(get(&found, "races"));
    assert!(races.length() > 0);
    assert_eq!(text(&races.get(0), "why"), "order");
}

#[wasm_bindgen_test]
fn schedules_are_explored_until_verdict_or_step_limit() {
    let session = launched(RACE);
    let found = session.schedules(JsValue::UNDEFINED).expect("a report");
    assert_eq!(text(&found, "verdict"), "witness");
    let witness = get(&found, "witness");
    assert_eq!(text(&get(&witness, "finding"), "kind"), "data-race");
    assert!(text(&witness, "schedule").starts_with("0.0"));

    let session = launched(FAULTS);
    let options = object("maxSteps", 1.into());
    let found = session.schedules(options.into()).expect("a report");
    assert_eq!(text(&found, "verdict"), "incomplete");
    let options = object("maxSteps", 0.5.into());
    let error = session.schedules(options.into()).expect_err("a fraction");
    assert_eq!(text(&error, "code"), "W0901");
}

#[wasm_bindgen_test]
fn pending_operation_completes_on_request() {
    let mut session = launched(COPIES);
    let in_flight = |session: &mut Session| array(session.pending().expect("an answer"));
    while in_flight(&mut session).length() == 0 {
        assert!(session.step(), "nothing was in flight");
    }
    let before = in_flight(&mut session);
    let id = get(&before.get(0), "id").as_f64().expect("a number");
    assert!(session.land(id));
    let ids = in_flight(&mut session);
    let is_there = ids
        .iter()
        .any(|operation| get(&operation, "id").as_f64() == Some(id));
    assert!(!is_there);
    assert!(!session.land(id));
}

#[wasm_bindgen_test]
fn unknown_option_is_reported() {
    let error = hover(SCALE, 0, object("tagret", "sm_90".into())).expect_err("no such option");
    assert!(text(&error, "message").contains("unknown field `tagret`"));
    let code = Reflect::get(&error, &"code".into()).expect("an error");
    assert_eq!(code.as_string().as_deref(), Some("W0901"));
}

/// Lanes read a column of shared memory.
const COLUMN: &str = "//@ launch grid=1 block=32
//@ buffer out: u32[32] = 0
.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %t, %a, %v;
    .reg .b64 %o;
    .shared .align 4 .b32 tile[1024];
    ld.param.u64 %o, [out];
    mov.u32 %t, %tid.x;
    mov.u32 %a, tile;
    mad.lo.u32 %a, %t, 128, %a;
    st.shared.u32 [%a], %t;
    ld.shared.u32 %v, [%a];
    mad.wide.u32 %o, %t, 4, %o;
    st.global.u32 [%o], %v;
    ret;
}
";

#[wasm_bindgen_test]
fn layouts_and_conflicts_are_exported_and_conflicts_fixed() {
    let mut session = launched(COLUMN);
    session.run(JsValue::UNDEFINED).expect("a run");
    let layouts = array(session.layouts().expect("an answer"));
    assert_eq!(text(&layouts.get(0), "layout"), "32:32");
    let report = session.conflicts().expect("an answer");
    let buffer = array(get(&report, "buffers")).get(0);
    assert_eq!(get(&buffer, "conflicts").as_f64(), Some(62.0));
    let cured = cure(scenario(COLUMN), JsValue::UNDEFINED).expect("it is cured");
    assert_eq!(get(&cured, "after").as_f64(), Some(0.0));
    assert!(text(&cured, "source").contains("xor.b32"));
    let error = cure(scenario(SCALE), JsValue::UNDEFINED).expect_err("nothing to cure");
    assert_eq!(text(&error, "code"), "W0910");
}

#[wasm_bindgen_test]
fn layout_inspector_decodes_descriptor_and_locates_errors() {
    let with = |name: &str, value: &str| {
        let words = object(name, value.into());
        object("with", words)
    };
    let query = with("descriptor", "0x4000004000010040");
    Reflect::set(&query, &"op".into(), &"wgmma.tile.a".into()).expect("an object");
    let view = lens(query).expect("an answer");
    assert_eq!(array(get(&view, "fields")).length(), 5);
    let query = with("expression", "(8,0):(1,8)");
    Reflect::set(&query, &"op".into(), &"layout".into()).expect("an object");
    let error = lens(query).expect_err("no layout");
    assert!(text(&error, "message").contains("column 4"));
}

#[wasm_bindgen_test]
fn picture_is_available_in_svg_plain_and_link_formats() {
    let query = "#lens?op=layout&expression=(4,8):(8,1)";
    let drawing = picture(query, "svg").expect("a drawing");
    assert!(drawing.starts_with("<svg"), "{drawing}");
    assert!(!picture(query, "text").expect("a text").is_empty());
    assert!(
        picture(query, "link")
            .expect("a link")
            .contains("op=layout")
    );
    let error = picture(query, "png").expect_err("no such form");
    assert!(text(&error, "message").contains("expected `svg`, `text` or `link`"));
}

const MESSAGE: &str = "//@ location x: u32 = 0
//@ location flag: u32 = 0
//@ thread block=0
st.global.u32 [x], 1;
st.global.u32 [flag], 1;
//@ thread block=1
ld.global.u32 %r0, [flag];
ld.global.u32 %r1, [x];
//@ observe 1:%r0 1:%r1
";

#[wasm_bindgen_test]
fn litmus_outcomes_and_repairs_are_exported() {
    let view = explore_litmus(MESSAGE).expect("an answer");
    assert_eq!(array(get(&view, "outcomes")).length(), 4);
    let repairs = repair_litmus(MESSAGE).expect("repairs");
    assert_eq!(array(get(&repairs, "repairs")).length(), 5);
    let error = explore_litmus("//@ thread").expect_err("nothing is observed");
    assert!(text(&error, "message").contains("observe"));
}

#[wasm_bindgen_test]
fn kernel_lines_are_extracted_as_litmus_test() {
    let kernel = "//@ launch grid=2 block=32\n//@ buffer p: u32[32] = 0\nmov.u32 %w, %ctaid.x;\nst.global.u32 [p], %w;\n";
    let cut = object("lines", Array::of2(&3.into(), &4.into()).into());
    let text_of = cut_litmus(scenario(kernel), cut, JsValue::UNDEFINED).expect("a test");
    let view = explore_litmus(&text_of).expect("an answer");
    assert_eq!(get(&view, "race"), JsValue::TRUE);
    let none = object("lines", Array::of2(&2.into(), &2.into()).into());
    let error = cut_litmus(scenario(kernel), none, JsValue::UNDEFINED).expect_err("no lines");
    assert!(text(&error, "message").contains("no instruction"));
}

#[wasm_bindgen_test]
fn programs_are_extracted_from_fatbin() {
    let file = open_file(FATBIN).expect("a fatbin");
    assert_eq!(text(&file, "kind"), "fatbin");
    let programs = array(get(&file, "programs"));
    let languages: Vec<String> = programs.iter().map(|own| text(&own, "language")).collect();
    assert_eq!(languages, ["ptx", "machineCode"]);
    assert_eq!(text(&programs.get(0), "packed"), "zstd");
    let ptx = file_text(FATBIN, 0.0).expect("its PTX");
    assert!(ptx.starts_with(".version"));
    let machine = file_text(FATBIN, 1.0).expect("its machine code");
    assert!(machine.contains("Kernel reverse"));
    let why = file_text(FATBIN, 2.0).expect_err("there are two");
    assert!(text(&why, "message").contains("an index below 2"));
    let why = open_file(b"no file").expect_err("no program");
    assert!(text(&why, "message").contains("not a text file, a cubin"));
}

#[wasm_bindgen_test]
fn inline_assembly_blocks_are_checked_and_run() {
    let source = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nvoid f() { asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(x) : \"memory\"); }";
    let report = check(source, JsValue::UNDEFINED).expect("a report");
    let parts = array(get(&report, "parts"));
    assert_eq!(text(&parts.get(0), "text"), "st.global.u32 [p], x;");
    let operand = array(get(&parts.get(0), "operands")).get(1);
    assert_eq!(
        (text(&operand, "type"), text(&operand, "constraint")),
        (".u32".into(), "r".into())
    );
    let mut session = launched(source);
    session.run(JsValue::UNDEFINED).expect("a run");
    assert_eq!(session.memory("p").expect("a buffer").get_index(4 * 7), 7);
}

#[wasm_bindgen_test]
fn cell_history_and_reverse_watchpoint_are_exported() {
    let mut session = session();
    session.run(JsValue::UNDEFINED).expect("a run");
    let found = session
        .history("out", 20.0, JsValue::UNDEFINED)
        .expect("a cell");
    assert_eq!(get(&found, "nBefore").as_f64(), Some(1.0));
    let write = array(get(&found, "writes")).get(0);
    assert_eq!(
        (text(&write, "before"), text(&write, "after")),
        ("-1.0".into(), "10.0".into())
    );
    let options = object("memory", "out".into());
    let set = |key: &str, value: JsValue| {
        Reflect::set(&options, &key.into(), &value).expect("a fresh object");
    };
    set("offset", 20.into());
    set("back", true.into());
    let reached = session.run_until(options).expect("it changed");
    assert_eq!(get(&reached, "isReached").as_bool(), Some(true));
    assert_eq!(Some(session.position()), get(&write, "position").as_f64());
    let wrong = session.run_until(object("condition", "%r1 = 3".into()));
    assert_eq!(text(&wrong.expect_err("no comparison"), "code"), "W0901");
    let outside = session.history("out", 1e9, JsValue::UNDEFINED);
    assert_eq!(text(&outside.expect_err("outside"), "code"), "W0901");
}
