//! Memory traffic of runs: by line, independent of how it is counted, without constants and parameters.

use expect_test::expect;
use warpgrid_view::model::TrafficView;
use warpgrid_view::{Scenario, Session};

/// Two warps: a load of adjacent words, a column of shared memory, atomics on one word, and a store with gaps.
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
fn traffic_is_counted_per_line() {
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
fn incremental_and_immediate_counts_agree() {
    let mut at_once = session(KERNEL);
    assert!(at_once.run_counted(u64::MAX));
    let mut in_slices = session(KERNEL);
    in_slices.seek(7);
    assert!(in_slices.count_traffic(u64::MAX));
    assert_eq!(in_slices.traffic().steps, 7);
    in_slices.run(1_000);
    // All executed steps are counted, even after the session has stepped back.
    in_slices.seek(1);
    while !in_slices.count_traffic(3) {
        assert_eq!(in_slices.position(), 1);
    }
    assert_eq!(in_slices.traffic(), at_once.traffic());
}

#[test]
fn traffic_is_recounted_after_completion_order_changes() {
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
    assert!(session.complete_operation(id));
    session.count_traffic(u64::MAX);
    assert_eq!(session.traffic().steps, position + 1);
}

/// Compiled code stores a fragment in several accesses: four of 8 bytes per lane for `f32`, at addresses that depend on the GPU generation.
#[test]
fn wmma_store_traffic_is_counted_per_access() {
    let counted = |target: &str, stride: u32| {
        let source = format!(
            ".version 7.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .b64 %a;\n.reg .f32 %f<8>;\n\
             ld.param.u64 %a, [out];\nwmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%a], {{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}}, {stride};\nret;\n}}\n"
        );
        let mut session = session(&source);
        session.run_counted(1000);
        let traffic = session.traffic().total;
        (
            traffic.requests,
            traffic.global.sectors,
            traffic.global.bytes,
        )
    };
    assert_eq!(counted("sm_80", 20), (4, 48, 1024));
    assert_eq!(counted("sm_70", 20), (4, 64, 1024));
    assert_eq!(counted("sm_80", 16), (4, 32, 1024));
}
