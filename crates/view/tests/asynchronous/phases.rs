//! Phases of mbarriers, cluster addresses, and hints.

use super::{INIT, out, run, source};
use warpgrid_view::{Scenario, Session};

#[test]
fn phase_completes_after_pending_arrivals_and_bytes() {
    let body = "@%z mbarrier.init.shared::cta.b64 [%m], 5;
        @%z mbarrier.arrive.shared::cta.b64 %rd1, [%m], 2;
        @%z mbarrier.pending_count.b64 %r1, %rd1;
        @%z mbarrier.arrive.noComplete.shared::cta.b64 %rd2, [%m], 1;
        @%z mbarrier.pending_count.b64 %r2, %rd2;
        @%z mbarrier.arrive_drop.shared::cta.b64 %rd3, [%m];
        @%z mbarrier.test_wait.shared::cta.b64 %p1, [%m], %rd1;
        @%z mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%m], 8;
        @%z mbarrier.arrive.shared::cta.b64 %rd3, [%m];
        @%z mbarrier.test_wait.parity.shared::cta.b64 %p2, [%m], 0;
        @%z mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%m], 8;
        @%z mbarrier.test_wait.parity.shared::cta.b64 %p3, [%m], 0;
        @%z mbarrier.test_wait.shared::cta.b64 %p4, [%m], %rd1;
        // Four are expected from now on.
        @%z mbarrier.arrive.shared::cta.b64 %rd4, [%m], 4;
        @%z mbarrier.pending_count.b64 %r3, %rd4;
        @%z mbarrier.test_wait.parity.shared::cta.b64 %p5, [%m], 1;
        @%z mbarrier.inval.shared::cta.b64 [%m];
        selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 1, 0, %p2; selp.u32 %r6, 1, 0, %p3;
        selp.u32 %r7, 1, 0, %p4; selp.u32 %r8, 1, 0, %p5;
        st.global.v4.u32 [%g], {%r1, %r2, %r3, %r4};
        st.global.v4.u32 [%g+16], {%r5, %r6, %r7, %r8};";
    let found = run("grid=1 block=1", body);
    assert_eq!(found[..8], [5, 3, 4, 0, 0, 1, 1, 1]);
}

#[test]
fn cluster_addresses_map_to_block_rank() {
    let body = "mapa.shared::cluster.u32 %r1, mem, 1;
        getctarank.shared::cluster.u32 %r2, %r1;
        getctarank.shared::cluster.u32 %r3, mem;
        mapa.u64 %rd1, mem, 1;
        getctarank.u64 %r4, %rd1;
        isspacep.shared::cluster %p1, %rd1;
        isspacep.shared::cta %p2, %rd1;
        selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 1, 0, %p2;
        barrier.cluster.arrive; barrier.cluster.wait;
        setp.eq.u32 %p3, %k, 0;
        // A generic store and an atomic in the other block.
        @%p3 st.u32 [%rd1], 40;
        @%p3 atom.relaxed.cluster.shared::cluster.add.u32 %r7, [%r1], 2;
        barrier.cluster.arrive; barrier.cluster.wait;
        ld.shared.u32 %r8, [%s];
        mul.wide.u32 %rd2, %k, 32; add.u64 %rd3, %g, %rd2;
        st.global.v4.u32 [%rd3], {%r2, %r3, %r4, %r5};
        st.global.v2.u32 [%rd3+16], {%r6, %r8};";
    let found = run("grid=2 block=1 cluster=2", body);
    assert_eq!(found[..6], [1, 0, 1, 1, 0, 0]);
    // A cluster address of the own rank is in the own shared memory, since compiled code accesses all shared memory by cluster addresses.
    assert_eq!(found[8..14], [1, 1, 1, 1, 1, 42]);
}

#[test]
fn hint_instructions_have_no_effect_on_results() {
    let body = "griddepcontrol.wait;
        nanosleep.u32 100;
        fence.proxy.async;
        fence.proxy.async.global;
        cp.async.bulk.prefetch.L2.global [%i], 64;
        griddepcontrol.launch_dependents;
        st.global.u32 [%o], 1;";
    assert_eq!(run("grid=1 block=8", body)[..8], [1; 8]);
}

#[test]
fn check_layout_accepts_layout_v1() {
    let body = format!(
        "{INIT} mbarrier.check_layout.shared::cta.layout::v1.b64 %p1, [%m];
        selp.u32 %r1, 5, 6, %p1; st.global.u32 [%o], %r1;"
    );
    let source = source("grid=1 block=4", &body).replace(".version 8.7", ".version 9.3");
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    session.run(1_000);
    assert_eq!(session.fault(), None);
    assert_eq!(out(&session)[..4], [5; 4]);
}
