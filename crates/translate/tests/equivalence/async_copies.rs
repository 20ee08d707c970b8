//! Copies in flight from global to shared memory: kernels with correct waits, and kernels whose result depends on the
//! completion time of a copy.

use serde_json::json;
use warpgrid_launch::Scenario;

/// Expected treatment of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Becomes {
    Translated,
    /// Bailout because of unsynchronized accesses to one location.
    Conflict,
    /// Bailout for another reason.
    Other,
}

use Becomes::{Conflict, Other, Translated};

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
.shared .align 16 .b8 tile[32768];
.reg .b64 %in, %out, %from, %to, %o; .reg .b32 %t, %s, %d, %v, %w, %x, %n, %i, %k; .reg .b32 %q<4>; .reg .pred %p, %z; .reg .f32 %f<4>;
ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
mov.u32 %t, %tid.x; mov.u32 %x, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %i, %x, %n, %t;
mov.u32 %s, tile; shl.b32 %d, %t, 4; add.u32 %d, %s, %d;
mul.wide.u32 %o, %i, 16; add.s64 %from, %in, %o; add.s64 %to, %out, %o;
";

/// Loads the four words of a lane, and stores them.
const TAKE: &str =
    "ld.shared.v4.b32 {%q0, %q1, %q2, %q3}, [%d]; st.global.v4.b32 [%to], {%q0, %q1, %q2, %q3};\n";

/// Computes the address of the words of the thread half a block away.
const OTHER: &str = "xor.b32 %v, %t, 32; shl.b32 %d, %v, 4; add.u32 %d, %s, %d;\n";

