//! Accesses and values on which the fast path of a block makes assumptions: ends of ranges, registers that change
//! between accesses, guards, calls, and uniform registers. Output: scenarios.

use serde_json::json;
use warpgrid_launch::Scenario;

const HEAD: &str = ".reg .b64 %in, %out, %a, %b, %e, %o; .reg .pred %p, %q, %r; .reg .f32 %f<8>; .reg .b16 %h;
.reg .b32 %n, %s, %x, %y, %nx, %ny, %nt, %c, %t, %i, %k, %v, %w, %m, %z;
.shared .align 16 .b8 tile[1024];
ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %s, tile;
mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %nx, %ntid.x; mov.u32 %ny, %ntid.y; mul.lo.u32 %nt, %nx, %ny;
mov.u32 %c, %ctaid.x; mad.lo.u32 %t, %y, %nx, %x; mad.lo.u32 %i, %c, %nt, %t;
mul.wide.u32 %o, %i, 4; add.s64 %a, %in, %o; add.s64 %b, %out, %o; mov.u32 %v, 0; mov.u32 %k, 0;";

/// Cases that fault, each with the number of words of its buffer.
const FAULTS: [(&str, u32, &str); 10] = [
    (
        "a range that is smaller than a row, after a subwarp of which a part is there",
        2,
        "L: mad.lo.u32 %z, %k, 2, 2; setp.lt.u32 %p, %t, %z; @%p ld.global.u32 %v, [%a]; add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 2; @%q bra L;",
    ),
    (
        "stores to a range that is smaller than a row, after a subwarp of which a part is there",
        3,
        "L: add.u32 %z, %k, 3; setp.lt.u32 %p, %t, %z; @%p st.global.u32 [%a], %k; add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 2; @%q bra L;",
    ),
    (
        "bytes of a range that is smaller than what shares a look",
        8,
        "cvt.u64.u32 %o, %t; add.s64 %e, %in, %o; ld.global.u8 %v, [%e]; ld.global.u8 %w, [%e+48];",
    ),
    (
        "a row at an address where no range lies",
        64,
        "add.s64 %e, %o, 0x8000000000000000; ld.global.u32 %v, [%e];",
    ),
    (
        "a row that is stored where no range lies",
        64,
        "add.s64 %e, %o, 0x8000000000000000; st.global.u32 [%e], %t;",
    ),
    (
        "a row that is stored where no range lies, by an address of which nothing is known",
        64,
        "ld.global.u32 %w, [%a]; and.b32 %w, %w, 3; mul.wide.u32 %o, %w, 4; add.s64 %e, %o, 0x8000000000000000; st.global.u32 [%e], %t;",
    ),
    (
        "places after each other by no rule, of which the last is beyond the range",
        6,
        "L: add.u32 %z, %t, %k; mul.lo.u32 %z, %z, %z; and.b32 %z, %z, 7; mul.wide.u32 %o, %z, 4; add.s64 %e, %in, %o; ld.global.u32 %w, [%e]; add.u32 %v, %v, %w;
add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 9; @%q bra L; ld.global.u32 %w, [%e+24];",
    ),
    (
        "places within words by no rule",
        64,
        "L: add.u32 %z, %t, %k; mul.lo.u32 %z, %z, %z; mul.wide.u32 %o, %z, 2; add.s64 %e, %in, %o; ld.global.u32 %w, [%e]; add.u32 %k, %k, 2; setp.lt.u32 %q, %k, 4; @%q bra L;",
    ),
    (
        "places before a range by no rule",
        64,
        "mul.lo.u32 %z, %t, %t; mul.wide.u32 %o, %z, 4; sub.s64 %e, %in, %o; ld.global.u32 %w, [%e+16]; ld.global.u32 %w, [%e];",
    ),
    (
        "places beyond shared memory by no rule",
        64,
        "mul.lo.u32 %z, %t, %t; shl.b32 %z, %z, 2; add.u32 %z, %z, %s; ld.shared.u32 %w, [%z]; ld.shared.u32 %w, [%z+1008];",
    ),
];

