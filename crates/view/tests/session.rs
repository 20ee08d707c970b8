//! Sessions as used by hosts, from source to grid.

use expect_test::{expect, expect_file};
use warpgrid_view::model::{GridRequest, WriteAge};
use warpgrid_view::session::MAX_EVENTS;
use warpgrid_view::{MemoryKey, Scenario, Session};

const SCALE: &str = include_str!("data/scale.ptx");

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

fn out(memory: &str) -> GridRequest {
    GridRequest {
        memory: memory.into(),
        ty: None,
        columns: None,
        first_row: 0,
        n_rows: None,
    }
}

#[test]
fn store_trace_matches_snapshot() {
    let mut session = session(SCALE);
    session.run(u64::MAX);
    let lines: Vec<String> = session
        .events(0, session.position())
        .iter()
        .map(|store| {
            let values: Vec<&str> = store.lanes.iter().map(|lane| lane.value.as_str()).collect();
            format!(
                "{} {} {}\n",
                store.step,
                store.instruction,
                values.join(" ")
            )
        })
        .collect();
    expect_file!["./data/scale.trace"].assert_eq(&lines.concat());
}

/// Kernel that is long enough for snapshots during the run.
const LONG: &str = ".version 8.0
.target sm_80
.address_size 64
//@ launch grid=1 block=32
.entry k()
{
    .reg .u32 %r<2>;
    .reg .pred %p;
    mov.u32 %r1, 0;
LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 10000;
    @%p bra LOOP;
    ret;
}
";

#[test]
fn step_advances_by_one_after_seeking_back() {
    let mut session = session(LONG);
    session.run(u64::MAX);
    let length = session.position();
    assert_eq!(session.length(), Some(length));
    session.seek(100);
    assert!(session.step());
    assert_eq!(session.position(), 101);
    session.seek(length);
    assert!(!session.step());
    assert_eq!(session.position(), length);
}

#[test]
fn grid_tracks_writes_forward_and_backward() {
    let mut session = session(SCALE);
    let untouched = session.grid(&out("out")).expect("a grid");
    assert!(
        untouched
            .cells
            .iter()
            .all(|cell| cell.text == "-1.0" && cell.written == WriteAge::Never)
    );
    assert!(session.run_to_next_store(1_000));
    let grid = session.grid(&out("out")).expect("a grid");
    let now: Vec<_> = grid
        .cells
        .iter()
        .filter(|cell| cell.written == WriteAge::Now)
        .collect();
    assert_eq!(now.len(), 32);
    assert_eq!((now[5].text.as_str(), now[5].lane), ("10.0", Some(5)));
    session.step();
    let grid = session.grid(&out("out")).expect("a grid");
    assert!(grid.cells.iter().all(|cell| cell.written != WriteAge::Now));
    session.seek(0);
    assert_eq!(session.grid(&out("out")).expect("a grid"), untouched);
}

#[test]
fn frame_summary_describes_store() {
    let mut session = session(SCALE);
    session.run_to_next_store(1_000);
    let frame = session.frame(&Default::default());
    let sentence: String = frame
        .sentence
        .iter()
        .map(|phrase| phrase.text.as_str())
        .collect();
    assert_eq!(
        sentence,
        "st.global.f32 in warp 0 of block 0: 32 lanes stored 128 bytes to `out`, 4 sectors, ideal 4; contiguous."
    );
}

#[test]
fn changed_registers_are_marked() {
    let mut session = session(SCALE);
    session.step();
    let warp = session.frame(&Default::default()).warp.expect("a warp");
    let changed: Vec<&str> = warp
        .registers
        .iter()
        .filter(|r| r.changed)
        .map(|r| r.name.as_str())
        .collect();
    assert_eq!(changed, ["%rd1"]);
}

