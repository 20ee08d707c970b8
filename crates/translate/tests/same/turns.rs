//! Kernels whose lanes leave loops apart and wait for the others, so long that they get turns. Out come scenarios.

use serde_json::json;
use warpgrid_launch::Scenario;

/// What the loop has, a bit each: see [`scenarios`].
const N_KINDS: u32 = 1 << 6;

const FUNCTION: &str = ".func (.reg .b32 d) grown(.reg .b32 a)
{
    .reg .pred %p;
    mov.u32 d, a;
    setp.gt.u32 %p, a, 0x10000000;
    @%p ret;
    mad.lo.u32 d, a, 3, 1;
}";

/// Loops with stores, guarded ones, branches, calls, exits, and long bodies, in every combination, with what each is.
pub(crate) fn scenarios() -> impl Iterator<Item = (String, Scenario)> {
    (0..N_KINDS).map(|kind| (format!("kind {kind:06b}"), scenario(kind)))
}

fn scenario(kind: u32) -> Scenario {
    let part = |bit: u32, text: &str| match kind >> bit & 1 {
        1 => text.to_owned(),
        _ => String::new(),
    };
    let store = part(0, "st.global.u32 [%p+4], %x;");
    let guarded = part(1, "@%odd st.global.u32 [%p+8], %n;");
    let branch = part(
        2,
        "@!%odd bra EVEN; mad.lo.u32 %x, %x, 3, 1; st.global.u32 [%p+12], %x; xor.b32 %y, %y, %x; bra JOIN;
         EVEN: shr.u32 %x, %x, 1; JOIN: add.u32 %y, %y, %x;",
    );
    let call = part(3, "@%odd call (%x), grown, (%x);");
    let exit = part(4, "setp.eq.u32 %r, %y, %n; @%r exit;");
    let long = part(5, &"mad.lo.u32 %y, %y, 1664525, %x; ".repeat(41));
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{FUNCTION}
.visible .entry k(.param .u64 out) {{
.reg .b64 %p, %o; .reg .b32 %t, %b, %i, %n, %x, %y, %z; .reg .pred %odd, %more, %r;
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 64, %t;
ld.param.b64 %p, [out]; mul.wide.u32 %o, %i, 16; add.s64 %p, %p, %o;
mul.lo.u32 %n, %i, {}; and.b32 %n, %n, 511; add.u32 %n, %n, 1; mad.lo.u32 %x, %i, 77, 27; mov.u32 %y, 0;
AGAIN:
and.b32 %z, %x, 1; setp.ne.u32 %odd, %z, 0;
{guarded}
{branch}
{store}
{call}
{long}
{exit}
sub.u32 %n, %n, 1; setp.gt.u32 %more, %n, 0; @%more bra AGAIN;
st.global.u32 [%p], %y;
ret; }}",
        7 + 30 * (kind % 5)
    );
    let scenario = json!({
        "source": source,
        "grid": [2, 1, 1],
        "block": [64, 1, 1],
        "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": 512, "init": 0}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

/// Lanes that get turns while others wait, and then call one function from two places: the interpreter makes one group of those that are there at the same time.
pub(crate) fn one_function_by_two_calls() -> Scenario {
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{FUNCTION}
.visible .entry k(.param .u64 out) {{
.reg .b64 %p, %o; .reg .b32 %t, %i, %n, %x, %z; .reg .pred %odd, %more;
mov.u32 %t, %tid.x; ld.param.b64 %p, [out]; mul.wide.u32 %o, %t, 16; add.s64 %p, %p, %o;
and.b32 %n, %t, 31; mad.lo.u32 %n, %n, 13, 1; mad.lo.u32 %x, %t, 77, 27;
AGAIN:
and.b32 %i, %t, 12; add.u32 %i, %i, 1;
INNER: sub.u32 %i, %i, 1; setp.ne.u32 %more, %i, 0; @%more bra INNER;
popc.b32 %z, %n; sub.u32 %n, %n, 1; setp.ne.u32 %more, %n, 0; @%more bra AGAIN;
and.b32 %z, %x, 2; setp.ne.u32 %odd, %z, 0;
@%odd call (%x), grown, (%x);
@!%odd call (%z), grown, (%t);
st.global.u32 [%p], %x; st.global.u32 [%p+4], %z;
ret; }}"
    );
    let scenario = json!({
        "source": source, "grid": [1, 1, 1], "block": [64, 1, 1],
        "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": 512, "init": 0}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

/// Where lanes meet between two loops.
const MEETINGS: [&str; 4] = [
    "bar.sync 0;",
    "bar.warp.sync -1;",
    "shfl.sync.bfly.b32 %x, %x, 1, 31, -1; add.u32 %y, %y, %x;",
    "shfl.sync.idx.b32 %z, %y, 3, 31, -1; bar.sync 0; xor.b32 %x, %x, %z;",
];

/// Loops that lanes leave apart, with a meeting after each, so that a turn which has begun before one goes on after it; some have short ways of which only some lanes take one.
pub(crate) fn that_meet() -> impl Iterator<Item = (String, Scenario)> {
    let kinds = MEETINGS
        .iter()
        .flat_map(|meeting| (0..12).map(move |kind| (*meeting, kind)));
    kinds.map(|(meeting, kind)| {
        let way = match kind % 3 {
            0 => "",
            1 => "@%odd bra SHORT#; mad.lo.u32 %x, %x, 3, 1; st.global.u32 [%p+4], %x; SHORT#:",
            _ => "@%odd bra FAR#; shr.u32 %x, %x, 1; bra END#; FAR#: add.u32 %x, %x, 7; xor.b32 %y, %y, %x; END#:",
        };
        let loops = (0..3).map(|index| {
            let text = format!(
                "mul.lo.u32 %n, %i, {}; and.b32 %n, %n, {}; add.u32 %n, %n, 1;
AGAIN#: and.b32 %z, %x, 1; setp.ne.u32 %odd, %z, 0; {way} add.u32 %y, %y, %x; mad.lo.u32 %x, %x, 5, %n;
sub.u32 %n, %n, 1; setp.gt.u32 %more, %n, 0; @%more bra AGAIN#;
{meeting}\n",
                5 + 6 * kind + index,
                [31, 255, 127][index],
            );
            text.replace('#', &index.to_string())
        });
        let source = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {{
.reg .b64 %p, %o; .reg .b32 %t, %i, %n, %x, %y, %z; .reg .pred %odd, %more;
mov.u32 %t, %tid.x; mad.lo.u32 %i, %t, 3, 1; ld.param.b64 %p, [out]; mul.wide.u32 %o, %t, 16; add.s64 %p, %p, %o;
mad.lo.u32 %x, %i, 77, 27; mov.u32 %y, 0;
{} st.global.u32 [%p], %y; ret; }}",
            loops.collect::<String>()
        );
        let scenario = json!({
            "source": source, "grid": [1, 1, 1], "block": [64, 1, 1],
            "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": 512, "init": 0}],
        });
        let scenario = serde_json::from_value(scenario).expect("a scenario");
        (format!("kind {kind}, then {meeting}"), scenario)
    })
}

