//! Distributed runs, in which other hosts execute blocks with their own sessions of the launch.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;
use warpgrid_view::api::ReportRequest;
use warpgrid_view::model::EngineChoice;
use warpgrid_view::session::distributed_run::{DistributedRun, WorkerPolicy};
use warpgrid_view::session::translated_run::{
    LinearMemory, Partition, RunLimits, WasmtimeEngine, WasmtimeInstance,
};
use warpgrid_view::{HybridSession, Scenario, Session};

/// Blocks are distributed as early as possible.
const AT_ONCE: WorkerPolicy = WorkerPolicy {
    n_hosts: 3,
    alone: Duration::ZERO,
    start: Duration::ZERO,
};

const LIMITS: RunLimits = RunLimits {
    max_steps: 100_000_000,
    min_steps_per_second: None,
};

/// Each thread counts to 20,000 and then executes `lines`, with its index in `%t`, the address of a word in `%q`, and a value in `%x`.
fn launch(lines: &str) -> Session {
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64
//@ launch grid=64 block=32
//@ buffer out: u32[4096] = iota
.visible .entry k(.param .u64 out) {{
.reg .b32 %i, %x, %t, %n; .reg .pred %p; .reg .b64 %q, %o;
mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 32, %t; mul.wide.u32 %o, %t, 4;
mov.u32 %i, 0; mov.u32 %x, %t;
again: mad.lo.u32 %x, %x, %x, %i; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 20000; @%p bra again;
ld.param.b64 %q, [out]; add.s64 %q, %q, %o;
{lines}
ret; }}"
    );
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Memory of another host.
struct Sent(Vec<u8>);

impl LinearMemory for Sent {
    fn read(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.0.get(range).unwrap_or_default())
    }
}

fn send(part: &Partition<WasmtimeInstance>) -> Partition<Sent> {
    let memory = part.memory().read(0..part.n_bytes() as usize);
    Partition::from_host(part.facts(), Sent(memory.into_owned()))
}

fn begun(lines: &str) -> DistributedRun<WasmtimeEngine> {
    let session = launch(lines)
        .restart_without_last_writers()
        .expect("a launch");
    let run = DistributedRun::new(session, WasmtimeEngine::get(), LIMITS);
    run.unwrap_or_else(|reason| panic!("{}", reason.0))
}

/// Runs a launch on three hosts. Returns the final session, the number of attempts and a description of the run, or the reason why the run
/// is not translated.
fn run_by_three(lines: &str) -> Result<(Session, usize, String), String> {
    let mut own = begun(lines);
    let shares = own
        .begin(WasmtimeEngine::get(), AT_ONCE)
        .map_err(|reason| reason.0)?;
    assert_eq!(shares.len(), 2, "{lines}");
    let mut others = [begun(lines), begun(lines)];
    let mut tries = 0;
    loop {
        tries += 1;
        let noted = own.tracked_ranges().to_vec();
        let mut sent = Vec::new();
        for (other, blocks) in others.iter_mut().zip(&shares) {
            let part = other.run_share(WasmtimeEngine::get(), blocks.clone(), &noted);
            sent.push(send(part.map_err(|reason| reason.0)?));
        }
        while !own
            .run_local_blocks(Some(Duration::ZERO))
            .map_err(|reason| reason.0)?
        {}
        if own.join(&sent).map_err(|reason| reason.0)? {
            let (session, took) = own.finish().map_err(|reason| reason.0)?;
            return Ok((session, tries, took.to_string()));
        }
    }
}

#[test]
fn run_distributed_over_three_hosts_matches_interpreter() {
    // Distinct words per thread, distinct words in an order that the analysis cannot prove, and words without stores that are read from the
    // first block on or by the last blocks only.
    for (lines, tries) in [
        ("st.global.u32 [%q], %x;", 1),
        (
            "xor.b32 %t, %t, 511; ld.param.b64 %q, [out]; mul.wide.u32 %o, %t, 4; add.s64 %q, %q, %o; st.global.u32 [%q], %x;",
            1,
        ),
        (
            "ld.global.u32 %n, [%q+8192]; add.u32 %x, %x, %n; st.global.u32 [%q], %x;",
            1,
        ),
        (
            "setp.lt.u32 %p, %n, 43; @%p bra store; ld.param.b64 %o, [out]; ld.global.u32 %n, [%o+16000]; add.u32 %x, %x, %n; store: st.global.u32 [%q], %x;",
            2,
        ),
    ] {
        let (shared, found, words) = run_by_three(lines).expect(lines);
        assert!(words.contains(" in 3 parts: "), "{words}");
        assert_eq!(found, tries, "{lines}");
        let mut alone = launch(lines);
        assert!(alone.run(LIMITS.max_steps));
        assert_eq!(shared.position(), alone.position(), "{lines}");
        let memory = |session: &Session| session.memory(&"out".into()).map(<[u8]>::to_vec);
        assert_eq!(memory(&shared), memory(&alone), "{lines}");
    }
}

#[test]
fn cross_host_memory_conflict_falls_back_to_interpreter() {
    // After these iterations, all values of `%x` are equal, and those of `%t` differ.
    let meets = "ld.param.b64 %q, [out]; st.global.u32 [%q], %t;";
    let reason = run_by_three(meets).err();
    assert_eq!(
        reason.as_deref(),
        Some("threads access the same memory location without synchronization")
    );
}

#[test]
fn single_host_distributes_no_blocks() {
    let mut run = begun("st.global.u32 [%q], %x;");
    let shares = run.begin(
        WasmtimeEngine::get(),
        WorkerPolicy {
            n_hosts: 1,
            ..AT_ONCE
        },
    );
    assert_eq!(shares, Ok(Vec::new()));
    let (session, _) = run.finish().expect("an end");
    assert!(session.is_finished());
}

#[test]
fn interpreter_recovers_step_counts_of_divergent_warps() {
    let lines = "and.b32 %n, %t, 31; setp.lt.u32 %p, %n, 20; @%p bra store; add.u32 %x, %x, 1; store: st.global.u32 [%q], %x;";
    let request = ReportRequest {
        max_steps: LIMITS.max_steps,
        ..ReportRequest::default()
    };
    let mut interpreted = launch(lines);
    let expected = interpreted.report(&request);
    let (end, memory) = (interpreted.position(), interpreted.memory(&"out".into()));
    let mut held = HybridSession::new(launch(lines));
    let report = held.report_with_engine(WasmtimeEngine::get(), &request, EngineChoice::Translated);
    assert_eq!((report.steps, report.stores), (None, None));
    assert_eq!(report.lane_instructions, expected.lane_instructions);
    assert_eq!((report.ok, report.notes), (expected.ok, expected.notes));
    assert_eq!(held.final_session().memory(&"out".into()), memory);
    assert!(!held.step());
    // Steps back from an end without step counts.
    let counted = held.counted();
    assert_eq!((counted.position(), counted.length()), (end, Some(end)));
    let mut alone = launch(lines)
        .restart_without_last_writers()
        .expect("a launch");
    alone
        .run_translated(WasmtimeEngine::get(), LIMITS)
        .expect("an end");
    assert_eq!(alone.step_counts(), None);
    assert!(!alone.step() && alone.step_back());
    assert_eq!((alone.position(), alone.length()), (end - 1, Some(end)));
}
