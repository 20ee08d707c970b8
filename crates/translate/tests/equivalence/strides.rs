//! Addresses with a constant distance between lanes, and addresses that only appear to have one: lanes with different
//! iteration counts, lanes that skipped code, and values that wrap.

use super::random::Random;
use serde_json::json;
use std::fmt::Write;
use warpgrid_launch::Scenario;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
.shared .align 16 .b8 tile[4096];
.reg .b64 %in, %out, %a, %b, %o; .reg .b32 %t, %y, %x, %i, %n, %s, %k, %v, %w, %m; .reg .pred %p, %q;
ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
mov.u32 %t, %tid.x; mov.u32 %y, %tid.y; mov.u32 %m, %ntid.x; mad.lo.u32 %t, %y, %m, %t;
mov.u32 %m, %ntid.y; mov.u32 %x, %ntid.x; mul.lo.u32 %m, %m, %x; mov.u32 %x, %ctaid.x; mad.lo.u32 %i, %x, %m, %t;
mov.u32 %s, tile; mul.wide.u32 %o, %i, 4; add.s64 %a, %in, %o; add.s64 %b, %out, %o; mov.u32 %v, 0; mov.u32 %k, 0;
";
const END: &str = "st.global.u32 [%b], %v; ret; }";

/// Cases: description and code.
const CASES: [(&str, &str); 15] = [
    (
        "a pointer that walks through rows",
        "L: ld.global.u32 %w, [%a]; add.u32 %v, %v, %w; add.s64 %a, %a, 256; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "a pointer of which some lanes are rounds ahead, after a barrier",
        "and.b32 %w, %t, 3; add.u32 %w, %w, 1;
L: add.s64 %a, %a, 4; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %w; @%p bra L;
bar.sync 0; ld.global.u32 %v, [%a];",
    ),
    (
        "a counter of which some lanes are rounds ahead, after a barrier",
        "and.b32 %w, %t, 3; add.u32 %w, %w, 1;
L: add.u32 %k, %k, 4; setp.lt.u32 %p, %k, %w; @%p bra L;
bar.sync 0; cvt.u64.u32 %o, %k; add.s64 %a, %in, %o; ld.global.u32 %v, [%a];",
    ),
    (
        "lanes that leave something out",
        "and.b32 %w, %t, 1; setp.eq.u32 %p, %w, 1; @%p bra ON; add.s64 %a, %a, 64;
ON: bar.sync 0; ld.global.u32 %v, [%a];",
    ),
    (
        "lanes that leave out the only place that writes a number",
        "and.b32 %w, %t, 1; setp.eq.u32 %p, %w, 1; @%p bra ON; mov.u32 %m, 64; mov.u32 %k, 128;
ON: bar.sync 0; cvt.u64.u32 %o, %k; add.s64 %a, %in, %o; ld.global.u32 %v, [%a];",
    ),
    (
        "guards that hold for some lanes",
        "and.b32 %w, %t, 2; setp.eq.u32 %p, %w, 2; @%p add.s64 %a, %a, 32; ld.global.u32 %v, [%a];
selp.u32 %k, 16, 0, %p; cvt.u64.u32 %o, %k; add.s64 %o, %in, %o; ld.global.u32 %w, [%o]; add.u32 %v, %v, %w;",
    ),
    (
        "lanes that end early",
        "setp.ge.u32 %p, %i, 93; @%p bra DONE;
L: ld.global.u32 %w, [%a]; add.u32 %v, %v, %w; add.s64 %a, %a, 128; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;
st.global.u32 [%b], %v; DONE: ret;",
    ),
    (
        "numbers that wrap",
        "shl.b32 %w, %t, 30; add.u32 %w, %w, 0x40000000; shr.u32 %k, %w, 24; mul.wide.u32 %o, %w, 4; shr.u64 %o, %o, 24; add.s64 %a, %in, %o; ld.global.u32 %v, [%a];
mul.lo.u32 %w, %t, 0x40000001; cvt.u64.u32 %o, %w; and.b64 %o, %o, 1020; add.s64 %a, %in, %o; ld.global.u32 %w, [%a]; add.u32 %v, %v, %w;",
    ),
    (
        "lanes in falling order",
        "not.b32 %w, %t; and.b32 %w, %w, 63; shl.b32 %w, %w, 2; cvt.u64.u32 %o, %w; add.s64 %a, %in, %o; ld.global.u32 %v, [%a];
sub.u32 %w, 127, %t; mul.wide.u32 %o, %w, 4; add.s64 %a, %in, %o; ld.global.u32 %w, [%a]; xor.b32 %v, %v, %w;",
    ),
    (
        "what all lanes load from one place leads them on",
        "ld.global.u32 %w, [%in]; and.b32 %w, %w, 127; mad.lo.u32 %w, %w, 4, %s; setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [%s], %x; bar.sync 0;
ld.shared.u32 %k, [%w]; ld.global.u32 %w, [%in+8]; and.b32 %w, %w, 252; cvt.u64.u32 %o, %w; add.s64 %a, %a, %o; ld.global.u32 %v, [%a]; add.u32 %v, %v, %k;",
    ),
    (
        "rows of shared memory",
        "shl.b32 %w, %t, 2; add.u32 %w, %w, %s; st.shared.u32 [%w], %t; bar.sync 0;
L: ld.shared.u32 %m, [%w]; add.u32 %v, %v, %m; add.u32 %m, %k, %s; ld.shared.u32 %m, [%m]; xor.b32 %v, %v, %m; add.u32 %k, %k, 4; setp.lt.u32 %p, %k, 64; @%p bra L;",
    ),
    (
        "a choice of all lanes",
        "setp.gt.u32 %p, %n, 3; selp.b64 %a, %in, %a, %p; ld.global.u32 %v, [%a]; setp.lt.u32 %q, %t, 5; selp.b64 %a, %in, %b, %q; @%q ld.global.u32 %w, [%a]; @%q add.u32 %v, %v, %w;",
    ),
    (
        "rows and columns of threads by shifts and masks",
        "mov.u32 %w, %tid.x; shr.u32 %k, %w, 3; and.b32 %m, %w, 7; mad.lo.u32 %m, %k, 16, %m; shl.b32 %m, %m, 2; cvt.u64.u32 %o, %m; add.s64 %o, %in, %o; ld.global.u32 %v, [%o];
and.b32 %m, %w, 28; or.b32 %m, %m, 64; mul.wide.u32 %o, %m, 4; add.s64 %o, %in, %o; ld.global.u32 %m, [%o]; add.u32 %v, %v, %m; xor.b32 %m, %w, 32; mul.wide.s32 %o, %m, 4; add.s64 %o, %in, %o;
ld.global.u32 %m, [%o]; xor.b32 %v, %v, %m; mov.u32 %w, %laneid; and.b32 %w, %w, 15; mad.lo.u32 %w, %w, 4, %s; st.shared.u32 [%w+256], %s; bar.sync 0; ld.shared.u32 %m, [%w+256]; add.u32 %v, %v, %m;",
    ),
    (
        "branches by bits that a subwarp has in common",
        "mov.u32 %w, %tid.x; and.b32 %w, %w, 4; setp.eq.u32 %p, %w, 0; @%p bra ON; add.u32 %v, %v, 3; ld.global.u32 %w, [%a]; add.u32 %v, %v, %w; ON: mov.u32 %w, %tid.x; shr.u32 %w, %w, 2;
setp.gt.u32 %q, %w, 3; @%q bra OFF; ld.global.u32 %w, [%a+4]; xor.b32 %v, %v, %w; OFF: add.u32 %v, %v, 1;",
    ),
    (
        "addresses that are not aligned for a row",
        "mul.wide.u32 %o, %t, 4; add.s64 %a, %in, %o; and.b32 %w, %x, 1; cvt.u64.u32 %o, %w; shl.b64 %o, %o, 1; add.s64 %a, %a, %o; ld.global.u16 %v, [%a+2];",
    ),
];

