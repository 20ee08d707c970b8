//! Asynchronous operations, mbarriers and clusters, from text to memory: what lands, when those that wait go on, and what
//! is said of misuse.

use expect_test::expect;
use std::fmt::Write;
use warpgrid_view::model::FrameRequest;
use warpgrid_view::{MemoryId, Scenario, Session};

/// A kernel with these lines; every lane has its number in `%t`, the rank of its block in `%k`, and the address of its
/// word of `out` in `%o`. Names of registers are declared in groups.
fn source(launch: &str, body: &str) -> String {
    format!(
        "//@ launch {launch}
//@ buffer in: u32[256] = iota
//@ buffer out: u32[256] = 0
.version 8.7
.target sm_100
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .pred %p<9>, %z;
    .reg .b16 %h<4>;
    .reg .b32 %r<20>, %t, %k, %n, %m, %s;
    .reg .b64 %rd<20>, %i, %o, %g;
    .shared .align 8 .b64 bar;
    .shared .align 16 .b8 mem[1024];
    mov.u32 %t, %tid.x;
    mov.u32 %k, %cluster_ctarank;
    mov.u32 %m, bar;
    mov.u32 %s, mem;
    setp.eq.u32 %z, %t, 0;
    mov.u32 %n, %ntid.x;
    mov.u32 %r0, %ctaid.x;
    mad.lo.u32 %n, %r0, %n, %t;
    ld.param.u64 %g, [out];
    ld.param.u64 %i, [in];
    mul.wide.u32 %rd0, %n, 4;
    add.u64 %i, %i, %rd0;
    add.u64 %o, %g, %rd0;
{body}
    ret;
}}
"
    )
}

