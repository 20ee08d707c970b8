//! A session as a host drives it, from text to grid.

use expect_test::expect_file;
use warpgrid_view::model::{GridRequest, Written};
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
        "st.global.f32 wrote 128 bytes of all 32 lanes to `out` in 4 sectors, each used whole. The lanes write side by side."
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