/// Returns the scenarios: each case with blocks whose rows are multiples of subwarps, whose rows are not, and with
/// a single row of arbitrary length.
pub(crate) fn scenarios() -> Vec<(String, Scenario)> {
    let words: Vec<u32> = (0..2048u32)
        .map(|at| at.wrapping_mul(0x9e37_79b9))
        .collect();
    let buffer = |name: &str, init: serde_json::Value| json!({"kind": "buffer", "name": name, "type": "u32", "len": 2048, "init": init});
    let blocks = [[64, 1, 1], [8, 8, 1], [6, 7, 1], [37, 1, 1]];
    let all = CASES
        .iter()
        .flat_map(|case| blocks.map(|block| (case, block)));
    all.map(|((what, code), block)| {
        let scenario = json!({
            "source": format!("{HEAD}{code}\n{END}"), "grid": [2, 1, 1], "block": block,
            "params": [buffer("in", json!(words)), buffer("out", json!(0)), {"kind": "scalar", "name": "n", "type": "u32", "value": 5}],
        });
        let scenario = serde_json::from_value(scenario).expect("a scenario");
        (format!("{what}, blocks of {block:?}"), scenario)
    })
    .collect()
}

/// Returns random arithmetic and logic of coordinates and constants, each result in a separate register: an analysis
/// error produces a wrong value in some lane.
pub(crate) fn generated(seed: u64) -> Scenario {
    const NUMBERS: [i32; 14] = [1, 2, 3, 4, 5, 7, 8, 12, 15, 31, 0x40, 0xfffc, -1, -4];
    let mut random = Random(seed ^ 0x0057_21de);
    let mut below = |n: usize| (random.next() % n as u64) as usize;
    let mut text = String::new();
    let (mut narrow, mut wide) = (7, 4);
    for _ in 0..24 {
        let (a, b) = (below(narrow), below(narrow));
        let x = below(wide);
        let (number, amount) = (NUMBERS[below(NUMBERS.len())], below(7));
        let logic = ["and", "or", "xor"][below(3)];
        let sign = ["u", "s"][below(2)];
        let (d, w) = (narrow, wide);
        let (line, is_wide) = match below(14) {
            0 => (format!("add.u32 %r{d}, %r{a}, %r{b};"), false),
            1 => (format!("sub.u32 %r{d}, %r{a}, %r{b};"), false),
            2 | 3 => (format!("mul.lo.u32 %r{d}, %r{a}, {number};"), false),
            4 => (format!("mad.lo.u32 %r{d}, %r{a}, {number}, %r{b};"), false),
            5 => (format!("shl.b32 %r{d}, %r{a}, {amount};"), false),
            6 => (format!("shr.{sign}32 %r{d}, %r{a}, {amount};"), false),
            7 | 8 => (format!("{logic}.b32 %r{d}, %r{a}, {number};"), false),
            9 => (format!("{logic}.b32 %r{d}, %r{a}, %r{b};"), false),
            10 => (format!("cvt.u32.u64 %r{d}, %w{x};"), false),
            11 => (format!("cvt.{sign}64.{sign}32 %w{w}, %r{a};"), true),
            12 => (format!("mul.wide.{sign}32 %w{w}, %r{a}, {number};"), true),
            _ => (
                match below(2) {
                    0 => format!("shr.{sign}64 %w{w}, %w{x}, {amount};"),
                    _ => format!("{logic}.b64 %w{w}, %w{x}, {number};"),
                },
                true,
            ),
        };
        let _ = writeln!(text, "{line}");
        match is_wide {
            true => wide += 1,
            false => narrow += 1,
        }
    }
    let mut mix = String::new();
    for register in 0..narrow {
        let _ = writeln!(mix, "mad.lo.u32 %v, %v, 31, %r{register};");
    }
    for register in 0..wide {
        let _ = writeln!(
            mix,
            "cvt.u32.u64 %m, %w{register}; mad.lo.u32 %v, %v, 31, %m; shr.u64 %o, %w{register}, 32; cvt.u32.u64 %m, %o; mad.lo.u32 %v, %v, 31, %m;"
        );
    }
    let block = [[64, 1, 1], [8, 8, 1], [6, 7, 1], [37, 1, 1]][below(4)];
    let scenario = json!({
        "source": format!(
            "{HEAD}.reg .b32 %r<32>; .reg .b64 %w<32>; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %laneid; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %n; mov.u32 %r5, 12; mov.u32 %r6, %t;
    mov.b64 %w0, %in; cvt.u64.u32 %w1, %t; mov.b64 %w2, 64; mul.wide.u32 %w3, %i, 8;\n{text}{mix}{END}"
        ),
        "grid": [2, 1, 1], "block": block,
        "params": [
            {"kind": "buffer", "name": "in", "type": "u32", "len": 64, "init": 0},
            {"kind": "buffer", "name": "out", "type": "u32", "len": 2048, "init": 0},
            {"kind": "scalar", "name": "n", "type": "u32", "value": 5},
        ],
    });
    serde_json::from_value(scenario).expect("a scenario")
}
