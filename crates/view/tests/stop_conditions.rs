//! Runs until a cell changes, a line is reached or a lane satisfies a condition, forward and backward.

use expect_test::{Expect, expect};
use warpgrid_view::analysis::cell_history::CellLocation;
use warpgrid_view::session::stop_conditions::condition::RegisterCondition;
use warpgrid_view::session::stop_conditions::{Direction, StopCondition, StopConditionError};
use warpgrid_view::value::ElementType;
use warpgrid_view::{Scenario, Session};

/// Loop of 200 iterations in which each lane counts, and lane 0 stores every tenth count.
const LOOP: &str = "//@ launch grid=1 block=64
//@ buffer out: u32[4] = 0
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<9>; .reg .b64 %rd<2>; .reg .f32 %f<3>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;

LOOP: // here it goes on
    add.u32 %r2, %r2, 1;
    add.s32 %r3, %r1, -2;
    cvt.rn.f32.u32 %f1, %r2;
    rem.u32 %r4, %r2, 10;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 st.global.u32 [%rd1+4], %r2;
    setp.lt.u32 %p2, %r2, 200;
    @%p2 bra LOOP;
    ret;
}
";

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

fn cell(offset: u64) -> StopCondition {
    StopCondition::DataChange(CellLocation {
        memory: "out".into(),
        offset,
        n_bytes: 4,
        ty: ElementType::U32,
    })
}

fn meets(text: &str) -> StopCondition {
    StopCondition::Predicate(text.into())
}

fn said(
    found: Result<warpgrid_view::session::stop_conditions::StopResult, StopConditionError>,
) -> String {
    match found {
        Ok(reached) => format!("{}: {}", reached.position, reached.text),
        Err(reason) => reason.message,
    }
}

/// Searches forward twice and backward once from a position.
fn check(from: u64, until: &StopCondition, expected: Expect) {
    let mut session = session(LOOP);
    session.run(1_000_000);
    session.seek(from);
    let mut lines = Vec::new();
    for direction in [Direction::Forward, Direction::Forward, Direction::Reverse] {
        let found = session.run_until(until, direction, 1_000_000);
        lines.push(format!("{direction:?} {}\n", said(found)));
    }
    expected.assert_eq(&lines.concat());
}

