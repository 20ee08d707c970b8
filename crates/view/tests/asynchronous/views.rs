//! Displayed form of mbarriers and clusters.

use super::{INIT, MEET, WAIT, session};
use expect_test::expect;
use warpgrid_view::MemoryKey;
use warpgrid_view::model::FrameRequest;

#[test]
fn mbarrier_view_shows_phase_bytes_in_flight_and_waiters() {
    let body = format!(
        "{INIT}
        @%z mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 16;
        @%z st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%s], %rd0, [%m];
        {WAIT}
        st.shared.b64 [%m], 0;"
    );
    let mut session = session("grid=1 block=8 cluster=1", &body);
    assert_eq!(session.mbarriers(), []);
    let mut seen = String::new();
    while session.step() {
        for object in session.mbarriers() {
            let phase = object
                .phase
                .map(|p| (p.parity, p.pending, p.expected, p.bytes));
            let waits = object.waiting.iter().map(|w| (w.warp, w.lanes, w.parity));
            let line = format!(
                "{:?} {phase:?}, {} bytes in flight, {:?}\n",
                object.name,
                object.bytes_in_flight,
                waits.collect::<Vec<_>>()
            );
            if !seen.ends_with(&line) {
                seen += &line;
            }
        }
    }
    expect![[r#"
        Some("bar") Some((0, 1, 1, 0)), 0 bytes in flight, []
        Some("bar") Some((0, 0, 1, 16)), 0 bytes in flight, []
        Some("bar") Some((0, 0, 1, 16)), 8 bytes in flight, []
        Some("bar") Some((0, 0, 1, 8)), 0 bytes in flight, [(0, 255, 0)]
    "#]]
    .assert_eq(&seen);
}

#[test]
fn step_back_restores_invalidated_mbarrier() {
    let body = format!("{INIT} bar.sync 0; @%z mbarrier.inval.shared::cta.b64 [%m];");
    let mut session = session("grid=1 block=8", &body);
    session.run(1_000);
    assert_eq!(session.mbarriers(), []);
    while session.mbarriers().is_empty() {
        assert!(session.step_back(), "it was there");
    }
    assert_eq!(session.mbarriers()[0].offset % 8, 0);
}

#[test]
fn frame_shows_shared_memory_of_all_cluster_blocks() {
    let mut session = session("grid=4 block=8 cluster=2", &format!("{INIT} {MEET}"));
    let cluster = session.cluster(3).expect("its blocks have places");
    let blocks: Vec<_> = cluster.blocks.iter().map(|b| (b.rank, b.block)).collect();
    assert_eq!(blocks, [(0, 2), (1, 3)]);
    let frame = session.frame(&FrameRequest {
        warp: Some((3, 0)),
        ..FrameRequest::default()
    });
    let shown = [0, 2, 3].map(|block| frame.shows(&MemoryKey::Shared(block)));
    assert_eq!(shown, [false, true, true]);
    let mut alone = super::session("grid=4 block=8", "");
    assert_eq!(alone.cluster(0), None);
    let frame = alone.frame(&FrameRequest::default());
    assert!(frame.shows(&MemoryKey::Shared(0)) && !frame.shows(&MemoryKey::Shared(1)));
}