/// Returns the cases: description, code, and expected treatment.
fn cases() -> Vec<(&'static str, String, Becomes)> {
    let copy = "cp.async.ca.shared.global [%d], [%from], 16;\n";
    let commit = "cp.async.commit_group;\n";
    let wait = "cp.async.wait_group 0;\n";
    let barrier = "bar.sync 0;\n";
    let add = |parts: &[&str]| parts.concat();
    vec![
        (
            "a separate copy",
            add(&[copy, commit, wait, TAKE]),
            Translated,
        ),
        (
            "all that was started",
            add(&[copy, "cp.async.wait_all;\n", TAKE]),
            Translated,
        ),
        (
            "a barrier after the wait",
            add(&[copy, commit, wait, barrier, OTHER, TAKE]),
            Translated,
        ),
        (
            "a copy that is never waited for",
            add(&[copy, commit, "st.global.u32 [%to], %t;\n"]),
            Translated,
        ),
        (
            "a copy that was never made a group, and is not waited for",
            add(&[copy, commit, wait, TAKE, barrier, copy]),
            Translated,
        ),
        ("no wait", add(&[copy, commit, TAKE]), Conflict),
        (
            "a barrier without a wait",
            add(&[copy, commit, barrier, TAKE]),
            Conflict,
        ),
        (
            "a wait for too few groups",
            add(&[copy, commit, "cp.async.wait_group 1;\n", barrier, TAKE]),
            Conflict,
        ),
        (
            "another warp's bytes without a barrier",
            add(&[copy, commit, wait, OTHER, TAKE]),
            Conflict,
        ),
        (
            "another warp's bytes in a later phase",
            add(&[barrier, copy, commit, wait, barrier, barrier, OTHER, TAKE]),
            Translated,
        ),
        (
            "a store where a copy lands",
            add(&[copy, commit, "st.shared.u32 [%d], %t;\n", wait, TAKE]),
            Conflict,
        ),
        (
            "a copy where a copy lands",
            add(&[copy, copy, commit, wait, TAKE]),
            Conflict,
        ),
        (
            "a wait for groups that are never made",
            add(&[copy, wait, TAKE]),
            Other,
        ),
        (
            "sizes of 4, 8 and 16 bytes",
            add(&[
                "cp.async.ca.shared.global [%d], [%from], 4;\ncp.async.ca.shared.global [%d+8], [%from+8], 8;\n",
                "add.u32 %v, %d, 2048; cp.async.cg.shared.global [%v], [%from], 16;\n",
                commit,
                wait,
                TAKE,
                "ld.shared.v4.b32 {%q0, %q1, %q2, %q3}, [%v]; st.global.v4.b32 [%to+16384], {%q0, %q1, %q2, %q3};\n",
            ]),
            Translated,
        ),
        (
            "zeros after what is read",
            add(&[
                "and.b32 %w, %t, 31;\ncp.async.ca.shared.global [%d], [%from], 16, %w;\n",
                commit,
                wait,
                TAKE,
            ]),
            Translated,
        ),
        (
            "lanes that read nothing",
            add(&[
                "and.b32 %w, %t, 3; setp.eq.u32 %z, %w, 1;\ncp.async.ca.shared.global [%d], [%from], 16, %z;\n",
                commit,
                wait,
                TAKE,
            ]),
            Translated,
        ),
        (
            "an address that lanes do not read from",
            add(&[
                "setp.ge.u32 %z, %t, 16; selp.b32 %w, 0, 16, %z; @%z mov.b64 %from, 4;\ncp.async.ca.shared.global [%d], [%from], 16, %w;\n",
                commit,
                wait,
                TAKE,
            ]),
            Translated,
        ),
        (
            "a guarded copy",
            add(&[
                "and.b32 %w, %t, 5; setp.ne.u32 %p, %w, 0;\n@%p ",
                copy,
                commit,
                wait,
                TAKE,
            ]),
            Translated,
        ),
        (
            "a guarded copy of no lane of some warps",
            add(&["setp.lt.u32 %p, %t, 32;\n@%p ", copy, commit, wait, TAKE]),
            Translated,
        ),
        (
            "lanes that part",
            add(&[
                "and.b32 %w, %t, 1; setp.ne.u32 %p, %w, 0; @%p bra ODD;\n",
                copy,
                "bra ON;\nODD: xor.b32 %v, %t, 2; mul.wide.u32 %o, %v, 16; add.s64 %o, %in, %o;\ncp.async.ca.shared.global [%d], [%o], 16;\nON:\n",
                commit,
                wait,
                barrier,
                TAKE,
            ]),
            Translated,
        ),
        (
            "a group of lanes that part and come to it apart, since some were beyond it",
            add(&[
                "mov.u32 %k, 0; setp.lt.u32 %p, %t, 7; @%p bra LATER;\nBACK:\n",
                copy,
                commit,
                "setp.eq.u32 %z, %k, 1; @%z bra ON;\nbra ON;\nLATER: mov.u32 %k, 1; bra BACK;\nON:\n",
                wait,
                barrier,
                TAKE,
            ]),
            Other,
        ),
        (
            "a group that lanes make apart",
            add(&[
                "setp.lt.u32 %p, %t, 7; @%p bra ON;\n",
                copy,
                commit,
                "ON:\n",
                wait,
                barrier,
                TAKE,
            ]),
            Other,
        ),
        (
            "a source that is written after the wait",
            add(&[copy, commit, wait, "st.global.u32 [%from], %t;\n", TAKE]),
            Translated,
        ),
        (
            "a source that is written before the wait",
            add(&[copy, commit, "st.global.u32 [%from], %t;\n", wait, TAKE]),
            Conflict,
        ),
        (
            "a source that another warp writes before the wait, a barrier in between",
            add(&[
                copy,
                commit,
                barrier,
                "xor.b32 %v, %i, 32; mul.wide.u32 %o, %v, 16; add.s64 %o, %in, %o; st.global.u32 [%o], %t;\n",
                barrier,
                wait,
                TAKE,
            ]),
            Conflict,
        ),
        (
            "a source that another warp writes in the phase of the wait",
            add(&[
                copy,
                commit,
                barrier,
                wait,
                "xor.b32 %v, %i, 32; mul.wide.u32 %o, %v, 16; add.s64 %o, %in, %o; st.global.u32 [%o], %t;\n",
                TAKE,
            ]),
            Conflict,
        ),
        (
            "a source that another warp has written",
            add(&[
                "xor.b32 %v, %i, 32; mul.wide.u32 %o, %v, 16; add.s64 %o, %in, %o; st.global.u32 [%o], %t;\n",
                barrier,
                copy,
                commit,
                wait,
                TAKE,
            ]),
            Translated,
        ),
        (
            "a misaligned source",
            add(&["add.s64 %from, %from, 4;\n", copy, commit, wait, TAKE]),
            Other,
        ),
        (
            "between operations of a warp",
            add(&[
                "and.b32 %w, %t, 3; setp.ne.u32 %p, %w, 0;\nshfl.sync.bfly.b32 %v, %t, 1, 31, -1;\n@%p ",
                copy,
                "shfl.sync.bfly.b32 %v, %v, 2, 31, -1;\nadd.u32 %w, %d, 4096; cp.async.ca.shared.global [%w], [%from], 16;\nshfl.sync.bfly.b32 %v, %v, 4, 31, -1;\n",
                commit,
                "shfl.sync.bfly.b32 %v, %v, 8, 31, -1;\n",
                wait,
                TAKE,
                "ld.shared.v4.b32 {%q0, %q1, %q2, %q3}, [%w]; st.global.v4.b32 [%to+16384], {%q0, %v, %q2, %q3};\n",
            ]),
            Translated,
        ),
        (
            "a pipeline of three stages",
            PIPELINE.to_owned(),
            Translated,
        ),
        (
            "a pipeline that waits for one group too few",
            PIPELINE.replace("wait_group 1", "wait_group 2"),
            Conflict,
        ),
        (
            "a pipeline whose second barrier is not needed",
            PIPELINE.replace("bar.sync 1;", ""),
            Translated,
        ),
        ("a pipeline of two stages", two_stages(), Translated),
        (
            "a pipeline of two stages without its second barrier",
            two_stages().replace("bar.sync 1;", ""),
            Conflict,
        ),
        ("as many copies as there is room for", many(60), Translated),
        ("more copies than there is room for", many(70), Other),
    ]
}