#[test]
fn events_are_paginated_at_limit() {
    let mut session = session(
        "//@ launch grid=1 block=32\n//@ buffer out: u32[8] = 0\n.version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 out) { .reg .b32 %r1; .reg .b64 %p; .reg .pred %q; ld.param.u64 %p, [out];\n\
         mov.u32 %r1, 0; again: st.global.u32 [%p], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %q, %r1, 12000;\n\
         @%q bra again; ret; }",
    );
    session.run(u64::MAX);
    let (end, mut from, mut counts) = (session.position(), 0, Vec::new());
    while let Some(last) = session.events(from, end).last() {
        counts.push(session.events(from, end).len());
        from = last.step + 1;
    }
    assert_eq!(counts, [MAX_EVENTS, 12_000 - MAX_EVENTS]);
    assert_eq!(session.position(), end);
}

#[test]
fn atomic_float_add_flushes_subnormals_only_in_global_memory() {
    let mut session = session(
        "//@ launch grid=1 block=32\n//@ buffer out: u32[4] = 0x80000001, 1, 0, 0\n.version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 out) { .reg .f32 %f<3>; .reg .b32 %r<3>; .reg .b64 %p; .shared .f32 sum;\n\
         ld.param.u64 %p, [out]; mov.f32 %f1, 0f80000000; red.global.add.f32 [%p], %f1;\n\
         mov.f32 %f2, 0f00000001; red.global.add.f32 [%p+4], %f2;\n\
         mov.b32 %r1, 0; st.shared.u32 [sum], %r1; red.shared.add.f32 [sum], %f2; ld.shared.u32 %r2, [sum];\n\
         st.global.u32 [%p+8], %r2; ret; }",
    );
    session.run(u64::MAX);
    let bytes = session.memory(&"out".into()).expect("a buffer");
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    assert_eq!(words, [0x8000_0000, 0, 32, 0]);
}

#[test]
fn check_report_contains_declared_version_and_target() {
    let report = warpgrid_view::check(SCALE, &Default::default());
    let stated = (report.ptx_version.as_deref(), report.target.as_deref());
    assert_eq!(stated, (Some("7.8"), Some("sm_80")));
}