fn session(launch: &str, body: &str) -> Session {
    let scenario = Scenario {
        source: source(launch, body),
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

/// The words of `out` after a run that must end well.
fn run(launch: &str, body: &str) -> Vec<u32> {
    let mut session = session(launch, body);
    assert!(session.run(1_000_000), "it does not end");
    if let Some(fault) = session.fault() {
        panic!("line {}: {}", fault.range.line, fault.message);
    }
    out(&session)
}

fn out(session: &Session) -> Vec<u32> {
    let bytes = session.memory(&MemoryId::Buffer("out".to_owned()));
    let bytes = bytes.expect("the buffer");
    let words = bytes
        .chunks(4)
        .map(|b| b.try_into().map_or(0, u32::from_le_bytes));
    words.collect()
}

/// How the run stops.
fn fault(launch: &str, body: &str) -> String {
    let mut session = session(launch, body);
    session.run(1_000_000);
    match session.fault() {
        Some(fault) => format!("{}: {}", fault.kind.name(), fault.message),
        None => "no fault".to_owned(),
    }
}

const INIT: &str = "@%z mbarrier.init.shared::cta.b64 [%m], 1; bar.sync 0;";
const WAIT: &str = "W: mbarrier.try_wait.parity.shared::cta.b64 %p8, [%m], 0; @!%p8 bra W;";
/// Both blocks of a cluster have set up their mbarriers.
const MEET: &str = "barrier.cluster.arrive; barrier.cluster.wait;";

#[test]
fn stores_land_in_the_next_block_and_wake_those_that_wait_for_their_bytes() {
    for (width, n_bytes) in [("u32", 4), ("b64", 8), ("v2.b32", 8), ("v4.f32", 16)] {
        let value = match width {
            "b64" => "%rd1",
            "v2.b32" => "{%r1, %r2}",
            "v4.f32" => "{%r1, %r2, %r3, %r4}",
            _ => "%r1",
        };
        let body = format!(
            "{INIT}
            @%z mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], {};
            {MEET}
            xor.b32 %r5, %k, 1;
            mad.lo.u32 %r6, %t, {n_bytes}, %s;
            mapa.shared::cluster.u32 %r7, %r6, %r5;
            mapa.shared::cluster.u32 %r8, %m, %r5;
            mad.lo.u32 %r1, %k, 1000, %t;
            add.u32 %r2, %r1, 100; add.u32 %r3, %r1, 200; add.u32 %r4, %r1, 300;
            mov.b64 %rd1, {{%r1, %r2}};
            st.async.shared::cluster.mbarrier::complete_tx::bytes.{width} [%r7], {value}, [%r8];
            {WAIT}
            ld.shared.u32 %r9, [%r6+{}];
            st.global.u32 [%o], %r9;
            {MEET}",
            8 * n_bytes,
            n_bytes - 4
        );
        let found = run("grid=2 block=8 cluster=2", &body);
        let last = (n_bytes / 4 - 1) * 100;
        let expected: Vec<u32> = (0..16).map(|i| (1 - i / 8) * 1000 + i % 8 + last).collect();
        assert_eq!(found[..16], expected, "{width}");
    }
}

#[test]
fn stores_with_release_order_go_to_global_memory() {
    let body = "st.async.release.gpu.global.u32 [%o], %t;
        st.async.mmio.release.sys.global.u32 [%o+128], 7;
        red.async.release.gpu.global.add.u32 [%g+512], 2;";
    let found = run("grid=1 block=32", body);
    assert_eq!(found[..32], (0..32).collect::<Vec<_>>());
    assert_eq!((found[32], found[128]), (7, 64));
}

#[test]
fn reductions_combine_with_what_is_there_when_they_land() {
    let operations = [
        ("add.u32", 496),
        ("max.u32", 31),
        ("min.s32", 0),
        ("or.b32", 31),
        ("xor.b32", 0),
        ("inc.u32", 1),
    ];
    for (operation, expected) in operations {
        let body = format!(
            "{INIT}
            @%z mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 128;
            mapa.shared::cluster.u32 %r1, %s, %k;
            mapa.shared::cluster.u32 %r2, %m, %k;
            red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{operation} [%r1], %t, [%r2];
            {WAIT}
            ld.shared.u32 %r3, [%s];
            st.global.u32 [%o], %r3;"
        );
        let found = run("grid=1 block=32 cluster=1", &body);
        match operation {
            // Counting wraps where a lane's own number is the limit, so that the order of the lanes matters.
            "inc.u32" => assert!(found[0] <= 31, "{operation}"),
            _ => assert_eq!(found[0], expected, "{operation}"),
        }
    }
}

#[test]
fn copies_bring_what_they_say_once_their_group_is_waited_for() {
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
    // Bytes beyond the second size are zero, and all are where the predicate says so.
    assert_eq!(copied("16, 4"), [0, 40000, 80000, 120000]);
    assert_eq!(copied("16, %t")[0], 0);
    assert_eq!(copied("16, %p1"), [0, 0, 80911, 121315]);
    assert_eq!(copied("16, !%p1"), [103, 40507, 0, 0]);
}

#[test]
fn a_wait_for_groups_leaves_the_latest_pending() {
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
fn an_arrival_follows_the_copies_before_it() {
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
fn bulk_copies_go_to_several_blocks_and_back() {
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
fn bulk_copies_go_from_block_to_block_and_write_the_bytes_of_a_mask() {
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
fn a_range_of_shared_memory_becomes_zero() {
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

#[test]
fn phases_count_arrivals_and_bytes() {
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
fn addresses_of_a_cluster_say_whose_they_are() {
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
    // The own window is meant by the block with rank 1 as well.
    assert_eq!(found[8..14], [1, 1, 1, 1, 0, 42]);
}

#[test]
fn hints_change_nothing() {
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
fn misuse_is_a_fault_that_says_what_the_object_held() {
    let one = "grid=1 block=1";
    let two = "grid=2 block=1 cluster=2";
    let init = "mbarrier.init.shared::cta.b64 [%m], 2;";
    let cases = [
        (
            one,
            "mbarrier.arrive.shared::cta.b64 %rd1, [%m];".to_owned(),
        ),
        (one, format!("{init} {init}")),
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
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier at 0x0 of block 0: there is no mbarrier object
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier at 0x0 of block 0: an mbarrier object is there already, and was not invalidated; it holds phase with parity 0, 2 of 2 arrivals pending, 0 bytes awaited
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier at 0x0 of block 0: found a count of 0, expected 1 to 1048575
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier at 0x0 of block 0: 3 arrivals are more than are pending; it holds phase with parity 0, 2 of 2 arrivals pending, 0 bytes awaited
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier at 0x0 of block 0: 2 arrivals complete the phase, which `.noComplete` excludes; it holds phase with parity 0, 2 of 2 arrivals pending, 0 bytes awaited
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier at 0x0 of block 0: 1048576 awaited bytes are more than an object can count; it holds phase with parity 0, 2 of 2 arrivals pending, 0 bytes awaited
        misaligned: thread (0, 0, 0) of block (0, 0, 0): misaligned atomic access of 8 bytes at 0x4, byte 4 of shared memory (1040 bytes)
        wrong_space: thread (0, 0, 0) of block (0, 0, 0): wrong-space atomic access of 8 bytes at 0x7f0000020000, byte 0 of buffer `out` (1024 bytes)
        misaligned: thread (0, 0, 0) of block (0, 0, 0): misaligned store of 16 bytes at 0x18, byte 24 of shared memory (1040 bytes)
        bad_copy_size: thread (0, 0, 0) of block (0, 0, 0): 24 bytes, expected a multiple of 16
        out_of_bounds: thread (0, 0, 0) of block (0, 0, 0): out-of-bounds load of 2048 bytes at 0x10, byte 16 of shared memory (1040 bytes)
        bad_copy_size: thread (0, 0, 0) of block (0, 0, 0): 12 bytes, expected a multiple of 8
        distant_mbarrier: thread (0, 0, 0) of block (0, 0, 0): the mbarrier is not in the block whose shared memory the bytes go to
        mbarrier: thread (0, 0, 0) of block (0, 0, 0): mbarrier at 0x0 of block 1: there is no mbarrier object
        deadlock: block (0, 0, 0) is stuck: every thread that is left waits; warp 0 lanes 0x00000001 for the phase with parity 0 of the mbarrier at 0x0 (phase with parity 0, 2 of 2 arrivals pending, 0 bytes awaited)
        deadlock: block (0, 0, 0) is stuck: every thread that is left waits; warp 0 lanes 0x00000001 for the others at barrier 1
    "#]].assert_eq(&said);
}

#[test]
fn a_store_that_is_pending_lands_when_it_is_asked_to() {
    let body = "st.async.release.gpu.global.u32 [%o], 5; ld.global.u32 %r1, [%o]; st.global.u32 [%o+128], %r1;";
    let mut session = session("grid=1 block=1", body);
    while session.pending().is_empty() {
        assert!(session.step());
    }
    let pending = session.pending();
    let memory = Some(MemoryId::Buffer("out".to_owned()));
    assert_eq!((pending.len(), &pending[0].pieces[0].memory), (1, &memory));
    assert_eq!(
        (pending[0].pieces[0].offset, out(&session)[0]),
        (Some(0), 0)
    );
    let start = session.position();
    assert!(session.land(pending[0].id));
    assert_eq!(out(&session)[0], 5);
    session.run(u64::MAX);
    assert_eq!(out(&session)[32], 5, "the load sees it");
    // In the natural order the load comes first.
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
fn time_goes_back_over_phases_groups_and_landings() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../public/examples/cluster-messages.ptx"
    ));
    let source = text.expect("the example");
    for seed in [0, 5, 6] {
        let scenario = Scenario {
            source: source.clone(),
            seed,
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

#[test]
fn an_mbarrier_shows_its_phase_what_comes_and_who_waits() {
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
fn an_invalidated_mbarrier_is_gone_and_comes_back_with_the_past() {
    let body = format!("{INIT} bar.sync 0; @%z mbarrier.inval.shared::cta.b64 [%m];");
    let mut session = session("grid=1 block=8", &body);
    session.run(1_000);
    assert_eq!(session.mbarriers(), []);
    while session.mbarriers().is_empty() {
        assert!(session.back(), "it was there");
    }
    assert_eq!(session.mbarriers()[0].offset % 8, 0);
}

#[test]
fn the_blocks_of_a_cluster_are_side_by_side() {
    let mut session = session("grid=4 block=8 cluster=2", &format!("{INIT} {MEET}"));
    let cluster = session.cluster(3).expect("its blocks have places");
    let blocks: Vec<_> = cluster.blocks.iter().map(|b| (b.rank, b.block)).collect();
    assert_eq!(blocks, [(0, 2), (1, 3)]);
    let frame = session.frame(&FrameRequest {
        warp: Some((3, 0)),
        ..FrameRequest::default()
    });
    let shown = [0, 2, 3].map(|block| frame.shows(&MemoryId::Shared(block)));
    assert_eq!(shown, [false, true, true]);
    let mut alone = self::session("grid=4 block=8", "");
    assert_eq!(alone.cluster(0), None);
    let frame = alone.frame(&FrameRequest::default());
    assert!(frame.shows(&MemoryId::Shared(0)) && !frame.shows(&MemoryId::Shared(1)));
}

#[test]
fn the_source_of_a_bulk_copy_is_read_before_it_lands_and_can_be_waited_for() {
    // Each lane copies 16 bytes of shared memory to its place, and writes the source again: after it was read.
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
            seed,
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
    // Without the wait some orders copy what was written too early.
    let early = (0..40).any(|seed| ends("", seed) != [0, 1, 2, 3]);
    assert!(early);
    // A source that was read has not landed yet.
    let mut session = session("grid=1 block=4", &body("cp.async.bulk.wait_group.read 0;"));
    while session.pending().is_empty() {
        assert!(session.step());
    }
    assert!(session.run_to_store(1_000));
    assert!(!session.pending().is_empty());
}

#[test]
fn copies_leave_out_bytes_at_both_ends() {
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
    // The first three bytes and the last two stay as they were.
    let expected = [0x00ff_ffff, 1, 2, 3, 0xffff_0007];
    assert_eq!(out(&session)[..5], expected);
    let fault = run(&copy(32, 16, 0)).fault().map(|fault| fault.message);
    expect!["found 16 bytes to leave out at one end of a copy, expected 0 to 15"]
        .assert_eq(&fault.unwrap_or_default());
}

#[test]
fn every_object_has_the_one_layout() {
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

#[test]
fn clusters_that_the_kernel_or_the_target_excludes_are_refused() {
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
        the kernel's `.reqnctapercluster` says 2x1x1, the launch 4x1x1
        the kernel's `.maxclusterrank` says 2x1x1, the launch 4x1x1
        grid 3x1x1 is not a whole number of clusters of 2x1x1
        cluster.x is 17, more than 16
        cluster 0x1x1 has an extent of zero
    "#]]
    .assert_eq(&all.join("\n"));
}