/// Cases that are compiled.
const CASES: [(&str, &str); 19] = [
    (
        "floats that are one number all the time",
        "mov.f32 %f1, 0f7f800000; mov.f32 %f2, 0f40490fdb; ld.global.f32 %f0, [%a]; sub.f32 %f3, %f1, %f1; mov.b32 %v, %f3;
fma.rn.f32 %f4, %f0, %f2, %f2; mov.b32 %w, %f4; add.u32 %v, %v, %w; div.rn.f32 %f5, %f2, %f0; max.f32 %f5, %f5, %f3; mov.b32 %w, %f5; xor.b32 %v, %v, %w;
cvt.rn.f16x2.f32 %w, %f2, %f1; add.u32 %v, %v, %w;",
    ),
    (
        "a base that goes on between accesses",
        "L: ld.global.u32 %w, [%a]; add.u32 %v, %v, %w; add.s64 %a, %a, 8; ld.global.u32 %w, [%a]; mad.lo.u32 %v, %v, 3, %w; add.s64 %a, %a, -4;
ld.global.u32 %w, [%a+8]; xor.b32 %v, %v, %w; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "a base that goes on where a guard of all lanes lets it",
        "setp.lt.u32 %q, %c, 1; L: ld.global.u32 %w, [%a]; add.u32 %v, %v, %w; @%q add.s64 %a, %a, 8; ld.global.u32 %w, [%a]; mad.lo.u32 %v, %v, 3, %w;
@!%q add.s64 %a, %a, 4; ld.global.u32 %w, [%a+4]; add.u32 %v, %v, %w; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "a base that is loaded by itself",
        "mul.wide.u32 %o, %x, 8; add.s64 %e, %in, %o; ld.global.u64 %e, [%e]; cvt.u32.u64 %v, %e; mov.u64 %e, %in; ld.global.u64 %e, [%e+8]; cvt.u32.u64 %w, %e;
add.u32 %v, %v, %w; and.b64 %e, %e, 252; add.s64 %e, %in, %e; ld.global.u32 %w, [%e]; ld.global.u32 %m, [%e+4]; mad.lo.u32 %v, %v, %w, %m;",
    ),
    (
        "functions in place by several bases",
        "call (%v), f, (%a, 3); ld.global.u32 %w, [%a]; add.s64 %a, %a, 16; call (%m), f, (%a, %i); mad.lo.u32 %v, %v, %w, %m;
setp.lt.u32 %p, %c, 1; @%p call (%m), f, (%in, 7); add.u32 %v, %v, %m;",
    ),
    (
        "lanes that fall, in steps that rise",
        "sub.u32 %w, 500, %i; mul.wide.u32 %o, %w, 4; add.s64 %a, %in, %o; L: ld.global.u32 %w, [%a]; ld.global.u32 %m, [%a+-4]; add.u32 %v, %v, %w; xor.b32 %v, %v, %m;
add.s64 %a, %a, 12; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "stores that are apart, and parts of what was stored",
        "mul.wide.u32 %o, %i, 8; add.s64 %e, %out, %o; L: st.global.u32 [%e], %k; ld.global.u32 %w, [%e]; add.u32 %v, %v, %w; st.global.u16 [%e+6], %v;
ld.global.u16 %w, [%e+6]; add.u32 %v, %v, %w; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L; add.s64 %b, %e, 4;",
    ),
    (
        "lanes that exit between the rounds of a loop",
        "L: ld.global.u32 %w, [%a]; add.u32 %v, %v, %w; st.global.u32 [%b], %v; setp.gt.u32 %q, %v, 400; @%q exit;
add.s64 %a, %a, 128; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "guards that all lanes share",
        "setp.ge.u32 %q, %c, 1; L: @!%q ld.global.u32 %w, [%a]; @%q ld.global.u32 %w, [%a+4]; add.u32 %v, %v, %w; @!%q st.global.u32 [%b], %v; setp.lt.u32 %r, %k, 2;
@!%r add.u32 %v, %v, 100; add.u32 %k, %k, 1; setp.lt.and.u32 %p, %k, %n, !%q; @%p bra L; selp.u32 %w, 1, 2, %q; add.u32 %v, %v, %w;",
    ),
    (
        "sums of all threads between accesses",
        "L: ld.global.u32 %w, [%a]; red.global.add.u32 [%out+12288], %w; ld.global.u32 %m, [%a+8]; add.u32 %v, %v, %m; add.s64 %a, %a, 64; st.global.u32 [%b], %v;
add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "two ranges by turns",
        "mov.u64 %e, %a; L: ld.global.u32 %w, [%e]; add.u32 %v, %v, %w; st.global.u32 [%b], %v; setp.eq.u64 %q, %e, %a; selp.b64 %e, %b, %a, %q;
add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "generic addresses of two kinds",
        "shl.b32 %z, %t, 2; add.u32 %z, %s, %z; cvt.u64.u32 %e, %z; cvta.shared.u64 %e, %e; st.u32 [%e], %t; bar.sync 0; L: ld.u32 %w, [%e]; ld.u32 %m, [%a];
add.u32 %v, %v, %w; add.u32 %v, %v, %m; st.u32 [%e], %v; add.s64 %a, %a, 4; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L; bar.sync 0;",
    ),
    (
        "NaNs that are read by all kinds of instructions",
        "L: ld.global.f32 %f0, [%a]; add.f32 %f1, %f0, 0f7f800000; sub.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f0; neg.f32 %f4, %f3; abs.f32 %f5, %f4; setp.eq.f32 %q, %f3, %f3;
selp.f32 %f6, %f4, %f5, %q; mov.b32 %w, %f6; add.u32 %v, %v, %w; mov.b32 %w, %f4; xor.b32 %v, %v, %w; max.f32 %f4, %f3, %f0; mov.b32 %w, %f4; add.u32 %v, %v, %w;
st.global.f32 [%b+8192], %f3; mul.f32 %f7, %f3, %f2; fma.rn.f32 %f7, %f7, %f3, %f2; cvt.rzi.s32.f32 %w, %f7; add.u32 %v, %v, %w; cvt.rn.f16.f32 %h, %f7; cvt.u32.u16 %w, %h;
add.u32 %v, %v, %w; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "lanes that join after a loop",
        "and.b32 %z, %t, 3; add.u32 %z, %z, 1; L: ld.global.u32 %w, [%a]; add.u32 %v, %v, %w; st.global.u32 [%b], %v; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %z; @%p bra L;
bar.sync 0; ld.global.u32 %w, [%a+4]; add.u32 %v, %v, %w; mul.wide.u32 %o, %k, 4; add.s64 %e, %in, %o; ld.global.u32 %w, [%e]; add.u32 %v, %v, %w;",
    ),
    (
        "subwarps without their first lane",
        "and.b32 %z, %t, 3; setp.eq.u32 %p, %z, 0; @%p bra X; mul.lo.u32 %m, %c, 9; add.u32 %w, %x, %m; shl.b32 %w, %w, 2; cvt.u64.u32 %o, %w; add.s64 %e, %in, %o;
ld.global.u32 %v, [%e]; ld.global.u32 %w, [%a+4]; add.u32 %v, %v, %w; add.u32 %v, %v, %m; L: add.u32 %v, %v, %k; add.u32 %k, %k, 1; setp.lt.u32 %q, %k, %z; @%q bra L;
X: add.u32 %v, %v, %c;",
    ),
    (
        "lanes at any places",
        "L: ld.global.u32 %w, [%a]; mad.lo.u32 %w, %w, 37, %v; and.b32 %w, %w, 1023; mul.wide.u32 %o, %w, 4; add.s64 %e, %in, %o; ld.global.u32 %m, [%e]; add.u32 %v, %v, %m;
ld.global.s8 %m, [%e+5]; xor.b32 %v, %v, %m; ld.global.u16 %m, [%e+2]; add.u32 %v, %v, %m; and.b64 %o, %o, 0xff0; add.s64 %e, %in, %o; ld.global.v2.u32 {%m, %w}, [%e]; mad.lo.u32 %v, %v, %m, %w;
ld.global.v4.u32 {%m, %w, %y, %z}, [%e+16]; add.u32 %v, %v, %m; xor.b32 %v, %v, %z; ld.global.u64 %o, [%e+8]; cvt.u32.u64 %m, %o; add.u32 %v, %v, %m;
add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
    (
        "lanes at any places of shared memory",
        "shl.b32 %z, %t, 2; add.u32 %z, %s, %z; mad.lo.u32 %w, %t, 77, %c; st.shared.u32 [%z], %w; bar.sync 0; mov.u32 %v, %i;
L: and.b32 %w, %v, 15; shl.b32 %w, %w, 2; add.u32 %w, %w, %s; ld.shared.u32 %m, [%w]; mad.lo.u32 %v, %v, 13, %m; ld.shared.u8 %m, [%w+3]; add.u32 %v, %v, %m;
ld.shared.s16 %m, [%w+6]; xor.b32 %v, %v, %m; and.b32 %w, %v, 3; shl.b32 %w, %w, 4; add.u32 %w, %w, %s; ld.shared.v4.u32 {%m, %y, %z, %x}, [%w]; mad.lo.u32 %v, %v, %z, %x;
ld.shared.u64 %o, [%w+8]; cvt.u32.u64 %m, %o; add.u32 %v, %v, %m; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L; bar.sync 0;",
    ),
    (
        "lanes at any places, of which some take no part and mean nothing",
        "shl.b32 %z, %t, 2; add.u32 %z, %s, %z; st.shared.u32 [%z], %t; bar.sync 0; L: mad.lo.u32 %w, %t, 37, %v; and.b32 %w, %w, 4095; setp.lt.u32 %q, %w, 2048; setp.lt.u32 %r, %w, 2048;
mul.wide.u32 %o, %w, 4; add.s64 %e, %in, %o; @!%q add.s64 %e, %e, 0x7000000000000001; mov.u32 %m, 3; @%q ld.global.u32 %m, [%e]; add.u32 %v, %v, %m;
and.b32 %w, %v, 31; setp.lt.u32 %q, %w, 20; shl.b32 %z, %w, 2; add.u32 %z, %z, %s; @!%q add.u32 %z, %z, 0x70000001; @%q ld.shared.u32 %m, [%z]; mad.lo.u32 %v, %v, 3, %m;
add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L; bar.sync 0;",
    ),
    (
        "words that all lanes load, side by side, between rows",
        "mul.wide.u32 %o, %c, 64; add.s64 %e, %in, %o; mov.f32 %f7, 0f3f800000; L: ld.global.f32 %f0, [%e]; ld.global.f32 %f1, [%a]; fma.rn.f32 %f7, %f0, %f1, %f7; ld.global.f32 %f0, [%e+4]; ld.global.f32 %f1, [%a+256];
fma.rn.f32 %f7, %f0, %f1, %f7; ld.global.f32 %f0, [%e+8]; ld.global.f32 %f2, [%a+512]; fma.rn.f32 %f7, %f0, %f2, %f7; ld.global.f32 %f0, [%e+12]; ld.global.f32 %f3, [%a+768]; fma.rn.f32 %f7, %f0, %f3, %f7;
ld.global.f32 %f4, [%e+24]; fma.rn.f32 %f7, %f4, %f1, %f7; ld.global.f32 %f5, [%e+20]; fma.rn.f32 %f7, %f5, %f2, %f7; ld.global.f32 %f6, [%a+12]; fma.rn.f32 %f7, %f6, %f4, %f7; ld.global.f32 %f6, [%e+28]; add.f32 %f7, %f7, %f6;
mov.b32 %w, %f7; xor.b32 %v, %v, %w; add.s64 %e, %e, 4; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra L;",
    ),
];

const FUNCTION: &str = ".func (.reg .b32 d) f(.reg .b64 p, .reg .b32 k) {
.reg .b32 %x, %y; .reg .b64 %q; ld.global.u32 %x, [p]; ld.global.u32 %y, [p+8]; add.u32 d, %x, %y; add.s64 %q, p, 4; ld.global.u32 %y, [%q]; mad.lo.u32 d, d, k, %y; ret; }";

