//! Accesses and numbers that the quick way of a block takes on trust: where ranges end, registers that change between accesses, guards, calls, and
//! numbers that are kept once for all lanes. Out come scenarios.

use serde_json::json;
use warpgrid_launch::Scenario;

const HEAD: &str = ".reg .b64 %in, %out, %a, %b, %e, %o; .reg .pred %p, %q, %r; .reg .f32 %f<8>; .reg .b16 %h;
.reg .b32 %n, %s, %x, %y, %nx, %ny, %nt, %c, %t, %i, %k, %v, %w, %m, %z;
.shared .align 16 .b8 tile[1024];
ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %s, tile;
mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %nx, %ntid.x; mov.u32 %ny, %ntid.y; mul.lo.u32 %nt, %nx, %ny;
mov.u32 %c, %ctaid.x; mad.lo.u32 %t, %y, %nx, %x; mad.lo.u32 %i, %c, %nt, %t;
mul.wide.u32 %o, %i, 4; add.s64 %a, %in, %o; add.s64 %b, %out, %o; mov.u32 %v, 0; mov.u32 %k, 0;";

/// Cases that fault, each with the words of its buffer.
const FAULTS: [(&str, u32, &str); 6] = [
    (
        "a range that is smaller than a row, after a gang of which a part is there",
        2,
        "L: mad.lo.u32 %z, %k, 2, 2; setp.lt.u32 %p, %t, %z; @%p ld.global.u32 %v, [%a]; add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 2; @%q bra L;",
    ),
    (
        "stores to a range that is smaller than a row, after a gang of which a part is there",
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
];

/// Those that fault, with what they are: each is of one gang.
pub(crate) fn faults() -> impl Iterator<Item = (&'static str, Scenario)> {
    FAULTS
        .into_iter()
        .map(|(what, words, code)| (what, scenario(code, words, [4, 1, 1])))
}

fn scenario(code: &str, words: u32, block: [u32; 3]) -> Scenario {
    let source = format!(
        ".version 8.6\n.target sm_90\n.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{\n{HEAD}\n{code}\nst.global.u32 [%b], %v; ret; }}"
    );
    let buffer = |name: &str, len: u32, init: serde_json::Value| json!({"kind": "buffer", "name": name, "type": "u32", "len": len, "init": init});
    let scenario = json!({
        "source": source, "grid": [1, 1, 1], "block": block,
        "params": [
            buffer("in", words, json!("iota")),
            buffer("out", 4096, json!(0)),
            {"kind": "scalar", "name": "n", "type": "u32", "value": 5},
        ],
    });
    serde_json::from_value(scenario).expect("a scenario")
}
