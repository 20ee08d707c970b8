//! Completion of asynchronous operations on request, and steps back over completions.

use super::{out, session};
use warpgrid_view::{MemoryKey, Scenario, Session};

#[test]
fn complete_operation_completes_pending_store_on_request() {
    let body = "st.async.release.gpu.global.u32 [%o], 5; ld.global.u32 %r1, [%o]; st.global.u32 [%o+128], %r1;";
    let mut session = session("grid=1 block=1", body);
    while session.pending().is_empty() {
        assert!(session.step());
    }
    let pending = session.pending();
    let memory = Some(MemoryKey::Buffer("out".to_owned()));
    assert_eq!((pending.len(), &pending[0].pieces[0].memory), (1, &memory));
    assert_eq!(
        (pending[0].pieces[0].offset, out(&session)[0]),
        (Some(0), 0)
    );
    let start = session.position();
    assert!(session.complete_operation(pending[0].id));
    assert_eq!(out(&session)[0], 5);
    session.run(u64::MAX);
    assert_eq!(out(&session)[32], 5, "the load sees it");
    // In the natural order, the load precedes the completion.
    let mut natural = natural_run(body);
    natural.seek(start);
    assert_eq!(natural.pending().len(), 1);
    natural.run(u64::MAX);
    assert_eq!(out(&natural)[32], 0);
}

fn natural_run(body: &str) -> Session {
    session("grid=1 block=1", body)
}

#[test]
fn seek_back_restores_memory_and_pending_operations() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../public/examples/cluster-messages.ptx"
    ));
    let source = text.expect("the example");
    for seed in [0, 5, 6] {
        let scenario = Scenario {
            source: source.clone(),
            seed: Some(seed),
            ..Scenario::default()
        };
        let mut session = Session::new(scenario.clone()).expect("a kernel that runs");
        let mut seen = Vec::new();
        loop {
            seen.push((out(&session), session.pending()));
            if !session.step() {
                break;
            }
        }
        for at in (0..seen.len()).rev().step_by(7).chain([seen.len() / 2, 1]) {
            session.seek(at as u64);
            assert_eq!(
                (out(&session), session.pending()),
                seen[at],
                "seed {seed} at {at}"
            );
        }
    }
}