#[test]
fn gibibyte_buffer_tracks_last_writers() {
    let source = |bytes: u64| {
        format!(
            "//@ launch grid=1 block=32\n//@ buffer out: u8[{bytes}] = 0
.version 8.7\n.target sm_90\n.address_size 64
.visible .entry k(.param .u64 out) {{
    .reg .b32 %t; .reg .b64 %a;
    ld.param.u64 %a, [out]; mov.u32 %t, %tid.x;
    mad.wide.u32 %a, %t, 4, %a;
    st.global.u32 [%a+1073741696], %t;
    ret;
}}"
        )
    };
    let launch = |bytes: u64| {
        Session::new(Scenario {
            source: source(bytes),
            ..Scenario::default()
        })
    };
    let mut session = launch(1 << 30).expect("a gibibyte opens");
    assert!(session.run(1_000) && session.fault().is_none());
    let request = GridRequest {
        memory: MemoryKey::Buffer("out".to_owned()),
        ty: None,
        columns: Some(128),
        first_row: (1 << 23) - 1,
        n_rows: Some(1),
    };
    let grid = session.grid(&request).expect("the buffer");
    let lanes: Vec<_> = grid.cells.iter().step_by(4).map(|cell| cell.lane).collect();
    assert_eq!(lanes, (0..32).map(Some).collect::<Vec<_>>());
    session.seek(0);
    let grid = session.grid(&request).expect("the buffer");
    assert!(grid.cells.iter().all(|cell| cell.lane.is_none()));
    let refused = launch((1 << 30) + (1 << 25))
        .err()
        .map(|error| (error.code, error.message));
    expect![[r#"
        Some(
            (
                "W0713",
                "the buffer `out` has 1107296256 bytes, expected at most 1090519040",
            ),
        )
    "#]]
    .assert_debug_eq(&refused);
}

#[test]
fn store_counts_agree_between_session_events_and_frame() {
    // One store of a call parameter and one failed comparison do not count, so one store remains.
    let mut session = session(
        "//@ launch grid=1 block=32\n//@ buffer out: u32[32] = 7\n.version 8.0\n.target sm_90\n.address_size 64\n\
         .func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r2, %r1, %r1;\n\
         st.param.b32 [r], %r2; ret; }\n\
         .visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %p<3>; ld.param.u64 %p1, [out]; mov.u32 %r1, %tid.x;\n\
         { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), twice, (a); ld.param.b32 %r2, [r]; }\n\
         mad.wide.u32 %p2, %r1, 4, %p1; atom.global.cas.b32 %r3, [%p2], 0, %r2; st.global.u32 [%p2], %r2; ret; }",
    );
    session.run(u64::MAX);
    let n_events = session.events(0, session.position()).len() as u64;
    let frame = session.frame(&Default::default());
    let n_ticks = frame.store_steps.len() as u64;
    assert_eq!(
        [session.stores(), n_events, n_ticks, frame.stores_known],
        [1; 4]
    );
}

/// Returns the contents of `out` after a kernel that loads four words from `a` and uses those that the mask selects.
fn loaded(mask: &str, n_words: u32) -> Result<Vec<u8>, String> {
    let mut session = session(&format!(
        "//@ launch grid=1 block=1\n//@ buffer a: u32[{n_words}] = 7\n//@ buffer out: u32[4] = 0\n.version 8.3\n.target sm_90\n\
         .address_size 64\n.visible .entry k(.param .u64 a, .param .u64 out) {{ .reg .b32 %r<5>; .reg .b64 %p<3>;\n\
         ld.param.u64 %p1, [a]; ld.param.u64 %p2, [out];\n.pragma \"used_bytes_mask {mask}\";\n\
         ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%p1]; st.global.v4.u32 [%p2], {{%r1, %r2, %r3, %r4}}; ret; }}"
    ));
    session.run(u64::MAX);
    match session.fault() {
        Some(fault) => Err(fault.message),
        None => {
            let bytes = session.memory(&"out".into()).expect("a buffer");
            Ok(bytes.chunks_exact(4).map(|word| word[0]).collect())
        }
    }
}

#[test]
fn unused_bytes_per_used_bytes_mask_may_be_out_of_bounds() {
    assert_eq!(loaded("0xffff", 4), Ok(vec![7, 7, 7, 7]));
    // 0xf0f as formatted by compilers: words 0 and 2.
    assert_eq!(loaded("3855", 3), Ok(vec![7, 0, 7, 0]));
    assert_eq!(loaded("0xff", 2), Ok(vec![7, 7, 0, 0]));
    let fault = loaded("3855", 2).expect_err("word 2 is used");
    assert!(
        fault.contains("out-of-bounds load of 4 bytes")
            && fault.contains("just after the end of buffer `a` (8 bytes)"),
        "{fault}"
    );
    assert!(loaded("0xffff", 3).is_err());
}

#[test]
fn vector_moves_and_register_offset_sources_execute() {
    let mut session = session(
        "//@ launch grid=1 block=32\n//@ buffer out: u32[256] = 0\n.version 8.8\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %p<3>; .reg .v4 .u32 v; .reg .v4 .u32 w; .reg .v2 .b16 h;\n\
         .reg .b16 %h<3>; ld.param.u64 %p1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %p2, %r1, 32, %p1;\n\
         mov.v4.u32 v, {%r1, 7, %r1, 9}; mov.v4.u32 w, v; mov.v4.u32 {%r2, %r3, %r4, %r5}, w;\n\
         mov.v2.b32 {%r2, %r3}, {%r3, %r2}; st.global.v4.u32 [%p2], {%r2, %r3, %r4, %r5};\n\
         mov.v2.b16 {%h1, %h2}, {3, 5}; mov.v2.b16 h, {%h2, %h1}; mov.b32 %r6, h; add.u32 %r7, %r6+0x10, %r1+-1;\n\
         mov.v4.u32 {_, %r8, _, _}, w; st.global.v4.u32 [%p2+16], {%r6, %r7, %r8, %r1}; ret; }",
    );
    session.run(u64::MAX);
    assert_eq!(session.fault().map(|fault| fault.message), None);
    let bytes = session.memory(&"out".into()).expect("a buffer");
    let words: Vec<u32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    for lane in [0, 5, 31] {
        let row = &words[lane * 8..][..8];
        let lane = lane as u32;
        let packed = 3 << 16 | 5;
        assert_eq!(row, [7, lane, lane, 9, packed, packed + 15 + lane, 7, lane]);
    }
}

#[test]
fn out_of_bounds_help_depends_on_memory_and_offset() {
    let help = |store: &str| {
        let mut session = session(&format!(
            "//@ launch grid=1 block=32\n//@ buffer out: u32[32] = 0\n.version 8.3\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 out) {{ .reg .b32 %r<3>; .reg .b64 %p<4>; .local .b32 own[4]; .shared .b32 all[4];\n\
             ld.param.u64 %p1, [out]; mov.u64 %p2, own; mov.u64 %p3, 4096; {store} ret; }}"
        ));
        session.run(u64::MAX);
        session.fault().and_then(|fault| fault.help).expect("help")
    };
    assert!(help("st.global.u32 [%p1+128], %r1;").contains("enlarge the buffer"));
    assert!(help("st.global.u32 [%p1+-4], %r1;").contains("precedes the allocation"));
    assert!(help("st.local.u32 [%p2+4096], %r1;").contains("declare a larger array"));
    assert!(help("st.shared.u32 [all+4096], %r1;").contains("declare a larger array"));
    assert!(help("st.global.u32 [%p3], %r1;").contains("check the address computation"));
}

/// Returns the notes of a run.
fn notes_of(source: String) -> Vec<String> {
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{}", error.message));
    assert!(session.run(10_000));
    session.notes()
}

#[test]
fn lanes_outside_member_mask_produce_one_note_per_line() {
    let notes = |instruction: &str| {
        let source = format!(
            "//@ launch grid=1 block=32\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{ .reg .pred %p; .reg .b32 %r<3>;\n\
             mov.u32 %r1, %tid.x;\n{instruction}\n{instruction}\nret; }}\n"
        );
        notes_of(source)
    };
    let expected = |line: u32, lanes: &str, name: &str| {
        format!(
            "line {line}: {lanes} of warp 0 of block 0 executed the instruction, but the member mask does not include {name}, which is undefined behavior"
        )
    };
    for instruction in [
        "shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, 0x7fffffff;",
        "redux.sync.add.s32 %r2, %r1, 0x7fffffff;",
        "vote.sync.ballot.b32 %r2, %p, 0x7fffffff;",
        "bar.warp.sync 0x7fffffff;",
    ] {
        let found = [7, 8].map(|line| expected(line, "lane 31", "this lane"));
        assert_eq!(notes(instruction), found, "{instruction}");
    }
    let half = notes("shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, 0x0000ffff;");
    assert_eq!(half[0], expected(7, "lanes 16 to 31", "these lanes"));
    assert!(notes("shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, 0xffffffff;").is_empty());
}

#[test]
fn aligned_barrier_in_diverged_warp_produces_one_note_per_line() {
    let notes = |barrier: &str| {
        let source = format!(
            "//@ launch grid=2 block=48\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{ .reg .pred %p; .reg .b32 %r;\n\
             mov.u32 %r, %tid.x; setp.lt.u32 %p, %r, 8;\n@%p bra THEN;\n{barrier} 0; bra DONE;\nTHEN: {barrier} 0;\nDONE: ret; }}\n"
        );
        notes_of(source)
    };
    let expected = |line: u32, came: u32| {
        format!(
            "line {line}: {came} of 32 threads of warp 0 of block 0 reached an aligned barrier while the warp was diverged, which is undefined behavior: use `barrier.sync` without `.aligned`"
        )
    };
    for aligned in ["bar.sync", "barrier.sync.aligned"] {
        let mut found = notes(aligned);
        found.sort();
        assert_eq!(found, [expected(8, 24), expected(9, 8)]);
    }
    assert_eq!(notes("barrier.sync"), [""; 0]);
}

#[test]
fn late_lanes_at_same_aligned_barrier_produce_no_note() {
    let notes = |rest: &str, after: &str| {
        notes_of(format!(
            "//@ launch grid=1 block=64\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{ .reg .pred %p; .reg .b32 %r, %n;\n\
             mov.u32 %r, %tid.x; mov.u32 %n, 0; setp.ne.u32 %p, %r, 0;\n@%p bra DONE;\n\
             LOOP: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 1000; @%p bra LOOP; {rest}\n\
             DONE: bar.sync 0;\n{after} ret; }}\n"
        ))
    };
    assert_eq!(notes("", ""), [""; 0]);
    // The loop ends at an exit, and the other lanes wait at a barrier at which the exited lane does not arrive.
    let found = notes("ret;", "");
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("line 9: 31 of 32 threads of warp 0"),
        "{found:?}"
    );
    // The lane can also wait at a separate barrier.
    assert_eq!(notes("bar.sync 0; bra AFTER;", "AFTER:").len(), 2);
}

#[test]
fn vector_atomics_apply_element_by_element() {
    let mut session = session(
        "//@ launch grid=1 block=2\n//@ buffer out: f32[8] = iota\n//@ buffer old: f32[4] = 0\n.version 8.1\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 out, .param .u64 old) { .reg .b32 %r; .reg .f32 %f<5>; .reg .b64 %p<4>;\n\
         ld.param.u64 %p1, [out]; ld.param.u64 %p2, [old]; mov.u32 %r, %tid.x; mad.wide.u32 %p3, %r, 8, %p2;\n\
         mov.f32 %f1, 1.0; mov.f32 %f2, 0.5;\n\
         red.global.add.v4.f32 [%p1], {%f1, %f2, %f1, %f2};\n\
         atom.global.add.v2.f32 {%f3, %f4}, [%p1+16], {%f1, %f2};\n\
         st.global.v2.f32 [%p3], {%f3, %f4}; ret; }",
    );
    assert!(session.run(u64::MAX));
    assert_eq!(session.fault(), None);
    let floats = |name: &str| -> Vec<f32> {
        let bytes = session.memory(&name.into()).expect("a buffer");
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|word| f32::from_le_bytes(*word)).collect()
    };
    assert_eq!(floats("out"), [2.0, 2.0, 4.0, 4.0, 6.0, 6.0, 6.0, 7.0]);
    // The second thread reads the value of the first thread.
    assert_eq!(floats("old"), [4.0, 5.0, 5.0, 5.5]);
    let events = session.events(0, session.position());
    let pieces = |event: usize| -> Vec<(u8, Option<u64>, String, String)> {
        let lanes = events[event].lanes.iter();
        let pieces = lanes.flat_map(|lane| lane.pieces.iter().map(move |piece| (lane.lane, piece)));
        pieces
            .map(|(lane, piece)| {
                (
                    lane,
                    piece.offset,
                    piece.before.clone(),
                    piece.value.clone(),
                )
            })
            .collect()
    };
    let text = |n: &str| n.to_owned();
    assert_eq!(
        pieces(1),
        [
            (0, Some(16), text("4.0"), text("5.0")),
            (0, Some(20), text("5.0"), text("5.5")),
            (1, Some(16), text("5.0"), text("6.0")),
            (1, Some(20), text("5.5"), text("6.0")),
        ]
    );
}
