//! Causes of faults: the origin of addresses, the last change of an mbarrier, exits of threads, and the branch to a trap.

use expect_test::{Expect, expect};
use warpgrid_view::{Scenario, Session};

/// Runs a kernel of one block until it stops. Formats each cause as `line: text`.
fn check(threads: u32, body: &str, expected: Expect) {
    let source = format!(
        "//@ launch block={threads}
//@ buffer out: u32[64] = 0
.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
.shared .align 8 .b8 mem[256];
{body}
}}"
    );
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    let [tracked, untracked] = [Session::new, Session::new_without_last_writers].map(|open| {
        let mut session = open(scenario.clone()).unwrap_or_else(|error| panic!("{error:?}"));
        assert!(session.run(100_000), "not over");
        let fault = session.fault().expect("a fault");
        let position = session.position();
        let causes = session.causes();
        assert_eq!(causes, session.causes(), "asked again");
        assert_eq!(session.position(), position);
        assert_eq!(session.fault(), Some(fault));
        assert!(causes.iter().all(|cause| cause.step < position));
        let lines = causes.iter();
        lines
            .map(|cause| format!("{}: {}\n", cause.range.line, cause.text))
            .collect::<String>()
    });
    assert_eq!(tracked, untracked);
    expected.assert_eq(&tracked);
}

#[test]
fn bad_address_is_traced_to_computation_load_and_store() {
    check(
        64,
        "mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, mem;
add.u32 %r2, %r2, %r3;
mad.lo.u32 %r4, %r1, 4096, 0;
st.shared.u32 [%r2], %r4;
bar.sync 0;
xor.b32 %r2, %r2, 128;
ld.shared.u32 %r5, [%r2];
ld.param.u64 %rd1, [out];
cvt.u64.u32 %rd2, %r5;
add.u64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3+4], %r5;
ret;",
        expect![[r#"
            21: `%rd3` (the address) was computed
            18: an input of the computation of `%rd3` was loaded
            15: the loaded bytes were stored by lane 1 of warp 0 of block 0
        "#]],
    );
}

#[test]
fn copy_fault_is_traced_to_invalid_source_address() {
    check(
        1,
        "mov.u32 %r1, mem;
mbarrier.init.shared.b64 [%r1], 1;
mov.u64 %rd1, 64;
add.u32 %r2, %r1, 64;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 16, [%r1];
ret;",
        expect![[r#"
            12: `%rd1` (the address) was computed
        "#]],
    );
}

#[test]
fn loaded_address_is_traced_to_storing_lane() {
    check(
        32,
        "mov.u32 %r1, %tid.x;
mul.wide.u32 %rd1, %r1, 3;
shl.b32 %r2, %r1, 3;
st.shared.u64 [%r2], %rd1;
ld.shared.u64 %rd2, [%r2];
st.global.u32 [%rd2], %r1;
ret;",
        expect![[r#"
            14: `%rd2` (the address) was loaded
            13: the loaded bytes were stored by lane 0 of warp 0 of block 0
        "#]],
    );
}

#[test]
fn misused_mbarrier_is_traced_to_last_modification() {
    check(
        32,
        "mov.u32 %r1, mem;
mov.u32 %r2, %laneid;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra DONE;
mbarrier.init.shared.b64 [%r1], 4;
mbarrier.inval.shared.b64 [%r1];
mbarrier.arrive.shared.b64 %rd1, [%r1];
DONE: ret;",
        expect![[r#"
            15: the mbarrier was last modified by lane 0 of warp 0 of block 0
        "#]],
    );
}

#[test]
fn deadlock_is_traced_to_exited_threads() {
    check(
        64,
        "mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32;
@%p1 exit;
barrier.sync 1, 64;
ret;",
        expect![[r#"
            12: threads of warp 0 of block 0 exited and can no longer arrive
        "#]],
    );
}

#[test]
fn stuck_phase_wait_is_traced_to_last_arrival() {
    check(
        32,
        "mov.u32 %r1, mem;
mov.u32 %r2, %laneid;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra DONE;
mbarrier.init.shared.b64 [%r1], 2;
mbarrier.arrive.shared.b64 %rd1, [%r1];
WAIT: mbarrier.try_wait.shared.b64 %p2, [%r1], %rd1;
@!%p2 bra WAIT;
DONE: ret;",
        expect![[r#"
            15: the mbarrier was last modified by lane 0 of warp 0 of block 0
        "#]],
    );
}

#[test]
fn trap_is_traced_to_branch_and_condition() {
    check(
        32,
        "mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 8;
@%p1 bra DONE;
trap;
DONE: ret;",
        expect![[r#"
            12: the thread took this branch
            11: `%p1` (the condition) was computed
        "#]],
    );
}

#[test]
fn wmma_with_exited_lanes_is_traced_to_exit() {
    check(
        32,
        "mov.u32 %r1, %tid.x;
setp.gt.u32 %p1, %r1, 27;
@%p1 exit;
ld.param.u64 %rd1, [out];
mov.u32 %r2, 0;
wmma.store.d.sync.aligned.m8n8k32.row.s32 [%rd1], {%r2, %r2};
ret;",
        expect![[r#"
            12: the missing lanes executed their last instruction
        "#]],
    );
}

#[test]
fn nonuniform_stride_is_traced_to_computation() {
    check(
        32,
        "mov.u32 %r1, %tid.x;
add.u32 %r3, %r1, 8;
ld.param.u64 %rd1, [out];
mov.u32 %r2, 0;
wmma.store.d.sync.aligned.m8n8k32.row.s32 [%rd1], {%r2, %r2}, %r3;
ret;",
        expect![[r#"
            11: `%r3` (the stride) was computed
        "#]],
    );
}
