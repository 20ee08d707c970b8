//! Misuse of tensor instructions causes a fault or a note with the line, and preserves the memory of earlier steps.

use expect_test::expect;
use std::fmt::Write;
use warpgrid_view::{MemoryKey, Scenario, Session};

const MAX_STEPS: u64 = 100_000;

/// Returns a kernel that stores 7 to its buffer and then executes `body`.
fn source(lines: &str, target: &str, body: &str) -> String {
    format!(
        "{lines}
//@ buffer out: u32[64]
.version 8.8
.target {target}
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out)
{{
.reg .b32 %r<40>;
.reg .f32 %f<40>;
.reg .b64 %rd<9>;
.reg .pred %p<4>;
.shared .align 1024 .b8 tile[4096];
.shared .align 8 .b64 bar;
.shared .align 4 .b32 where;
ld.param.u64 %rd0, [out];
st.global.u32 [%rd0], 7;
mov.u32 %r0, %tid.x;
mov.u32 %r1, tile;
mov.b64 %rd1, map;
{body}
ret;
}}
"
    )
}

/// Returns the fault of a run with its line, and the notes of the run.
fn end(source: String) -> String {
    let opened = Session::new(Scenario {
        source,
        ..Scenario::default()
    });
    let mut session = match opened {
        Ok(session) => session,
        Err(error) => return format!("{} {}", error.code, error.message),
    };
    assert!(session.run(MAX_STEPS), "it goes on");
    let bytes = session.memory(&MemoryKey::Buffer("out".to_owned()));
    assert_eq!(
        bytes.expect("a memory")[0],
        7,
        "what was stored before stays"
    );
    let mut text = match session.fault() {
        Some(fault) => format!("line {}: {}", fault.range.line, fault.message),
        None => "it ends".to_owned(),
    };
    for note in session.notes() {
        let _ = write!(text, "\n    {note}");
    }
    text
}

fn ends(cases: &[(&str, &str, &str)]) -> String {
    let end = |(lines, target, body): &(&str, &str, &str)| end(source(lines, target, body)) + "\n";
    cases.iter().map(end).collect()
}

const MAP: &str = "//@ launch block=32\n//@ buffer x: f32[16][16]\n//@ tensormap map = tiled x: f32[16][16] box=[8][16]";
const WARPGROUP: &str = "//@ launch block=128";