/// Returns the compiled cases with their descriptions: with blocks whose rows are multiples of subwarps, whose rows
/// are not, and with a single row of arbitrary length.
pub(crate) fn scenarios() -> impl Iterator<Item = (String, Scenario)> {
    let of = |(what, code): (&'static str, &'static str)| {
        [[64, 1, 1], [8, 8, 1], [6, 7, 1], [37, 1, 1]].map(|block| {
            (
                format!("{what}, blocks of {block:?}"),
                scenario(code, 2048, block),
            )
        })
    };
    CASES.into_iter().flat_map(of)
}

/// Returns the faulting cases with their descriptions, each with one subwarp.
pub(crate) fn faults() -> impl Iterator<Item = (&'static str, Scenario)> {
    FAULTS
        .into_iter()
        .map(|(what, words, code)| (what, scenario(code, words, [4, 1, 1])))
}

fn scenario(code: &str, words: u32, block: [u32; 3]) -> Scenario {
    let source = format!(
        ".version 8.6\n.target sm_90\n.address_size 64
{FUNCTION}
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{\n{HEAD}\n{code}\nst.global.u32 [%b], %v; ret; }}"
    );
    let buffer = |name: &str, len: u32, init: serde_json::Value| json!({"kind": "buffer", "name": name, "type": "u32", "len": len, "init": init});
    let scenario = json!({
        "source": source, "grid": [2, 1, 1], "block": block,
        "params": [
            buffer("in", words, json!("iota")),
            buffer("out", 4096, json!(0)),
            {"kind": "scalar", "name": "n", "type": "u32", "value": 5},
        ],
    });
    serde_json::from_value(scenario).expect("a scenario")
}
