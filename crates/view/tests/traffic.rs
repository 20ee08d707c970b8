//! The traffic of runs: by line, the same however it is counted, and without the constants and parameters.

use expect_test::expect;
use warpgrid_view::traffic::TrafficView;
use warpgrid_view::{Scenario, Session};

/// Two warps: a load of neighbours, a column of shared memory, atomics on one word, a store with gaps.
const KERNEL: &str = "//@ launch grid=1 block=64
//@ buffer in: u32[64] = iota
//@ buffer out: u32[256] = 0
.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %t, %s, %v;
    .reg .b64 %a, %b;
    .shared .align 4 .b8 mem[8192];
    ld.param.u64 %a, [in];
    ld.param.u64 %b, [out];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %a, %t, 4, %a;
    mad.wide.u32 %b, %t, 16, %b;
    mov.u32 %s, mem;
    ld.global.u32 %v, [%a];
    red.shared.add.u32 [%s], %v;
    mad.lo.u32 %s, %t, 128, %s;
    st.shared.u32 [%s], %v;
    st.global.cs.u32 [%b], %v;
    ret;
}
";

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    Session::new(scenario).expect("it runs")
}

fn text(traffic: &TrafficView) -> String {
    let mut text = format!("{} steps\n", traffic.steps);
    for line in &traffic.lines {
        let (global, shared) = (line.traffic.global, line.traffic.shared);
        text += &format!(
            "{}: {} requests of {} lanes, {} sectors ({} excessive), {} lines, {} wavefronts ({} conflicts)\n",
            line.opcode,
            line.traffic.requests,
            line.traffic.lanes,
            global.sectors,
            global.sectors_excessive,
            global.lines,
            shared.wavefronts,
            shared.bank_conflicts,
        );
    }
    text
}

#[test]
fn each_line_that_accesses_memory_is_counted() {
    let mut session = session(KERNEL);
    assert!(session.run(1_000));
    assert!(session.count_traffic(u64::MAX));
    let traffic = session.traffic();
    expect![[r#"
        24 steps
        ld.global.u32: 2 requests of 64 lanes, 8 sectors (0 excessive), 2 lines, 0 wavefronts (0 conflicts)
        red.shared.add.u32: 2 requests of 64 lanes, 0 sectors (0 excessive), 0 lines, 64 wavefronts (62 conflicts)
        st.shared.u32: 2 requests of 64 lanes, 0 sectors (0 excessive), 0 lines, 64 wavefronts (62 conflicts)
        st.global.cs.u32: 2 requests of 64 lanes, 32 sectors (24 excessive), 8 lines, 0 wavefronts (0 conflicts)
    "#]]
    .assert_eq(&text(&traffic));
    let sum: u64 = traffic.lines.iter().map(|line| line.traffic.requests).sum();
    assert_eq!(traffic.total.requests, sum);
}

#[test]
fn every_way_of_counting_gives_the_same() {
    let mut at_once = session(KERNEL);
    assert!(at_once.run_counted(u64::MAX));
    let mut in_slices = session(KERNEL);
    in_slices.seek(7);
    assert!(in_slices.count_traffic(u64::MAX));
    assert_eq!(in_slices.traffic().steps, 7);
    in_slices.run(1_000);
    // All steps that were taken are counted, also where the run has gone back.
    in_slices.seek(1);
    while !in_slices.count_traffic(3) {
        assert_eq!(in_slices.position(), 1);
    }
    assert_eq!(in_slices.traffic(), at_once.traffic());
}

#[test]
fn another_future_is_counted_anew() {
    let source = KERNEL.replace(
        "    ret;",
        "    cp.async.ca.shared.global [%s], [%a], 4;\n    cp.async.wait_all;\n    ret;",
    );
    let mut session = session(&source);
    while session.pending().is_empty() {
        assert!(session.step());
    }
    let position = session.position();
    let id = session.pending()[0].id;
    session.run(1_000);
    session.count_traffic(u64::MAX);
    session.seek(position);
    assert!(session.land(id));
    session.count_traffic(u64::MAX);
    assert_eq!(session.traffic().steps, position + 1);
}
