//! Tests of the session of a launch with many blocks: the block map, the seek to a block, and the states of waiting, faulting and exited
//! lanes.

use crate::model::request::FrameRequest;
use crate::model::warp::{BlockProgress, LaneState};
use crate::model::{PhraseLink, RunStatus};
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use warpgrid_launch::Scenario;

fn session(launch: &str, head: &str, body: &str) -> Session {
    let source = format!(
        "//@ launch {launch}\n//@ buffer out: u32[256] = 0\n.version 8.8\n.target sm_90\n.address_size 64\n{head}
        .visible .entry k(.param .u64 out) {{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; {body} ret; }}"
    );
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    Session::new(scenario).expect("a kernel that runs")
}

const STORE: &str = "st.global.u32 [%rd1], %r2;";

fn words(session: &mut Session) -> String {
    let sentence = session.frame(&FrameRequest::default()).sentence;
    sentence.into_iter().map(|phrase| phrase.text).collect()
}

#[test]
fn block_map_shows_done_running_and_not_started_blocks() {
    let mut session = session("grid=1000 block=64", "", STORE);
    let start = session.frame(&FrameRequest::default()).blocks;
    assert_eq!((start.n_blocks, start.n_finished), (1000, 0));
    assert_eq!((start.blocks_per_cell, start.cells.len()), (2, 500));
    assert_eq!(start.cells[0], BlockProgress::Running);
    assert_eq!(start.cells[499], BlockProgress::NotStarted);
    assert_eq!(start.resident[0].warps, [BlockProgress::Running; 2]);
    assert!(session.go_to_block(700, u64::MAX));
    let middle = session.frame(&FrameRequest::default()).blocks;
    assert_eq!(middle.cells[10], BlockProgress::Done);
    assert_eq!(middle.cells[350], BlockProgress::Running);
    assert_eq!(middle.cells[499], BlockProgress::NotStarted);
    session.run(u64::MAX);
    let end = session.frame(&FrameRequest::default()).blocks;
    assert_eq!(end.n_finished, 1000);
    assert!(end.cells.iter().all(|cell| *cell == BlockProgress::Done));
}

#[test]
fn go_to_block_seeks_forward_and_backward() {
    let mut session = session("grid=300 block=32", "", STORE);
    assert!(session.go_to_block(200, u64::MAX));
    let start = session.position();
    assert!(session.lanes(200, 0).is_some());
    session.seek(start - 1);
    assert!(session.lanes(200, 0).is_none(), "it is the first position");
    session.run(u64::MAX);
    assert!(session.go_to_block(200, u64::MAX));
    assert_eq!(session.position(), start);
    // The position does not change if the block is running.
    let lanes = session.lanes(200, 0).expect("it has a place").lanes;
    assert!(lanes.iter().all(|lane| lane.state == LaneState::Ready));
    session.step();
    assert!(session.go_to_block(200, u64::MAX));
    assert_eq!(session.position(), start + 1);
    // A long seek requires several calls.
    session.seek(0);
    assert!(!session.go_to_block(299, 1));
    assert!(!session.go_to_block(999_999, 1));
    while !session.go_to_block(299, 1) {}
    assert!(session.lanes(299, 0).is_some());
}

#[test]
fn go_to_block_works_for_clustered_blocks() {
    let mut session = session("grid=8x4 block=32 cluster=2x2", "", STORE);
    for block in [9, 31, 6] {
        assert!(session.go_to_block(block, u64::MAX));
        assert!(session.lanes(block, 0).is_some(), "block {block}");
    }
    session.run(u64::MAX);
    let end = session.frame(&FrameRequest::default()).blocks;
    assert_eq!(end.cells, [BlockProgress::Done; 32]);
}

#[test]
fn step_summary_links_to_warp_and_memory() {
    let mut session = session("grid=40 block=64", "", STORE);
    session.run_to_next_store(u64::MAX);
    assert!(words(&mut session).contains("in warp 0 of block 0"));
    let sentence = session.frame(&FrameRequest::default()).sentence;
    let links: Vec<_> = sentence
        .into_iter()
        .filter_map(|phrase| phrase.link)
        .collect();
    assert_eq!(
        links,
        [
            PhraseLink::Warp(0, 0),
            PhraseLink::Memory(MemoryKey::Buffer("out".into()))
        ]
    );
    session.step();
    assert!(words(&mut session).contains("in warp "));
}