#[test]
fn run_stops_when_cell_changes() {
    check(
        0,
        &cell(4),
        expect![[r#"
            Forward 145: out[1] changed from 0 to 10
            Forward 321: out[1] changed from 10 to 20
            Reverse 145: out[1] changed from 0 to 10
        "#]],
    );
    check(
        700,
        &cell(4),
        expect![[r#"
            Forward 785: out[1] changed from 40 to 50
            Forward 961: out[1] changed from 50 to 60
            Reverse 785: out[1] changed from 40 to 50
        "#]],
    );
    // No store writes the cell.
    check(
        700,
        &cell(0),
        expect![[r#"
            Forward 3208: no later step of the run meets the condition
            Forward 3208: no later step of the run meets the condition
            Reverse 0: no earlier step met the condition, so the run is now at the first step
        "#]],
    );
}

#[test]
fn run_stops_before_breakpoint_line() {
    check(
        0,
        &StopCondition::LineReached(vec![19]),
        expect![[r#"
            Forward 8: next: line 19, warp 0 of block 0
            Forward 16: next: line 19, warp 0 of block 0
            Reverse 8: next: line 19, warp 0 of block 0
        "#]],
    );
    // A line without an instruction refers to the next line.
    check(
        0,
        &StopCondition::LineReached(vec![12, 21]),
        expect![[r#"
            Forward 3: next: line 14, warp 0 of block 0
            Forward 10: next: line 21, warp 0 of block 0
            Reverse 3: next: line 14, warp 0 of block 0
        "#]],
    );
    check(
        0,
        &StopCondition::LineReached(vec![99]),
        expect![[r#"
            Forward the kernel has no instruction at or after line 99
            Forward the kernel has no instruction at or after line 99
            Reverse the kernel has no instruction at or after line 99
        "#]],
    );
    check(
        0,
        &StopCondition::LineReached(vec![]),
        expect![[r#"
            Forward no breakpoint is set
            Forward no breakpoint is set
            Reverse no breakpoint is set
        "#]],
    );
}

#[test]
fn run_stops_when_register_condition_is_true() {
    check(
        0,
        &meets("lane 3: %r2 == 150"),
        expect![[r#"
            Forward 2380: %r2 = 150 in lane 3 of warp 0, block 0
            Forward 2412: %r2 = 150 in lane 3 of warp 1, block 0
            Reverse 2380: %r2 = 150 in lane 3 of warp 0, block 0
        "#]],
    );
    check(
        0,
        &meets("thread 37: %r2 >= 0x96"),
        expect![[r#"
            Forward 2412: %r2 = 150 in lane 5 of warp 1, block 0
            Forward 3208: no later step of the run meets the condition
            Reverse 2412: %r2 = 150 in lane 5 of warp 1, block 0
        "#]],
    );
    check(
        0,
        &meets("%f1 > 100.5"),
        expect![[r#"
            Forward 1606: %f1 = 101.0 in lane 0 of warp 0, block 0
            Forward 1638: %f1 = 101.0 in lane 0 of warp 1, block 0
            Reverse 1606: %f1 = 101.0 in lane 0 of warp 0, block 0
        "#]],
    );
    check(
        0,
        &meets("warp 1 lane 0: %p1 == true"),
        expect![[r#"
            Forward 176: %p1 = 1 in lane 0 of warp 1, block 0
            Forward 320: %p1 = 1 in lane 0 of warp 1, block 0
            Reverse 176: %p1 = 1 in lane 0 of warp 1, block 0
        "#]],
    );
    check(
        0,
        &meets("%r3 < 0"),
        expect![[r#"
            Forward 5: %r3 = 4294967294 in lane 0 of warp 0, block 0
            Forward 3208: no later step of the run meets the condition
            Reverse 5: %r3 = 4294967294 in lane 0 of warp 0, block 0
        "#]],
    );
    check(
        0,
        &meets("block 7: %r2 == 1"),
        expect![[r#"
            Forward 3208: no later step of the run meets the condition
            Forward 3208: no later step of the run meets the condition
            Reverse 0: no earlier step met the condition, so the run is now at the first step
        "#]],
    );
}

#[test]
fn reverse_search_across_windows_finds_nearest_match() {
    let source = LOOP.replace(", 200;", ", 20000;");
    let mut session = session(&source);
    session.run(10_000_000);
    let end = session.position();
    assert!(end > 300_000);
    let found = session.run_until(&meets("lane 0: %r2 == 5"), Direction::Reverse, u64::MAX);
    let first = found.unwrap_or_else(|reason| panic!("{reason:?}"));
    assert!(first.is_reached && first.position < 200, "{first:?}");
    // A search that exceeds its budget leaves the session at its position.
    session.seek(end);
    let found = session.run_until(&meets("lane 0: %r2 == 5"), Direction::Reverse, 10_000);
    assert!(found.is_ok_and(|reached| !reached.is_reached && reached.position == end));
    // Forward and backward searches find the same positions.
    session.seek(0);
    let mut forward = Vec::new();
    for _ in 0..40 {
        let reached = session.run_until(&cell(4), Direction::Forward, u64::MAX);
        forward.push(
            reached
                .unwrap_or_else(|reason| panic!("{reason:?}"))
                .position,
        );
    }
    for position in forward.iter().rev().skip(1) {
        let reached = session.run_until(&cell(4), Direction::Reverse, u64::MAX);
        assert_eq!(reached.map(|reached| reached.position), Ok(*position));
    }
}

/// Source of a run whose memories have two dimensions.
const TRAIL: &str = "//@ launch grid=1 block=64
//@ buffer trail: u32[4][2] = 0
mov.u32 %t, %tid.x;
setp.lt.u32 %p, %t, 8;
@%p st.global.u32 [trail], %t;
";

#[test]
fn run_stops_when_watch_expression_holds() {
    check(
        0,
        &meets("out[1] == 20"),
        expect![[r#"
            Forward 321: `out[1] == 20` holds
            Forward 3208: no later step of the run meets the condition
            Reverse 321: `out[1] == 20` holds
        "#]],
    );
    check(
        0,
        &meets("lane 3: %r1 + 7 == %r2"),
        expect![[r#"
            Forward 140: `lane 3: %r1 + 7 == %r2` holds in lane 3 of warp 0, block 0
            Forward 684: `lane 3: %r1 + 7 == %r2` holds in lane 3 of warp 1, block 0
            Reverse 140: `lane 3: %r1 + 7 == %r2` holds in lane 3 of warp 0, block 0
        "#]],
    );
    check(
        0,
        &meets("(%r2 % 50 == 0) & (%tid_copy == 1)"),
        expect![[r#"
            Forward the kernel has no register `%tid_copy`
            Forward the kernel has no register `%tid_copy`
            Reverse the kernel has no register `%tid_copy`
        "#]],
    );
    check(
        0,
        &meets("nowhere[1] == 20"),
        expect![[r#"
            Forward the launch has no buffer or variable `nowhere`
            Forward the launch has no buffer or variable `nowhere`
            Reverse the launch has no buffer or variable `nowhere`
        "#]],
    );
}

#[test]
fn watch_expression_has_several_indices() {
    let mut session = session(TRAIL);
    let until = meets("trail[3][1] == 7");
    let reached = session.run_until(&until, Direction::Forward, u64::MAX);
    assert_eq!(
        reached.map(|reached| reached.text),
        Ok("`trail[3][1] == 7` holds".to_owned())
    );
}

#[test]
fn invalid_condition_error_has_span() {
    let wrong = [
        "",
        "lane 3",
        "lane 3: %r5",
        "lane 3: %r5 = 7",
        "lane 3: %r5 ~ 7",
        "lane 32: %r2 == 7",
        "lane x: %r2 == 7",
        "lane: %r2 == 7",
        "lane 3 lane 4: %r2 == 7",
        "lane 3 thread 4: %r2 == 7",
        "row 3: %r2 == 7",
        ": %r2 == 7",
        "warp 99999999999: %r2 == 7",
        "== 7",
        "%r2 %r3 == 7",
        "%r2 ==",
        "%r2 == seven",
        "%r2 == 7 8",
        "%rr2 == 7",
        "lané 3: %r99 == 7",
        "lane 3: %r99 == 7",
    ];
    let mut session = session(LOOP);
    let lines = wrong.map(|text| {
        let reason = session.watch(&meets(text), Direction::Forward).map(|_| ());
        let reason = reason.expect_err(text);
        let all: Vec<u16> = text.encode_utf16().collect();
        let place = all.get(reason.at.0 as usize..(reason.at.1 as usize).min(all.len()));
        let place = String::from_utf16_lossy(place.unwrap_or(&[]));
        format!("`{text}` at `{place}`: {}\n", reason.message)
    });
    expect![[r#"
        `` at ``: the condition contains no comparison, expected one of `==`, `!=`, `<`, `<=`, `>` and `>=`, as in `lane 3: %r5 == 7`
        `lane 3` at `lane 3`: the condition contains no comparison, expected one of `==`, `!=`, `<`, `<=`, `>` and `>=`, as in `lane 3: %r5 == 7`
        `lane 3: %r5` at `%r5`: the condition contains no comparison, expected one of `==`, `!=`, `<`, `<=`, `>` and `>=`, as in `lane 3: %r5 == 7`
        `lane 3: %r5 = 7` at `=`: found `=`, expected one of `==`, `!=`, `<`, `<=`, `>` and `>=`
        `lane 3: %r5 ~ 7` at `%r5 ~ 7`: the condition contains no comparison, expected one of `==`, `!=`, `<`, `<=`, `>` and `>=`, as in `lane 3: %r5 == 7`
        `lane 32: %r2 == 7` at `lane 32`: found the lane index 32, expected 0 to 31
        `lane x: %r2 == 7` at `lane x`: found `x` after `lane`, expected a nonnegative integer
        `lane: %r2 == 7` at `lane`: found `lane` without a number
        `lane 3 lane 4: %r2 == 7` at `lane 4`: found `lane` twice
        `lane 3 thread 4: %r2 == 7` at `thread 4`: found `thread` twice
        `row 3: %r2 == 7` at `row 3`: found `row`, expected `block`, `warp`, `lane` or `thread`
        `: %r2 == 7` at `:`: the prefix before `:` names no thread, expected a prefix such as `lane 3`
        `warp 99999999999: %r2 == 7` at `warp 99999999999`: found the warp index 99999999999, expected at most 4294967295
        `== 7` at `=`: found no register, expected a register before the comparison, as in `lane 3: %r5 == 7`
        `%r2 %r3 == 7` at `%r2 %r3`: found `%r2 %r3`, expected a register before the comparison, as in `lane 3: %r5 == 7`
        `%r2 ==` at ``: the condition contains no number after the comparison operator
        `%r2 == seven` at `seven`: found `seven`, expected a number such as `7`, `-4`, `0x1f` or `1.5`
        `%r2 == 7 8` at `7 8`: found `7 8`, expected a number such as `7`, `-4`, `0x1f` or `1.5`
        `%rr2 == 7` at `%rr2`: the kernel has no register `%rr2`; did you mean `%r2`?
        `lané 3: %r99 == 7` at `lané 3`: found `lané`, expected `block`, `warp`, `lane` or `thread`
        `lane 3: %r99 == 7` at `%r99`: the kernel has no register `%r99`; did you mean `%rd1`?
    "#]].assert_eq(&lines.concat());
    assert!(RegisterCondition::read(&"x".repeat(100_000)).is_err());
}

#[test]
fn out_of_bounds_watchpoint_is_rejected() {
    let mut session = session(LOOP);
    expect!["the 4 bytes at offset 14 are out of bounds: `out` has 16 bytes"]
        .assert_eq(&said(session.run_until(&cell(14), Direction::Forward, 1)));
    expect!["the 4 bytes at offset 18446744073709551615 are out of bounds: `out` has 16 bytes"]
        .assert_eq(&said(session.run_until(
            &cell(u64::MAX),
            Direction::Forward,
            1,
        )));
}
