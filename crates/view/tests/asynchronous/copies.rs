//! Asynchronous copies in groups, and bulk copies.

use super::{INIT, MEET, WAIT, run, session};

#[test]
fn cp_async_data_is_visible_after_wait_group() {
    let copy = |instruction: &str| {
        let body = format!(
            "mad.lo.u32 %r1, %t, 16, %s;
            st.shared.v4.u32 [%r1], {{9, 9, 9, 9}};
            setp.lt.u32 %p1, %t, 2;
            {instruction}
            cp.async.commit_group;
            cp.async.wait_group 0;
            ld.shared.u32 %r2, [%r1];
            ld.shared.u32 %r3, [%r1+4];
            ld.shared.u32 %r4, [%r1+12];
            mad.lo.u32 %r5, %r2, 100, %r3;
            mad.lo.u32 %r5, %r5, 100, %r4;
            st.global.u32 [%o], %r5;"
        );
        run("grid=1 block=4", &body)[..4].to_vec()
    };
    let from = "mul.wide.u32 %rd2, %t, 12; add.u64 %rd1, %i, %rd2;";
    let copied = |size: &str| {
        copy(&format!(
            "{from} cp.async.ca.shared.global [%r1], [%rd1], {size};"
        ))
    };
    assert_eq!(copied("4"), [909, 40909, 80909, 120909]);
    assert_eq!(copied("8"), [109, 40509, 80909, 121309]);
    assert_eq!(copied("16"), [103, 40507, 80911, 121315]);
    // Bytes beyond the source size are zero, and all bytes are zero if the ignore-src predicate is set.
    assert_eq!(copied("16, 4"), [0, 40000, 80000, 120000]);
    assert_eq!(copied("16, %t")[0], 0);
    assert_eq!(copied("16, %p1"), [0, 0, 80911, 121315]);
    assert_eq!(copied("16, !%p1"), [103, 40507, 0, 0]);
}

#[test]
fn wait_group_n_keeps_latest_groups_pending() {
    let mut session = session(
        "grid=1 block=1",
        "cp.async.ca.shared.global [%s], [%i], 4; cp.async.commit_group;
        cp.async.ca.shared.global [%s+4], [%i+4], 4; cp.async.commit_group;
        cp.async.wait_group 1;
        mov.u32 %r1, 1;
        cp.async.wait_all;
        mov.u32 %r2, 2;",
    );
    let mut pending_at = Vec::new();
    while session.step() {
        let frame = session.frame(&Default::default());
        let line = frame.next.map(|next| next.range.line);
        pending_at.push((line, session.pending().len()));
    }
    let at = |what: u32| pending_at.iter().find(|(line, _)| *line == Some(what));
    let n_at = |what: u32| at(what).map(|(_, n)| *n);
    // `mov %r1`, then `mov %r2`.
    let first = 31;
    assert_eq!(
        (n_at(first), n_at(first + 2)),
        (Some(1), Some(0)),
        "{pending_at:?}"
    );
}

#[test]
fn mbarrier_arrive_triggers_after_prior_copies() {
    for (noinc, count) in [(".noinc", "32"), ("", "1")] {
        let body = format!(
            "@%z mbarrier.init.shared::cta.b64 [%m], {count}; bar.sync 0;
            mad.lo.u32 %r1, %t, 4, %s;
            cp.async.ca.shared.global [%r1], [%i], 4;
            cp.async.mbarrier.arrive{noinc}.shared::cta.b64 [%m];
            bar.sync 0;
            {}
            {WAIT}
            xor.b32 %r2, %t, 31;
            mad.lo.u32 %r1, %r2, 4, %s;
            ld.shared.u32 %r3, [%r1];
            st.global.u32 [%o], %r3;",
            if noinc.is_empty() {
                "@%z mbarrier.arrive.shared::cta.b64 _, [%m];"
            } else {
                ""
            }
        );
        let found = run("grid=1 block=32", &body);
        let expected: Vec<u32> = (0..32).rev().collect();
        assert_eq!(found[..32], expected, "{noinc}");
    }
}

#[test]
fn bulk_copy_multicasts_to_cluster_and_reduces_to_global() {
    let body = format!(
        "{INIT}
        @%z mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 64;
        {MEET}
        setp.eq.and.u32 %p1, %k, 1, %z;
        mov.u16 %h1, 3;
        ld.param.u64 %rd1, [in];
        @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s], [%rd1], 64, [%m], %h1;
        {WAIT}
        // What came goes to global memory, 64 bytes a block.
        fence.proxy.async.shared::cta;
        mul.wide.u32 %rd2, %k, 64;
        add.u64 %rd3, %g, %rd2;
        @%z cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%s], 64;
        @%z cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%g+256], [%s], 16;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        {MEET}"
    );
    let found = run("grid=2 block=32 cluster=2", &body);
    let sixteen: Vec<u32> = (0..16).collect();
    assert_eq!(found[..16], sixteen);
    assert_eq!(found[16..32], sixteen);
    assert_eq!(found[64..68], [0, 2, 4, 6]);
}

#[test]
fn bulk_copy_between_blocks_and_with_byte_mask() {
    let body = format!(
        "{INIT}
        @%z mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 32;
        mad.lo.u32 %r1, %t, 4, %s;
        mad.lo.u32 %r2, %k, 100, %t;
        st.shared.u32 [%r1], %r2;
        bar.sync 0;
        fence.proxy.async;
        {MEET}
        xor.b32 %r3, %k, 1;
        add.u32 %r4, %s, 64;
        mapa.shared::cluster.u32 %r5, %r4, %r3;
        mapa.shared::cluster.u32 %r6, %m, %r3;
        @%z cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%s], 32, [%r6];
        {WAIT}
        mul.wide.u32 %rd2, %k, 64;
        add.u64 %rd3, %g, %rd2;
        mov.u16 %h1, 0xf00f;
        @%z cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd3], [%r4], 32, %h1;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        {MEET}"
    );
    let found = run("grid=2 block=16 cluster=2", &body);
    assert_eq!(found[..8], [100, 0, 0, 103, 104, 0, 0, 107]);
    assert_eq!(found[16..24], [0, 0, 0, 3, 4, 0, 0, 7]);
}

#[test]
fn st_bulk_zeroes_shared_memory_range() {
    let body = "mad.lo.u32 %r1, %t, 4, %s;
        st.shared.u32 [%r1], %t;
        bar.sync 0;
        add.u32 %r2, %s, 16;
        @%z st.bulk.weak.shared::cta [%r2], 40, 0;
        bar.sync 0;
        ld.shared.u32 %r3, [%r1];
        st.global.u32 [%o], %r3;";
    let found = run("grid=1 block=16", body);
    assert_eq!(
        found[..16],
        [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 15]
    );
}
