//! Bulk copies: the time at which their source is read, and ignored bytes.

use super::{INIT, WAIT, out, session, source};
use expect_test::expect;
use warpgrid_view::{Scenario, Session};

#[test]
fn wait_group_read_waits_for_source_reads_only() {
    // Each lane copies 16 bytes of shared memory to its element, and overwrites the source after the wait.
    let body = |wait: &str| {
        format!(
            "shl.b32 %r1, %t, 4; add.u32 %r1, %r1, %s; st.shared.u32 [%r1], %t;
            mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %rd1, %g;
            cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;
            cp.async.bulk.commit_group;
            {wait}
            st.shared.u32 [%r1], 77;
            ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+8], %r2;
            cp.async.bulk.wait_group 0;"
        )
    };
    let ends = |wait: &str, seed: u64| {
        let scenario = Scenario {
            source: source("grid=1 block=4", &body(wait)),
            seed: Some(seed),
            ..Scenario::default()
        };
        let mut session = Session::new(scenario).expect("it runs");
        assert!(session.run(10_000) && session.fault().is_none());
        let words = out(&session);
        (0..4).map(|lane| words[4 * lane]).collect::<Vec<_>>()
    };
    for seed in 0..40 {
        let read = ends("cp.async.bulk.wait_group.read 0;", seed);
        assert_eq!(read, [0, 1, 2, 3], "seed {seed}");
    }
    // Without the wait, some schedules copy the overwritten source.
    let early = (0..40).any(|seed| ends("", seed) != [0, 1, 2, 3]);
    assert!(early);
    // `cp.async.bulk.wait_group.read` waits only for the source reads, not for the completion of the copy.
    let mut session = session("grid=1 block=4", &body("cp.async.bulk.wait_group.read 0;"));
    while session.pending().is_empty() {
        assert!(session.step());
    }
    assert!(session.run_to_next_store(1_000));
    assert!(!session.pending().is_empty());
}

#[test]
fn ignore_oob_copy_skips_bytes_at_both_ends() {
    let copy = |size: u32, left: u32, right: u32| {
        format!(
            "{INIT}
            @%z mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], {size};
            st.shared.u32 [%s], 0xffffffff; st.shared.u32 [%s+28], 0xffffffff;
            @%z cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%s], [%i], {size}, {left}, {right}, [%m];
            {WAIT}
            @%z ld.shared.v4.u32 {{%r1, %r2, %r3, %r4}}, [%s];
            @%z st.global.v4.u32 [%g], {{%r1, %r2, %r3, %r4}};
            @%z ld.shared.u32 %r5, [%s+28];
            @%z st.global.u32 [%g+16], %r5;"
        )
    };
    let source_of = |body: &str| {
        source("grid=1 block=1", body)
            .replace(".version 8.7", ".version 9.2")
            .replace("u32[256] = iota", "u32[8] = iota")
    };
    let run = |body: &str| {
        let scenario = Scenario {
            source: source_of(body),
            ..Scenario::default()
        };
        let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
        session.run(10_000);
        session
    };
    let session = run(&copy(32, 3, 2));
    assert_eq!(session.fault(), None);
    // The first three bytes and the last two bytes are unchanged.
    let expected = [0x00ff_ffff, 1, 2, 3, 0xffff_0007];
    assert_eq!(out(&session)[..5], expected);
    let copy_of_register = copy(32, 16, 0).replace(", 16, 0, ", ", %r9, 0, ");
    let fault = run(&format!("mov.u32 %r9, 16;{copy_of_register}"))
        .fault()
        .map(|fault| fault.message);
    expect!["the bulk copy ignores 16 bytes at one end, expected 0 to 15"]
        .assert_eq(&fault.unwrap_or_default());
}
