//! Reduction of kernels with findings. Each reduced kernel has the same finding, and no statement of it can be removed.

use expect_test::{Expect, expect};
use warpgrid_view::Scenario;
use warpgrid_view::analysis::findings::{AnalysisLimits, FindingKind};
use warpgrid_view::analysis::reduction::{ReductionReport, reduce_finding, reduce_while};

const LIMITS: AnalysisLimits = AnalysisLimits {
    max_steps: 100_000,
    seeds: 1,
};

fn scenario(source: &str) -> Scenario {
    Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    }
}

fn reduced(source: &str, kind: FindingKind) -> ReductionReport {
    let reduced = reduce_finding(&scenario(source), kind, LIMITS, &mut |_| true);
    reduced.unwrap_or_else(|error| panic!("{error}"))
}

fn check(source: &str, kind: FindingKind, expect: Expect) {
    let report = reduced(source, kind);
    expect.assert_eq(&format!(
        "{}// {}\n",
        report.reduced.source, report.finding.message
    ));
    assert!(report.reduced.statements_after <= report.reduced.statements_before);
    let again = reduced(&report.reduced.source, kind);
    assert_eq!(again.reduced.source, report.reduced.source);
}

/// Producer that waits for a phase of `empty` that only its own arrivals could complete. The launch is inferred.
const HANG: &str = include_str!("../../launch/tests/data/launches/wait-for-own-arrivals.ptx");

#[test]
fn hang_keeps_the_wait_and_states_its_launch() {
    check(
        HANG,
        FindingKind::Hang,
        expect![[r#"
        //@ launch grid=1 block=1
        .version 8.6
        .target sm_90
        .address_size 64
        .visible .entry k()
        {
            .reg .pred %p<4>;
            .reg .b32 %r<9>;
            .shared .align 8 .b64 empty;
            mov.u32 %r3, empty;
            mbarrier.init.shared::cta.b64 [%r3], 1;
            mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;
            mbarrier.arrive.shared::cta.b64 _, [%r3];
        }
        // thread 0 of block 0 waits for the mbarrier `empty` (line 12) with phase 0, parity 0, pending count 1 and tx-count 0; line 13: this arrival is executed only after the wait for the phase that the arrival must complete
    "#]],
    );
}

#[test]
fn data_race_keeps_both_accesses() {
    let source = include_str!("../../../public/examples/bug-cudnn-frontend-426-before.ptx");
    check(
        source,
        FindingKind::DataRace,
        expect![[r#"
        //@ launch grid=1 block=64
        .version 8.6
        .target sm_90
        .address_size 64
        .visible .entry kernel()
        {
            .reg .pred %p1, %p2, %p3, %p4;
            .reg .b32 %t, %r1, %r2, %r4, %r9;
            .shared .align 128 .b32 tile[64];
            mov.u32 %t, %tid.x;
            mov.u32 %r1, tile;
            mad.lo.u32 %r2, %t, 4, %r1;
            setp.ge.u32 %p2, %t, 32;
            @%p2 bra CONSUME;
            st.shared.u32 [%r2], 0;
            bra DONE;
        CONSUME:
            ld.shared.u32 %r9, [%r2+-128];
        DONE:
        }
        // thread 0 of block 0 writes `tile` at line 15, thread 32 of block 0 reads it at line 18: neither access happens before the other
    "#]],
    );
}

#[test]
fn error_keeps_its_code() {
    let source = "//@ launch grid=1 block=32
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.global.v2.u32 [%rd1], %r1;
    ret;
}
";
    check(
        source,
        FindingKind::Diagnostic,
        expect![[r#"
        .version 8.0
        .target sm_80
        .address_size 64
        .visible .entry k()
        {
            .reg .b64 %rd<4>;
            st.global.v2.u32 [%rd1], 0;
        }
        // found 1 element, expected 2
    "#]],
    );
}

#[test]
fn source_without_the_finding_is_refused() {
    let source = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n";
    let refused = |kind| {
        let reduced = reduce_finding(&scenario(source), kind, LIMITS, &mut |_| true);
        reduced.expect_err("no finding").message
    };
    assert_eq!(
        refused(FindingKind::DataRace),
        "the source has no data race"
    );
    assert_eq!(refused(FindingKind::Diagnostic), "the source has no error");
}

/// Kernel whose store is guarded by a predicate.
const GUARDED: &str = "//@ launch grid=1 block=1
//@ buffer in: u32[1] = 5
//@ buffer out: u32[1] = 0
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    ld.global.u32 %r0, [%rd0];
    mov.u32 %r1, 3;
    max.u32 %r2, %r0, %r1;
    setp.gt.u32 %p, %r2, 4;
    @%p st.global.u32 [%rd1], 1;
    ret;
}
";

#[test]
fn reduced_source_reads_no_unwritten_register() {
    let mut has_guard = |scenario: &Scenario| scenario.source.contains("@%p st.global");
    let reduced = reduce_while(&scenario(GUARDED), LIMITS, &mut |_| true, &mut has_guard);
    let source = reduced.expect("a reduced source").source;
    // The analysis of the run does not follow guards, but the predicate must be written.
    assert!(source.contains("setp.gt.u32 %p"), "{source}");
    assert!(!source.contains("max.u32"), "{source}");
}

#[test]
fn source_without_the_property_is_refused() {
    let refused = |source: &str| {
        let reduced = reduce_while(&scenario(source), LIMITS, &mut |_| true, &mut |_| false);
        reduced.expect_err("no property").message
    };
    assert_eq!(refused(GUARDED), "the source does not have the property");
    let message = refused(&GUARDED.replace("max.u32", "max.v32"));
    assert!(
        message.starts_with("the source has an error: "),
        "{message}"
    );
}

#[test]
fn stopped_reduction_returns_the_shortest_source_so_far() {
    let mut n_observed = 0;
    let reduced = reduce_finding(&scenario(HANG), FindingKind::Hang, LIMITS, &mut |_| {
        n_observed += 1;
        n_observed <= 10
    });
    let report = reduced.expect("a finding");
    assert_eq!(report.reduced.attempts, 10);
    assert!(report.reduced.statements_after <= report.reduced.statements_before);
    assert_eq!(report.finding.kind, FindingKind::Hang);
}