/// A kernel of one warp of these lines, whose second line may be a loop of 72 steps that each lane makes five times more often than the one before.
fn of_one_warp(first_thread: u32, text: &str) -> Scenario {
    let times = "mad.lo.u32 %x, %x, 5, %y; ".repeat(69);
    let text = text.replace(
        "LONG_LOOP;",
        &format!("mul.lo.u32 %n, %t, 5; AGAIN: {times} sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra AGAIN;"),
    );
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {{
.reg .b32 %t, %lane, %n, %x, %y, %z; .reg .pred %few, %p, %q, %more;
mov.u32 %t, %tid.x; and.b32 %lane, %t, 31; add.u32 %t, %t, {first_thread}; setp.lt.u32 %few, %lane, 13;
{text}
ret; }}"
    );
    let scenario = json!({
        "source": source, "grid": [1, 1, 1], "block": [32, 1, 1],
        "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": 1, "init": 0}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

/// Turns that are over about when lanes come to the end of one of two sides, where others wait: the group that goes on next has a turn because it was kept waiting, or
/// another one than before goes on anyhow. Where `meets` lanes of one gang are on both sides, and part later.
pub(crate) fn over_on_a_side(meets: bool) -> impl Iterator<Item = (String, Scenario)> {
    (136..156).map(move |length| {
        let side = "mad.lo.u32 %x, %x, 5, %y; ".repeat(length);
        let (meeting, bit, lane, end) = match meets {
            true => ("bar.warp.sync -1;", 1, 8, "@%p bra OUT; OTHERS: bra OUT;"),
            false => ("", 4, 9, "bra OUT; OTHERS: setp.lt.u32 %q, %t, 37;"),
        };
        let text = format!(
            "LONG_LOOP; {meeting}
@!%few bra TOGETHER; {side} and.b32 %z, %lane, {bit}; setp.eq.u32 %few, %z, 0;
@%few bra FAR; setp.lt.u32 %q, %lane, 6; bra TOGETHER; FAR: setp.eq.u32 %few, %lane, {lane};
TOGETHER: @!%few bra OTHERS; {end} OUT:"
        );
        (format!("a side of {length}"), of_one_warp(0, &text))
    })
}

/// Some lanes leave a loop that begins with an operation of the warp for the end, as many instructions away as the others do up to the operation.
pub(crate) fn that_end_while_others_meet() -> Scenario {
    let text = "mov.u32 %n, 6; AGAIN: bar.warp.sync -1; setp.lt.u32 %p, %lane, 20; @%p bra OUT;
sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra AGAIN; OUT: mul.lo.u32 %x, %t, 3; add.u32 %y, %y, %x;";
    of_one_warp(0, text)
}

/// The same, where they leave loops apart before their end, and so do the others in the end: what is used up of the turn before goes on.
pub(crate) fn that_leave_loops_while_others_meet() -> Scenario {
    let text = "mov.u32 %n, 6; AGAIN: bar.warp.sync -1; setp.lt.u32 %p, %lane, 20; @%p bra OUT;
sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra AGAIN; OUT: mov.u32 %n, %t;
LOOP: add.u32 %y, %y, %x; add.u32 %y, %y, %x; and.b32 %z, %lane, 4; setp.ne.u32 %p, %z, 0; @%p bra DONE;
add.u32 %y, %y, %x; sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra LOOP; DONE: add.u32 %y, %y, %x; add.u32 %y, %y, %x;";
    of_one_warp(32, text)
}

/// Half of a warp goes past an operation that does not wait for it.
pub(crate) fn past_an_operation() -> Scenario {
    let text = "setp.lt.u32 %p, %lane, 16; @%p bra SOME; bra OUT; SOME: bar.warp.sync 0xffff; OUT:";
    of_one_warp(0, text)
}

/// Lanes that wait at an operation while others take turns and end, and then part for so long that one of them gets a turn: the one that had none for longer.
pub(crate) fn that_part_after_others_have_ended() -> impl Iterator<Item = Scenario> {
    (0..8).map(|n| {
        let text = format!(
            "add.u32 %t, %t, 32; mov.u32 %n, 6;
AGAIN: match.any.sync.b32 %z, %z, -1; setp.lt.u32 %p, %lane, 20; @%p bra OUT;
sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra AGAIN;
OUT: mul.lo.u32 %n, %t, 1;
LOOP: {} and.b32 %z, %lane, 4; setp.ne.u32 %p, %z, 0; @%p bra END;
add.u32 %y, %y, %x; sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra LOOP;
END:",
            "add.u32 %y, %y, %x; ".repeat(n)
        );
        of_one_warp(0, &text)
    })
}

/// Lanes that leave a loop after about fourteen thousand rounds, each with a choice of two sides.
pub(crate) fn of_many_rounds() -> Scenario {
    let text = "mad.lo.u32 %n, %lane, 7, 14000;
AGAIN: and.b32 %z, %x, 1; setp.ne.u32 %p, %z, 0; @%p bra ODD; add.u32 %x, %x, %lane; bra BOTH; ODD: xor.b32 %x, %x, %n; BOTH: mad.lo.u32 %x, %x, 5, 1;
sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra AGAIN;";
    of_one_warp(0, text)
}
