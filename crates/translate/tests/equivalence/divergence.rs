//! Scenarios of kernels whose lanes leave loops after different numbers of iterations and wait for the other lanes for
//! more than a time slice.

use serde_json::json;
use warpgrid_launch::Scenario;

/// Number of combinations of the parts of a loop, one bit for each part: see [`loops`].
const N_KINDS: u32 = 1 << 6;

const FUNCTION: &str = ".func (.reg .b32 d) grown(.reg .b32 a)
{
    .reg .pred %p;
    mov.u32 d, a;
    setp.gt.u32 %p, a, 0x10000000;
    @%p ret;
    mad.lo.u32 d, a, 3, 1;
}";

/// Returns loops with all combinations of stores, predicated stores, branches, calls, exits and long bodies. Each
/// loop has a description.
pub(crate) fn loops() -> impl Iterator<Item = (String, Scenario)> {
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

/// Reconvergence points between two loops.
const RECONVERGENCE_POINTS: [&str; 4] = [
    "bar.sync 0;",
    "bar.warp.sync -1;",
    "shfl.sync.bfly.b32 %x, %x, 1, 31, -1; add.u32 %y, %y, %x;",
    "shfl.sync.idx.b32 %z, %y, 3, 31, -1; bar.sync 0; xor.b32 %x, %x, %z;",
];

/// Returns kernels with three loops that lanes leave after different numbers of iterations, and a reconvergence point
/// after each loop. The bodies of some loops contain a short divergent branch.
pub(crate) fn loops_with_reconvergence() -> impl Iterator<Item = (String, Scenario)> {
    let kinds = RECONVERGENCE_POINTS
        .iter()
        .flat_map(|point| (0..12).map(move |kind| (*point, kind)));
    kinds.map(|(point, kind)| {
        let branch = match kind % 3 {
            0 => "",
            1 => "@%odd bra SHORT#; mad.lo.u32 %x, %x, 3, 1; st.global.u32 [%p+4], %x; SHORT#:",
            _ => "@%odd bra FAR#; shr.u32 %x, %x, 1; bra END#; FAR#: add.u32 %x, %x, 7; xor.b32 %y, %y, %x; END#:",
        };
        let loops = (0..3).map(|index| {
            let text = format!(
                "mul.lo.u32 %n, %i, {}; and.b32 %n, %n, {}; add.u32 %n, %n, 1;
AGAIN#: and.b32 %z, %x, 1; setp.ne.u32 %odd, %z, 0; {branch} add.u32 %y, %y, %x; mad.lo.u32 %x, %x, 5, %n;
sub.u32 %n, %n, 1; setp.gt.u32 %more, %n, 0; @%more bra AGAIN#;
{point}\n",
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
        (format!("kind {kind}, then {point}"), scenario)
    })
}

/// Returns a kernel with these lines that runs with one warp.
fn of_one_warp(text: &str) -> Scenario {
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {{
.reg .b32 %t, %n, %x, %y, %z; .reg .pred %p, %more; .reg .b64 %out, %o;
mov.u32 %t, %tid.x; ld.param.b64 %out, [out]; mul.wide.u32 %o, %t, 4; add.s64 %out, %out, %o;
{text}
st.global.u32 [%out], %y; ret; }}"
    );
    let scenario = json!({
        "source": source, "grid": [1, 1, 1], "block": [32, 1, 1],
        "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": 32, "init": 0}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

/// Returns a kernel with a loop that starts with a warp-level operation. When some lanes leave the loop, their distance
/// to the exit equals the distance of the other lanes to the operation.
pub(crate) fn exit_during_warp_barrier() -> Scenario {
    of_one_warp(
        "mov.u32 %n, 6; AGAIN: bar.warp.sync -1; setp.lt.u32 %p, %t, 20; @%p bra OUT;
sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra AGAIN; OUT: mul.lo.u32 %x, %t, 3; add.u32 %y, %y, %x;",
    )
}

/// Returns kernels with a warp-level operation that does not wait for all lanes: some lanes have passed the operation,
/// a time slice may have ended before the operation, or the seed selects the group that executes the operation.
pub(crate) fn divergent_warp_operations() -> [(&'static str, Scenario); 3] {
    let passed = "setp.lt.u32 %p, %t, 16; @%p bra SOME; bra OUT; SOME: bar.warp.sync 0xffff; OUT:";
    let after_time_slice = format!(
        "mad.lo.u32 %n, %t, 5, 1; AGAIN: {} sub.u32 %n, %n, 1; setp.gt.s32 %more, %n, 0; @%more bra AGAIN; activemask.b32 %y;",
        "mad.lo.u32 %x, %x, 5, %t; ".repeat(69)
    );
    let drawn = Scenario {
        seed: Some(7),
        ..of_one_warp(
            "setp.lt.u32 %p, %t, 16; @%p bra SOME; add.u32 %x, %x, 1; SOME: activemask.b32 %y;",
        )
    };
    [
        ("passed", of_one_warp(passed)),
        ("after a time slice", of_one_warp(&after_time_slice)),
        ("selected by the seed", drawn),
    ]
}
