//! Misuse of mbarriers and asynchronous operations.

use super::{WAIT, fault, source};
use expect_test::expect;
use std::fmt::Write;
use warpgrid_view::{Scenario, Session};

#[test]
fn async_misuse_faults_with_mbarrier_state() {
    let one = "grid=1 block=1";
    let two = "grid=2 block=1 cluster=2";
    let init = "mbarrier.init.shared::cta.b64 [%m], 2;";
    let cases = [
        (
            one,
            "mbarrier.arrive.shared::cta.b64 %rd1, [%m];".to_owned(),
        ),
        (
            one,
            "mov.u32 %r1, 0; mbarrier.init.shared::cta.b64 [%m], %r1;".to_owned(),
        ),
        (
            one,
            format!("{init} mbarrier.arrive.shared::cta.b64 %rd1, [%m], 3;"),
        ),
        (
            one,
            format!("{init} mbarrier.arrive.noComplete.shared::cta.b64 %rd1, [%m], 2;"),
        ),
        (
            one,
            format!("{init} mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%m], 0x100000;"),
        ),
        (
            one,
            format!("{init} mbarrier.arrive.shared::cta.b64 %rd1, [%m+4];"),
        ),
        (one, "mbarrier.arrive.b64 %rd1, [%g];".to_owned()),
        (
            one,
            "cp.async.cg.shared.global [%s+8], [%i], 16;".to_owned(),
        ),
        (
            one,
            "mov.u32 %r1, 24; cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], %r1;"
                .to_owned(),
        ),
        (
            one,
            "cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], 2048;".to_owned(),
        ),
        (
            one,
            "mov.u32 %r1, 12; st.bulk.shared::cta [%s], %r1, 0;".to_owned(),
        ),
        (
            two,
            "mapa.shared::cluster.u32 %r1, %s, 1;
            st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], 1, [%m];"
                .to_owned(),
        ),
        (
            two,
            "mapa.shared::cluster.u32 %r1, %s, 1; mapa.shared::cluster.u32 %r2, %m, 1;
            st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], 1, [%r2];
            barrier.cluster.arrive; barrier.cluster.wait;"
                .to_owned(),
        ),
        (one, format!("{init} {WAIT}")),
        (one, "cp.async.wait_all; bar.sync 1, 64;".to_owned()),
    ];
    let mut said = String::new();
    for (launch, body) in cases {
        writeln!(said, "{}", fault(launch, &body)).expect("a text");
    }
    expect![[r#"
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier `bar` of block 0: the address contains no mbarrier object
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier `bar` of block 0: found the arrival count 0, expected 1 to 1048575
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier `bar` of block 0: found 3 arrivals, but the pending count is lower (phase parity 0, pending count 2 of 2, tx-count 0)
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier `bar` of block 0: 2 arrivals would complete the phase, which `.noComplete` does not allow (phase parity 0, pending count 2 of 2, tx-count 0)
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier `bar` of block 0: a tx-count of 1048576 bytes is out of range (phase parity 0, pending count 2 of 2, tx-count 0)
        misaligned: thread (0, 0, 0) of block (0, 0, 0): misaligned atomic access of 8 bytes at 0x4, byte 4 of shared memory (1040 bytes)
        wrong_space: thread (0, 0, 0) of block (0, 0, 0): wrong-space atomic access of 8 bytes at 0x7f0000020000, byte 0 of buffer `out` (1024 bytes)
        misaligned: thread (0, 0, 0) of block (0, 0, 0): misaligned store of 16 bytes at 0x18, byte 24 of shared memory (1040 bytes)
        bad_copy_size: thread (0, 0, 0) of block (0, 0, 0): found a copy size of 24 bytes, expected a multiple of 16
        out_of_bounds: thread (0, 0, 0) of block (0, 0, 0): out-of-bounds load of 2048 bytes at 0x10, byte 16 of shared memory (1040 bytes)
        bad_copy_size: thread (0, 0, 0) of block (0, 0, 0): found a copy size of 12 bytes, expected a multiple of 8
        distant_mbarrier: thread (0, 0, 0) of block (0, 0, 0): the mbarrier and the destination of the copy are in the shared memory of different blocks
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier `bar` of block 1: the address contains no mbarrier object
        deadlock: block (0, 0, 0) is stuck, because all remaining threads are waiting; lane 0 of warp 0 for the phase with parity 0 of mbarrier `bar` (phase parity 0, pending count 2 of 2, tx-count 0)
        deadlock: block (0, 0, 0) is stuck, because all remaining threads are waiting; lane 0 of warp 0 for the other threads at barrier 1
    "#]].assert_eq(&said);
}

#[test]
fn unsupported_cluster_sizes_are_rejected() {
    let refusal = |launch: &str, directive: &str| {
        let source = source(launch, "").replace(
            ".param .u64 out)\n{",
            &format!(".param .u64 out) {directive}\n{{"),
        );
        let session = Session::new(Scenario {
            source,
            ..Scenario::default()
        });
        session.err().map(|error| error.message).unwrap_or_default()
    };
    let all = [
        refusal("grid=4 block=8 cluster=4", ".reqnctapercluster 2"),
        refusal("grid=4 block=8 cluster=4", ".maxclusterrank 2"),
        refusal("grid=3 block=8 cluster=2", ""),
        refusal("grid=17 block=8 cluster=17", ""),
        refusal("grid=4 block=8 cluster=0", ""),
        refusal("grid=4 block=8 cluster=4", ".reqnctapercluster 4"),
    ];
    expect![[r#"
        the directive `.reqnctapercluster` of the kernel requires 2x1x1, but the launch configuration specifies 4x1x1
        the directive `.maxclusterrank` of the kernel requires 2x1x1, but the launch configuration specifies 4x1x1
        the grid size 3x1x1 is not divisible by the cluster size 2x1x1
        cluster.x is 17, expected at most 16
        the cluster size 0x1x1 has an extent of zero
    "#]]
    .assert_eq(&all.join("\n"));
}