#[test]
fn invalid_tensor_map_or_copy_operand_faults() {
    let copy = "mov.u32 %r2, 0;
setp.ne.u32 %p0, %r0, 0;
@%p0 ret;
mbarrier.init.shared.b64 [bar], 1;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r2}], [bar];";
    let elsewhere = copy.replace("[%rd1, {", "[%rd0, {");
    let odd = copy.replace("[%r1], [%rd1", "[%r1+8], [%rd1");
    let outside = copy.replace("[%r1], [%rd1", "[%r1+4096], [%rd1");
    let three = copy
        .replace(".2d.", ".3d.")
        .replace("{%r2, %r2}", "{%r2, %r2, %r2}");
    let garbage = format!(
        "mov.b64 %rd2, -1;\nst.global.b64 [%rd0+64], %rd2;\nst.global.b64 [%rd0+72], %rd2;\nadd.u64 %rd1, %rd0, 64;\n{copy}"
    );
    let ends = ends(&[
        (MAP, "sm_90a", &elsewhere),
        (MAP, "sm_90a", &garbage),
        (MAP, "sm_90a", &odd),
        (MAP, "sm_90a", &outside),
        (MAP, "sm_90a", &three),
        (
            "//@ launch block=32",
            "sm_90a",
            "ld.param.u64 %rd2, [map];\nst.global.u64 [%rd0+8], %rd2;",
        ),
    ]);
    expect![[r#"
        line 26: thread (0, 0, 0) of block (0, 0, 0): invalid tensor map: the tensor address 0x7 is not a multiple of 16
        line 30: thread (0, 0, 0) of block (0, 0, 0): the address 0x7f0000000040 contains no tensor map
        line 26: thread (0, 0, 0) of block (0, 0, 0): misaligned store of 128 bytes at 0x8, byte 8 of shared memory (4108 bytes)
        line 26: thread (0, 0, 0) of block (0, 0, 0): out-of-bounds store of 512 bytes at 0x1000, byte 4096 of shared memory (4108 bytes)
        line 26: thread (0, 0, 0) of block (0, 0, 0): found a tensor map with 2 dimensions, expected 3
        it ends
    "#]].assert_eq(&ends);
}

#[test]
fn invalid_tensor_copy_coordinates_fault() {
    let load = |column: i32, row: i32| {
        format!(
            "mov.u32 %r2, {column};
mov.u32 %r3, {row};
setp.ne.u32 %p0, %r0, 0;
@%p0 ret;
mbarrier.init.shared.b64 [bar], 1;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {{%r2, %r3}}], [bar];"
        )
    };
    let store = |column: i32, row: i32| {
        format!(
            "mov.u32 %r2, {column};
mov.u32 %r3, {row};
setp.ne.u32 %p0, %r0, 0;
@%p0 ret;
cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {{%r2, %r3}}], [%r1];"
        )
    };
    let bodies = [
        load(-4, -1),
        load(2, 0),
        store(0, -1),
        store(-8, 0),
        store(12, 8),
    ];
    let cases: Vec<(&str, &str, &str)> = bodies
        .iter()
        .map(|body| (MAP, "sm_90", body.as_str()))
        .collect();
    expect![[r#"
        it ends
        line 27: thread (0, 0, 0) of block (0, 0, 0): coordinate 2 of dimension 0 corresponds to byte offset 8, expected a multiple of 16
        line 26: thread (0, 0, 0) of block (0, 0, 0): the tensor store starts at coordinate -1 of dimension 1, expected at least 0
        line 26: thread (0, 0, 0) of block (0, 0, 0): the tensor store starts at coordinate -8 of dimension 0, expected at least 0
        it ends
    "#]].assert_eq(&ends(&cases));
}

#[test]
fn misaligned_tensor_copy_coordinate_is_illegal_instruction_with_multiple_in_elements() {
    let map = "//@ launch block=32\n//@ buffer x: f16[64][64]\n//@ tensormap map = tiled x: f16[64][64] box=[8][64]";
    let body = "mov.u32 %r2, 4;
mov.u32 %r3, 0;
setp.ne.u32 %p0, %r0, 0;
@%p0 ret;
mbarrier.init.shared.b64 [bar], 1;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [bar];";
    let mut session = Session::new(Scenario {
        source: source(map, "sm_90", body),
        ..Scenario::default()
    })
    .expect("a kernel that runs");
    session.run(MAX_STEPS);
    let fault = session.fault().expect("the coordinate is misaligned");
    assert_eq!(fault.kind.name(), "illegal_instruction");
    expect!["use a coordinate in dimension 0 that is a multiple of 8 elements of `.f16`"]
        .assert_eq(fault.help.as_deref().unwrap_or_default());
}

#[test]
fn out_of_bounds_or_invalid_descriptors_fault() {
    let product = "mov.b64 %rd2, 0x4000004000013fff;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd2, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;";
    let allocated = |what: &str| {
        format!(
            "setp.ge.u32 %p0, %r0, 32;
@%p0 ret;
mov.b64 %rd2, 0x4000404000013fff;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64;
ld.shared.u32 %r2, [where];
mov.u32 %r3, 0x08040010;
setp.ne.u32 %p1, %r0, 0;
{what}
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 64;"
        )
    };
    let ends = ends(&[
        (WARPGROUP, "sm_90a", product),
        (
            WARPGROUP,
            "sm_100a",
            &allocated("@!%p1 tcgen05.mma.cta_group::1.kind::f16 [%r2], %rd2, %rd2, %r3, %p1;"),
        ),
        (
            WARPGROUP,
            "sm_100a",
            &allocated("@!%p1 tcgen05.cp.cta_group::1.128x128b [%r2], %rd2;"),
        ),
        (
            WARPGROUP,
            "sm_100a",
            &allocated(
                "or.b64 %rd2, %rd2, 0x6000000000000000;\n@!%p1 tcgen05.cp.cta_group::1.128x128b [%r2], %rd2;",
            ),
        ),
        (
            WARPGROUP,
            "sm_100a",
            &allocated(
                "mov.u32 %r3, 0x70;\n@!%p1 tcgen05.mma.cta_group::1.kind::f16 [%r2], %rd2, %rd2, %r3, %p1;",
            ),
        ),
        (
            WARPGROUP,
            "sm_100a",
            &allocated(
                "add.u32 %r2, %r2, 500;\ntcgen05.ld.sync.aligned.32x32b.x16.b32 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19}, [%r2];",
            ),
        ),
    ]);
    expect![[r#"
        line 22: thread (0, 0, 0) of block (0, 0, 0): out-of-bounds load of 2 bytes at 0x3ff80, 257908 bytes after the end of shared memory (4108 bytes)
        line 27: thread (0, 0, 0) of block (0, 0, 0): out-of-bounds load of 2 bytes at 0x3ff80, 257908 bytes after the end of shared memory (4108 bytes)
        line 27: thread (0, 0, 0) of block (0, 0, 0): out-of-bounds load of 4 bytes at 0x3ff80, 257908 bytes after the end of shared memory (4108 bytes)
        line 28: thread (0, 0, 0) of block (0, 0, 0): the matrix descriptor 0x6000404000013fff encodes an unknown swizzle mode
        line 28: thread (0, 0, 0) of block (0, 0, 0): the instruction descriptor 0x00000070 is not valid for this `.kind`
        line 28: thread (0, 0, 0) of block (0, 0, 0): lane 0, column 512 is out of bounds of tensor memory
    "#]].assert_eq(&ends);
}

#[test]
fn tensor_memory_allocation_misuse_is_reported() {
    let alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], ";
    let free = "ld.shared.u32 %r2, [where];\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, ";
    let one = "//@ launch block=32";
    let two = "//@ launch block=64";
    // The second warp allocates its columns after the first warp has deallocated its columns.
    let in_turn = format!(
        "setp.ge.u32 %p0, %r0, 32;
@%p0 bra SECOND;
{alloc}512;
ld.shared.u32 %r2, [where];
bar.sync 1, 64;
nanosleep.u32 100;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 512;
ret;
SECOND:
bar.sync 1, 64;
{alloc}256;
{free}256;"
    );
    let ends = ends(&[
        (one, "sm_100a", &format!("{alloc}512;\n{alloc}32;")),
        (two, "sm_100a", &in_turn),
        (one, "sm_100a", &format!("{alloc}64;")),
        (one, "sm_100a", &format!("{alloc}64;\n{free}64;\n{free}64;")),
        (one, "sm_100a", &format!("{alloc}64;\n{free}32;")),
        (
            one,
            "sm_100a",
            &format!("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n{alloc}64;"),
        ),
        (one, "sm_100a", &format!("mov.u32 %r2, 96;\n{alloc}%r2;")),
    ]);
    expect![[r#"
        line 21: block (0, 0, 0) is stuck, because all remaining threads are waiting; all lanes of warp 0 for 32 tensor memory columns that are never deallocated
        it ends
        it ends
            block 0 exited without deallocating 64 tensor memory columns: add `tcgen05.dealloc`
        line 24: thread (0, 0, 0) of block (0, 0, 0): cannot deallocate 64 tensor memory columns at 0x0: at least one column is not allocated
        it ends
            block 0 exited without deallocating 32 tensor memory columns: add `tcgen05.dealloc`
        line 21: thread (0, 0, 0) of block (0, 0, 0): the block allocates tensor memory after it has executed `tcgen05.relinquish_alloc_permit`
        line 21: thread (0, 0, 0) of block (0, 0, 0): found an allocation of 96 columns, expected a power of two from 32 to 512 columns
    "#]].assert_eq(&ends);
}

#[test]
fn access_during_wgmma_and_wait_without_group_produce_notes() {
    let product = "mov.b64 %rd2, 0x4000004000010000;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r4, %r5, %r6, %r7}, %rd2, 1, 1, 1, 0;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r4, %r5, %r6, %r7}, %rd2, 1, 1, 1, 0;
wgmma.commit_group.sync.aligned;
";
    let wait = "wgmma.wait_group.sync.aligned 0;\n";
    let ends = ends(&[
        (
            WARPGROUP,
            "sm_90a",
            &format!("{product}{wait}add.f32 %f1, %f2, %f3;"),
        ),
        (
            WARPGROUP,
            "sm_90a",
            &format!("{product}add.f32 %f5, %f2, %f3;\n{wait}"),
        ),
        (
            WARPGROUP,
            "sm_90a",
            &format!("{product}mov.u32 %r4, 0;\n{wait}"),
        ),
        (
            WARPGROUP,
            "sm_90a",
            &format!(
                "{product}setp.lt.u32 %p0, %r0, 0;\n@%p0 mov.u32 %r4, 0;\nadd.u32 %r9, %r4, %r5;\n{wait}"
            ),
        ),
        (WARPGROUP, "sm_90a", "wgmma.wait_group.sync.aligned 0;"),
        (
            WARPGROUP,
            "sm_90a",
            "cp.async.bulk.wait_group 0;\ncp.async.wait_all;",
        ),
    ]);
    expect![[r#"
        it ends
        it ends
            line 25: %f2 and 1 more are accessed while the matrix multiplication of line 22 is in flight, which is undefined behavior (warp 0 of block 0): add `wgmma.wait_group` before the access
        it ends
            line 25: %r4 is accessed while the matrix multiplication of line 22 is in flight, which is undefined behavior (warp 0 of block 0): add `wgmma.wait_group` before the access
        it ends
        it ends
            line 20: the wait for groups has no effect, since the kernel commits no group: add `wgmma.commit_group`
        it ends
            line 20: the wait for groups has no effect, since the kernel commits no group: add `cp.async.bulk.commit_group`
    "#]].assert_eq(&ends);
}