/// Sums rows that are copied two tiles ahead of their use.
const PIPELINE: &str = "
mov.u32 %k, 0; mov.u32 %q0, 0; mov.u64 %o, %from;
cp.async.cg.shared.global [%d], [%o], 16; cp.async.commit_group; add.s64 %o, %o, 2048;
cp.async.cg.shared.global [%d+1024], [%o], 16; cp.async.commit_group; add.s64 %o, %o, 2048;
LOOP:
cp.async.wait_group 1; bar.sync 0;
rem.u32 %v, %k, 3; shl.b32 %v, %v, 10; add.u32 %v, %v, %s;
xor.b32 %w, %t, 33; shl.b32 %w, %w, 4; add.u32 %v, %v, %w;
ld.shared.u32 %w, [%v]; add.u32 %q0, %q0, %w; ld.shared.u32 %w, [%v+12]; xor.b32 %q0, %q0, %w;
bar.sync 1;
add.u32 %w, %k, 2; rem.u32 %w, %w, 3; shl.b32 %w, %w, 10; add.u32 %w, %w, %d;
setp.lt.u32 %p, %k, 6;
@%p cp.async.cg.shared.global [%w], [%o], 16;
cp.async.commit_group; add.s64 %o, %o, 2048;
add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 8; @%p bra LOOP;
st.global.u32 [%to], %q0;
";

/// Returns the same kernel with space for two tiles, so that a copy overwrites the tile that is being read.
fn two_stages() -> String {
    PIPELINE.replace(", 3;", ", 2;")
}

/// Returns code in which all lanes of a warp start four-byte copies to separate locations, with one wait at the end.
fn many(n: u32) -> String {
    format!(
        "mov.u32 %k, 0; shl.b32 %v, %t, 2; add.u32 %v, %v, %s;
L: cp.async.ca.shared.global [%v], [%from], 4; add.u32 %v, %v, 256; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, {n}; @%p bra L;
cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %w, [%v+-256]; st.global.u32 [%to], %w;
"
    )
}

/// Returns the scenarios, with blocks of two warps.
pub(crate) fn scenarios() -> Vec<(&'static str, Scenario, Becomes)> {
    let buffer = |name: &str, init: serde_json::Value| json!({"kind": "buffer", "name": name, "type": "u32", "len": 8192, "init": init});
    let words: Vec<u32> = (0..8192u32)
        .map(|at| at.wrapping_mul(0x9e37_79b9))
        .collect();
    let scenario = |source: String| {
        let scenario = json!({
            "source": source, "grid": [2, 1, 1], "block": [64, 1, 1],
            "params": [buffer("in", json!(words)), buffer("out", json!(0))],
        });
        serde_json::from_value(scenario).expect("a scenario")
    };
    let all = cases().into_iter();
    all.map(|(what, code, becomes)| (what, scenario(format!("{HEAD}{code}ret; }}")), becomes))
        .collect()
}
