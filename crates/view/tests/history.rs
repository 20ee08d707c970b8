//! History of a memory cell: all stores, with the values before and after.

use expect_test::{Expect, expect};
use warpgrid_view::analysis::cell_history::{CellLocation, LISTED};
use warpgrid_view::model::{CellHistory, HistoryOptions, StoreAction};
use warpgrid_view::value::ElementType;
use warpgrid_view::{Scenario, Session};

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    session.run(1_000_000);
    session
}

fn written(history: &CellHistory) -> String {
    let mut lines = vec![format!(
        "{} at the launch; {} up to {}, {} after\n",
        history.initial, history.n_before, history.position, history.n_after
    )];
    for write in &history.writes {
        let lane = write.lane.map_or("–".to_owned(), |lane| lane.to_string());
        let how = if write.has_landed { ", landed" } else { "" };
        lines.push(format!(
            "{}: line {} block {} warp {} lane {lane} of {}: {} -> {} ({:?}{how})\n",
            write.position,
            write.range.line,
            write.block,
            write.warp,
            write.n_lanes,
            write.before,
            write.after,
            write.action
        ));
    }
    lines.concat()
}

fn check(source: &str, memory: &str, offset: u64, options: HistoryOptions, expected: Expect) {
    let mut session = session(source);
    let position = session.position();
    let history = session.history_named(memory, offset, options);
    assert_eq!(session.position(), position);
    expected.assert_eq(&history.map_or_else(|reason| reason.message, |found| written(&found)));
}

const STORES: &str = "//@ launch grid=1 block=64
//@ buffer out: u32[64] = 7
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<9>; .reg .b64 %rd<2>; .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    st.global.u8 [%rd1+1], 255;
    atom.global.add.u32 %r2, [%rd1], 1;
    setp.eq.u32 %p, %r1, 3;
    @%p st.global.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};
    ret;
}
";

#[test]
fn history_lists_each_store_with_lanes_and_old_and_new_values() {
    let mut all = session(STORES);
    let found = all.history_named("out", 0, HistoryOptions::default());
    let found = found.unwrap_or_else(|reason| panic!("{reason}"));
    // Three stores of two warps, and one more store of one lane.
    assert_eq!((found.n_before, found.n_after), (7, 0));
    let lanes: Vec<u32> = found.writes.iter().map(|write| write.n_lanes).collect();
    assert_eq!(lanes.iter().sum::<u32>(), 6 * 32 + 1);
    let atomic = found
        .writes
        .iter()
        .find(|write| write.action == StoreAction::Atomic);
    let atomic = atomic.expect("an atomic");
    let value = |text: &str| text.parse::<u32>().expect("a number");
    assert_eq!(value(&atomic.after) - value(&atomic.before), 32);
    for pair in found.writes.windows(2) {
        assert_eq!(pair[0].after, pair[1].before);
    }
}

#[test]
fn history_lists_stores_around_current_position() {
    let source = "//@ launch grid=1 block=1
//@ buffer out: u32[4] = 9
.reg .b32 %r<3>; .reg .pred %p;
mov.u32 %r1, 0;
L: st.global.u32 [out+4], %r1;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p, %r1, 500;
@%p bra L;
";
    let mut session = session(source);
    let place = CellLocation {
        memory: "out".into(),
        offset: 4,
        n_bytes: 4,
        ty: ElementType::U32,
    };
    let end = session.history(&place).expect("a cell");
    assert_eq!((end.n_before, end.n_after), (500, 0));
    let last = end.writes.last().expect("stores");
    assert_eq!((&*last.before, &*last.after), ("498", "499"));
    session.seek(1_000);
    let middle = session.history(&place).expect("a cell");
    assert_eq!(middle.n_before + middle.n_after, 500);
    assert_eq!(middle.writes.len(), 2 * LISTED);
    let split = middle
        .writes
        .partition_point(|write| write.position <= 1_000);
    assert_eq!(split, LISTED);
    // A host can search in slices.
    let mut search = session.search_history(&place).expect("a cell");
    while !session.continue_history(&mut search, 77) {}
    assert_eq!(session.history_found(&search), middle);
    // After a seek to a store, memory contains the stored value.
    let write = &middle.writes[split];
    session.seek(write.position);
    let bytes = session.memory(&"out".into()).expect("the buffer");
    assert_eq!(
        ElementType::U32.text(ElementType::U32.bits(&bytes[4..])),
        write.after
    );
}