#[test]
fn step_summary_omits_warp_of_single_warp_launch() {
    let mut session = session("grid=1 block=32", "", STORE);
    session.run_to_next_store(u64::MAX);
    assert!(!words(&mut session).contains("warp 0"));
}

#[test]
fn waiting_lanes_report_barrier_until_released() {
    let body = "setp.ge.u32 %p1, %r1, 40; @%p1 ret; bar.sync 0;";
    let mut session = session("grid=1 block=64", "", body);
    let waiting = loop {
        assert!(session.step(), "a warp waits");
        let warp = session.lanes(0, 0).expect("a warp");
        if warp.lanes[0].state == LaneState::Waiting {
            break warp;
        }
    };
    assert!(
        waiting
            .lanes
            .iter()
            .all(|lane| lane.state == LaneState::Waiting)
    );
    assert_eq!(
        waiting.lanes[3].waits.as_deref(),
        Some("for the other threads at barrier 0")
    );
    let map = session.frame(&FrameRequest::default()).blocks;
    assert_eq!(map.resident[0].warps[0], BlockProgress::Waiting);
    session.run(u64::MAX);
    let gone = session.lanes(0, 0).expect("a warp");
    assert!(gone.lanes.iter().all(|lane| lane.waits.is_none()));
}

#[test]
fn fault_marks_only_faulting_lanes_of_faulting_warp() {
    let body = "mul.wide.u32 %rd2, %r1, 17; add.u64 %rd3, %rd1, %rd2; st.global.u8 [%rd3], %r1;";
    let mut session = session("grid=1 block=96", "", body);
    session.run(u64::MAX);
    let frame = session.frame(&FrameRequest::default());
    assert_eq!(frame.status, RunStatus::Faulted);
    let message = frame.fault.expect("a fault").message;
    assert!(message.contains("store of 1 byte at"), "{message}");
    assert!(
        message.contains("13 bytes after the end of buffer `out` (1024 bytes)"),
        "{message}"
    );
    let warp = frame.warp.expect("the warp that faulted");
    let faulted: Vec<u8> = warp
        .lanes
        .iter()
        .filter(|lane| lane.state == LaneState::Faulted)
        .map(|lane| lane.lane)
        .collect();
    assert_eq!((warp.warp, faulted), (1, (29..32).collect()));
    let other = session.lanes(0, 2).expect("a warp");
    assert!(
        other
            .lanes
            .iter()
            .all(|lane| lane.state != LaneState::Faulted)
    );
}

#[test]
fn unreferenced_variables_are_marked() {
    let head = ".global .u32 used; .global .u32 listed; .const .u8 unused[4];";
    let body = "st.global.u32 [used], %r1; mov.u64 %rd2, listed;";
    let mut session = session("grid=1 block=32", head, body);
    let frame = session.frame(&FrameRequest::default());
    let named: Vec<(String, bool)> = frame
        .memories
        .into_iter()
        .map(|memory| (memory.title, memory.is_named))
        .collect();
    let expected = [
        ("out", true),
        ("used", true),
        ("listed", true),
        ("unused", false),
    ];
    assert_eq!(
        named,
        expected.map(|(name, named)| (name.to_owned(), named))
    );
}

#[test]
fn access_at_buffer_end_is_reported_as_just_after_end() {
    let mut session = session("grid=1 block=32", "", "st.global.u8 [%rd1+1024], %r1;");
    session.run(u64::MAX);
    let message = session.fault().expect("a fault").message;
    assert!(
        message.contains("just after the end of buffer `out`"),
        "{message}"
    );
}

#[test]
fn bit_typed_shared_memory_is_shown_with_store_type() {
    for (declared, stored, shown) in [
        ("b32", "u32", "u32"),
        ("b8", "s16", "s16"),
        ("f32", "u32", "f32"),
    ] {
        let head = format!(".shared .align 8 .{declared} sm[64];");
        let mut session = session(
            "grid=1 block=32",
            &head,
            &format!("st.shared.{stored} [sm], %r1;"),
        );
        let frame = session.frame(&FrameRequest::default());
        let shared = frame
            .memories
            .into_iter()
            .find(|memory| memory.id == MemoryKey::Shared(0));
        assert_eq!(shared.expect("shared memory").ty.name(), shown);
    }
}
