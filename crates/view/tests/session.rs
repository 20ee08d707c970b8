//! A session as a host drives it, from text to grid.

use expect_test::expect_file;
use warpgrid_view::model::{GridRequest, Written};
use warpgrid_view::session::MAX_EVENTS;
use warpgrid_view::{Scenario, Session};

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
fn the_trace_is_golden() {
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

#[test]
fn a_grid_follows_the_run_forward_and_back() {
    let mut session = session(SCALE);
    let untouched = session.grid(&out("out")).expect("a grid");
    assert!(
        untouched
            .cells
            .iter()
            .all(|cell| cell.text == "-1.0" && cell.written == Written::Never)
    );
    assert!(session.run_to_store(1_000));
    let grid = session.grid(&out("out")).expect("a grid");
    let now: Vec<_> = grid
        .cells
        .iter()
        .filter(|cell| cell.written == Written::Now)
        .collect();
    assert_eq!(now.len(), 32);
    assert_eq!((now[5].text.as_str(), now[5].lane), ("10.0", Some(5)));
    session.step();
    let grid = session.grid(&out("out")).expect("a grid");
    assert!(grid.cells.iter().all(|cell| cell.written != Written::Now));
    session.seek(0);
    assert_eq!(session.grid(&out("out")).expect("a grid"), untouched);
}

#[test]
fn a_frame_describes_the_store_in_one_sentence() {
    let mut session = session(SCALE);
    session.run_to_store(1_000);
    let frame = session.frame(&Default::default());
    let sentence: String = frame
        .sentence
        .iter()
        .map(|phrase| phrase.text.as_str())
        .collect();
    assert_eq!(
        sentence,
        "st.global.f32 in warp 0 of block 0 wrote 128 bytes of all 32 lanes to `out` in 4 sectors, each used whole. The lanes write side by side."
    );
}

#[test]
fn every_changed_register_is_marked() {
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
fn events_stop_at_their_limit_and_go_on_from_there() {
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