#[test]
fn history_combines_partial_stores_to_one_cell() {
    let source = "//@ launch grid=1 block=1
//@ buffer out: u32[4] = 0
st.global.u8 [out+5], 1;
st.global.u16 [out+6], 2;
st.global.v2.u32 [out], {5, 6};
red.global.max.u32 [out+4], 1;
";
    check(
        source,
        "out",
        4,
        HistoryOptions::default(),
        expect![[r#"
            0 at the launch; 3 up to 5, 0 after
            1: line 3 block 0 warp 0 lane 0 of 1: 0 -> 256 (Store)
            2: line 4 block 0 warp 0 lane 0 of 1: 256 -> 131328 (Store)
            3: line 5 block 0 warp 0 lane 0 of 1: 131328 -> 6 (Store)
        "#]],
    );
    let halves = HistoryOptions {
        ty: Some(ElementType::U16),
        bytes: Some(4),
    };
    check(
        source,
        "out",
        4,
        halves,
        expect![[r#"
            0, 0 at the launch; 3 up to 5, 0 after
            1: line 3 block 0 warp 0 lane 0 of 1: 0, 0 -> 256, 0 (Store)
            2: line 4 block 0 warp 0 lane 0 of 1: 256, 0 -> 256, 2 (Store)
            3: line 5 block 0 warp 0 lane 0 of 1: 256, 2 -> 6, 0 (Store)
        "#]],
    );
}

#[test]
fn history_covers_shared_memory_and_async_completions() {
    let source = "//@ launch grid=1 block=1
//@ buffer x: u32[4] = iota
.shared .align 16 .b32 tile[4];
.reg .b32 %r<3>;
st.shared.u32 [tile+4], 9;
cp.async.ca.shared.global [tile], [x], 16;
cp.async.wait_all;
ld.shared.u32 %r1, [tile+4];
";
    check(
        source,
        "shared:0",
        4,
        HistoryOptions::default(),
        expect![[r#"
            0 at the launch; 2 up to 6, 0 after
            1: line 5 block 0 warp 0 lane 0 of 1: 0 -> 9 (Store)
            3: line 6 block 0 warp 0 lane 0 of 1: 9 -> 1 (Store, landed)
        "#]],
    );
}

#[test]
fn invalid_history_requests_are_rejected() {
    let bytes = |bytes| HistoryOptions {
        bytes: Some(bytes),
        ..HistoryOptions::default()
    };
    check(
        STORES,
        "nowhere",
        0,
        bytes(4),
        expect!["the launch has no buffer or variable `nowhere`"],
    );
    check(
        STORES,
        "out",
        254,
        bytes(4),
        expect![
            "cannot read the offset: found the byte range 254 to 258, expected an end of at most 256, the size of `out`"
        ],
    );
    check(
        STORES,
        "out",
        u64::MAX,
        bytes(4),
        expect![
            "cannot read the offset: found the byte range 18446744073709551615 to 18446744073709551615, expected an end of at most 256, the size of `out`"
        ],
    );
    check(
        STORES,
        "out",
        0,
        bytes(0),
        expect!["cannot read the options: `bytes` is 0, expected 1 to 64"],
    );
    check(
        STORES,
        "out",
        0,
        bytes(65),
        expect!["cannot read the options: `bytes` is 65, expected 1 to 64"],
    );
}
