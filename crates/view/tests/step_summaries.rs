//! Summary sentences of steps. All numbers can be verified by hand.

use expect_test::{Expect, expect};
use warpgrid_view::model::{FrameRequest, SessionFrame};
use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Checks the sentence after each store of one warp that executes `body`, with the address in `%rd1` and the lane in `%r1`.
fn check(body: &str, expect: Expect) {
    check_steps(&kernel(body), |frame| frame.store.is_some(), expect);
}

/// Checks the sentence after each step of `body`, under the conditions of [`check`].
fn check_all(body: &str, expect: Expect) {
    let source = kernel(body);
    let first = source.lines().position(|line| line.contains("// body"));
    let first = first.map_or(0, |line| line as u32 + 2);
    let is_inside = |frame: &SessionFrame| {
        let last = frame.last.as_ref();
        last.is_some_and(|last| last.range.line >= first && last.opcode != "ret")
    };
    check_steps(&source, is_inside, expect);
}

fn kernel(body: &str) -> String {
    format!(
        "//@ launch grid=1 block=32\n//@ buffer out: u32[256] = 0\n//@ buffer more: u32[256] = 0\n\
         .version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 more)\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<4>; .shared .align 16 .b32 sm[1024]; .local .b32 own[4];\n\
         ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [more]; mov.u32 %r1, %tid.x; // body\n{body}\nret;\n}}\n"
    )
}

/// Checks the sentences after the steps of `source` that `is_listed` selects.
fn check_steps(source: &str, is_listed: impl Fn(&SessionFrame) -> bool, expect: Expect) {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    check_scenario(scenario, is_listed, expect);
}

/// Checks the sentences after the steps of a scenario that `is_listed` selects.
fn check_scenario(scenario: Scenario, is_listed: impl Fn(&SessionFrame) -> bool, expect: Expect) {
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    let mut said = String::new();
    while session.step() {
        let frame = session.frame(&FrameRequest::default());
        if is_listed(&frame) {
            said.extend(frame.sentence.iter().map(|phrase| phrase.text.as_str()));
            said.push('\n');
        }
    }
    expect.assert_eq(&said);
}

#[test]
fn sector_utilization_counts_distinct_bytes() {
    check(
        "shr.u32 %r3, %r1, 3; mad.wide.u32 %rd3, %r3, 32, %rd1; st.global.u32 [%rd3], %r1;",
        expect![[r#"
            st.global.u32: 32 lanes stored 128 bytes to `out`, 4 sectors, ideal 1; other lanes overwrote the bytes of 28 lanes.
        "#]],
    );
}

#[test]
fn sink_elements_are_not_counted_as_written() {
    check(
        "mad.wide.u32 %rd3, %r1, 32, %rd1; st.global.v8.b32 [%rd3], {%r1, _, %r1, _, %r1, _, _, _};",
        expect![[r#"
            st.global.v8.b32: 32 lanes stored 384 bytes to `out`, 32 sectors, ideal 12; stride 32 bytes.
        "#]],
    );
}

#[test]
fn store_to_two_memories_names_both() {
    check(
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; selp.b64 %rd8, %rd1, %rd2, %p1; shr.u32 %r3, %r1, 1;
         mad.wide.u32 %rd3, %r3, 4, %rd8; st.global.u32 [%rd3], %r1;",
        expect![[r#"
            st.global.u32: 32 lanes stored 128 bytes to `more` and `out`, 4 sectors, ideal 4.
        "#]],
    );
    check(
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u64 %rd4, sm; cvta.shared.u64 %rd5, %rd4;
         selp.b64 %rd8, %rd1, %rd5, %p1; shr.u32 %r3, %r1, 1; mad.wide.u32 %rd3, %r3, 4, %rd8; st.u32 [%rd3], %r1;",
        expect![[r#"
            st.u32: 32 lanes stored 128 bytes to the shared memory of block 0 and `out`, 2 sectors, ideal 2, 1 wavefront, ideal 1.
        "#]],
    );
}

#[test]
fn store_to_global_and_local_memory_names_both() {
    check(
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u64 %rd4, own; cvta.local.u64 %rd5, %rd4;
         mad.wide.u32 %rd3, %r1, 4, %rd1; selp.b64 %rd3, %rd3, %rd5, %p1; st.u32 [%rd3], %r1;",
        expect![[r#"
            st.u32: 32 lanes stored 128 bytes to `out` and local memory, 4 sectors, ideal 2.
        "#]],
    );
}

#[test]
fn atomic_summary_counts_memory_updates() {
    // One successful exchange, and 31 failed comparisons.
    check(
        "add.u32 %r3, %r1, 7; atom.global.cas.b32 %r2, [%rd1], 0, %r3;",
        expect![[r#"
            atom.global.cas.b32: 32 atomics on 1 word of `out`, 1 sector, ideal 1; 31 lanes did not modify memory.
        "#]],
    );
    // An atomic that leaves memory unmodified still costs its wavefront and its sector.
    check(
        "red.shared.max.u32 [sm], %r1; shl.b32 %r3, %r1, 5; cvt.u64.u32 %rd3, %r3; add.u64 %rd3, %rd1, %rd3;
         and.b32 %r4, %r1, 1; atom.global.cas.b32 %r2, [%rd3], %r4, 9;",
        expect![[r#"
            red.shared.max.u32: 32 reductions on 1 word of the shared memory of block 0, 32 wavefronts, ideal 1; 1 lane did not modify memory.
            atom.global.cas.b32: 32 atomics on 32 words of `out`, 32 sectors, ideal 4; 16 lanes did not modify memory.
        "#]],
    );
    // No comparison succeeds.
    check(
        "mad.wide.u32 %rd3, %r1, 4, %rd1; atom.global.cas.b32 %r2, [%rd3], 5, %r1;",
        expect![[r#"
            atom.global.cas.b32: 32 atomics on 32 words of `out`, 4 sectors, ideal 4; memory was not modified.
        "#]],
    );
    check(
        "red.global.add.u32 [%rd1], 1;",
        expect![[r#"
            red.global.add.u32: 32 reductions on 1 word of `out`, 1 sector, ideal 1.
        "#]],
    );
    // Zero is added, so memory is written without a change.
    check(
        "red.global.add.u32 [%rd1], 0;",
        expect![[r#"
            red.global.add.u32: 32 reductions on 1 word of `out`, 1 sector, ideal 1.
        "#]],
    );
    // The order of lanes with distinct addresses is irrelevant.
    check(
        "mad.wide.u32 %rd3, %r1, 4, %rd1; red.global.add.u32 [%rd3], %r1;",
        expect![[r#"
            red.global.add.u32: 32 reductions on 32 words of `out`, 4 sectors, ideal 4.
        "#]],
    );
    check(
        "atom.shared.add.u32 %r2, [sm], 1;",
        expect![[r#"
            atom.shared.add.u32: 32 atomics on 1 word of the shared memory of block 0, 32 wavefronts, ideal 1.
        "#]],
    );
}

#[test]
fn opcode_is_separated_from_adjacent_operands() {
    check(
        "setp.lt.u32 %p1, %r1, 12; mad.wide.u32 %rd3, %r1, 4, %rd1; @ %p1 st.global.u32[%rd3],%r1;",
        expect![[r#"
            st.global.u32: 12 lanes stored 48 bytes to `out`, 2 sectors, ideal 2; contiguous; 20 lanes predicated off.
        "#]],
    );
}

#[test]
fn wavefronts_are_compared_with_ideal_count() {
    check(
        "shl.b32 %r3, %r1, 4; mov.u32 %r4, sm; add.u32 %r3, %r3, %r4; st.shared.v4.b32 [%r3], {%r1, %r1, %r1, %r1};
         shl.b32 %r5, %r1, 7; add.u32 %r5, %r5, %r4; st.shared.u32 [%r5], %r1;",
        expect![[r#"
            st.shared.v4.b32: 32 lanes stored 512 bytes to the shared memory of block 0, 4 wavefronts, ideal 4; contiguous.
            st.shared.u32: 32 lanes stored 128 bytes to the shared memory of block 0, 32 wavefronts, ideal 1; stride 128 bytes.
        "#]],
    );
}

#[test]
fn equal_values_stored_to_same_address_are_not_reported_lost() {
    check(
        "mov.u32 %r3, 3; st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r1;",
        expect![[r#"
            st.global.u32: 32 lanes stored 128 bytes to `out`, 1 sector, ideal 1; same address, equal values.
            st.global.u32: 32 lanes stored 128 bytes to `out`, 1 sector, ideal 1; other lanes overwrote the bytes of 31 lanes.
        "#]],
    );
    // Pairs of lanes access the same address, and lanes access two memories.
    check(
        "and.b32 %r3, %r1, 30; mad.wide.u32 %rd3, %r3, 4, %rd1; st.global.u64 [%rd3], %rd3;
         setp.lt.u32 %p1, %r1, 16; selp.b64 %rd4, %rd1, %rd2, %p1; st.global.u64 [%rd4], %rd1;",
        expect![[r#"
            st.global.u64: 32 lanes stored 256 bytes to `out`, 4 sectors, ideal 4; some lanes stored equal values to the same bytes.
            st.global.u64: 32 lanes stored 256 bytes to `out` and `more`, 2 sectors, ideal 1; some lanes stored equal values to the same bytes.
        "#]],
    );
    // Each thread has its own local memory.
    check(
        "st.local.u32 [own], %r1; and.b32 %r3, %r1, 4; cvt.u64.u32 %rd3, %r3; mov.u64 %rd4, own; add.u64 %rd3, %rd3, %rd4;
         st.local.u32 [%rd3], 7;",
        expect![[r#"
            st.local.u32: 32 lanes stored 128 bytes to local memory.
            st.local.u32: 32 lanes stored 128 bytes to local memory.
        "#]],
    );
}

#[test]
fn loads_are_compared_with_ideal_costs() {
    check_all(
        "mad.wide.u32 %rd3, %r1, 16, %rd1; ld.global.v2.u32 {%r3, %r4}, [%rd3];
         shl.b32 %r3, %r1, 5; mov.u32 %r4, sm; add.u32 %r3, %r3, %r4; ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];
         ld.shared.u32 %r5, [sm]; ld.local.u32 %r5, [own]; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r3];",
        expect![[r#"
            mad.wide.u32: `%rd3` = 0x7f0000000000, 0x7f0000000010, 0x7f0000000020, … in 32 lanes.
            ld.global.v2.u32: 32 lanes loaded 256 bytes from `out`, 16 sectors, ideal 8; stride 16 bytes.
            shl.b32: `%r3` = 0, 32, 64, … in 32 lanes.
            mov.u32: `%r4` = 0 in 32 lanes.
            add.u32: `%r3` = 0, 32, 64, … in 32 lanes.
            ld.shared.v4.u32: 32 lanes loaded 512 bytes from the shared memory of block 0, 8 wavefronts, ideal 4; stride 32 bytes.
            ld.shared.u32: 32 lanes loaded 128 bytes from the shared memory of block 0, 1 wavefront, ideal 1; same address.
            ld.local.u32: 32 lanes loaded 128 bytes from local memory.
            ldmatrix.sync.aligned.m8n8.x4.shared.b16: 32 lanes loaded 512 bytes from the shared memory of block 0, 8 wavefronts, ideal 4.
        "#]],
    );
}

#[test]
fn results_and_branches_are_summarized() {
    check_all(
        "setp.lt.u32 %p1, %r1, 12; add.u32 %r3, %r1, 5; mov.u32 %r4, 7;
         @%p1 mov.u32 %r4, 9; setp.lt.u32 %p2, %r1, 0; @%p2 mov.u32 %r4, 1;
         vote.sync.ballot.b32 %r5, %p1, -1; redux.sync.add.u32 %r6, %r1, -1; shfl.sync.bfly.b32 %r7, %r1, 1, 0x1f, -1;
         @%p1 bra L; bar.warp.sync -1; L: fence.acq_rel.gpu; bra.uni M; M: membar.gl;",
        expect![[r#"
            setp.lt.u32: `%p1` is true in 12 of 32 lanes.
            add.u32: `%r3` = 5, 6, 7, … in 32 lanes.
            mov.u32: `%r4` = 7 in 32 lanes.
            mov.u32: `%r4` = 9 in 12 lanes; 20 lanes predicated off.
            setp.lt.u32: `%p2` is true in 0 of 32 lanes.
            mov.u32: 32 lanes predicated off.
            vote.sync.ballot.b32: `%r5` = 4095 in 32 lanes.
            redux.sync.add.u32: `%r6` = 496 in 32 lanes.
            shfl.sync.bfly.b32: `%r7` = 1, 0, 3, … in 32 lanes.
            bra: taken by 12 of 32 lanes.
            fence.acq_rel.gpu: ordered the memory accesses of 12 lanes.
            bra.uni: taken by 12 of 12 lanes.
            membar.gl: ordered the memory accesses of 12 lanes.
            bar.warp.sync: 20 lanes synchronized.
            fence.acq_rel.gpu: ordered the memory accesses of 20 lanes.
            bra.uni: taken by 20 of 20 lanes.
            membar.gl: ordered the memory accesses of 20 lanes.
        "#]],
    );
}

#[test]
fn mbarrier_operations_report_pending_counts() {
    check_all(
        "setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, sm;
         @%p1 mbarrier.init.shared::cta.b64 [%r3], 33;
         @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 512;
         mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r3], 0;
         @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sm+256], [%rd1], 512, [%r3];
         mbarrier.arrive.shared::cta.b64 _, [%r3];
         W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W;
         @%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 64;
         @%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], 64;
         @%p1 mbarrier.inval.shared::cta.b64 [%r3];",
        expect![[r#"
            setp.eq.u32: `%p1` is true in 1 of 32 lanes.
            mov.u32: `%r3` = 0 in 32 lanes.
            mbarrier.init.shared::cta.b64: 1 lane initialized mbarrier `sm[0]`: 33 expected arrivals; 31 lanes predicated off.
            mbarrier.arrive.expect_tx.shared::cta.b64: 1 lane arrived at mbarrier `sm[0]`, expecting 512 bytes: 32 arrivals and 512 bytes pending; 31 lanes predicated off.
            mbarrier.test_wait.parity.shared::cta.b64: 32 lanes tested the phase of mbarrier `sm[0]`: not complete, 32 arrivals and 512 bytes pending.
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes: copy issued by 1 lane: 512 bytes, completes on mbarrier `sm[0]`; 31 lanes predicated off.
            mbarrier.arrive.shared::cta.b64: 32 lanes arrived at mbarrier `sm[0]`: 0 arrivals and 512 bytes pending.
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes: copy completed: 512 bytes to the shared memory of block 0; mbarrier `sm[0]`: phase with parity 0 completed.
            mbarrier.try_wait.parity.shared::cta.b64: 32 lanes tested the phase of mbarrier `sm[0]`: complete.
            bra: taken by 0 of 32 lanes.
            mbarrier.expect_tx.relaxed.cta.shared::cta.b64: 1 lane expected 64 bytes at mbarrier `sm[0]`: 33 arrivals and 64 bytes pending; 31 lanes predicated off.
            mbarrier.complete_tx.relaxed.cta.shared::cta.b64: 1 lane completed 64 bytes at mbarrier `sm[0]`: 33 arrivals pending; 31 lanes predicated off.
            mbarrier.inval.shared::cta.b64: 1 lane invalidated mbarrier `sm[0]`; 31 lanes predicated off.
        "#]],
    );
}

#[test]
fn asynchronous_copies_report_issue_group_and_completion() {
    check_all(
        "mad.wide.u32 %rd3, %r1, 16, %rd1; shl.b32 %r3, %r1, 4; mov.u32 %r4, sm; add.u32 %r3, %r3, %r4;
         cp.async.cg.shared.global [%r3], [%rd3], 16; cp.async.commit_group; cp.async.wait_group 0;
         setp.eq.u32 %p1, %r1, 0; fence.proxy.async.shared::cta;
         @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 256;
         cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;
         @%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r4], 64;
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        expect![[r#"
            mad.wide.u32: `%rd3` = 0x7f0000000000, 0x7f0000000010, 0x7f0000000020, … in 32 lanes.
            shl.b32: `%r3` = 0, 16, 32, … in 32 lanes.
            mov.u32: `%r4` = 0 in 32 lanes.
            add.u32: `%r3` = 0, 16, 32, … in 32 lanes.
            cp.async.cg.shared.global: copy issued by 32 lanes: 512 bytes, async-group 0.
            cp.async.commit_group: 32 lanes committed their operations as an async-group.
            cp.async.cg.shared.global: copy completed: 512 bytes to the shared memory of block 0.
            cp.async.wait_group: 32 lanes completed the wait: no async-group is pending.
            setp.eq.u32: `%p1` is true in 1 of 32 lanes.
            fence.proxy.async.shared::cta: ordered the memory accesses of 32 lanes.
            cp.async.bulk.global.shared::cta.bulk_group: copy issued by 1 lane: 256 bytes, bulk async-group 0; 31 lanes predicated off.
            cp.async.bulk.commit_group: 32 lanes committed their operations as a bulk async-group.
            cp.async.bulk.global.shared::cta.bulk_group: source of the copy read: 256 bytes from the shared memory of block 0.
            cp.async.bulk.wait_group.read: 32 lanes completed the wait: no bulk async-group is unread.
            cp.async.bulk.global.shared::cta.bulk_group: copy completed: 256 bytes to `out`.
            cp.async.bulk.wait_group: 32 lanes completed the wait: no bulk async-group is pending.
            cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32: reduction issued by 1 lane: 64 bytes, bulk async-group 1; 31 lanes predicated off.
            cp.async.bulk.commit_group: 32 lanes committed their operations as a bulk async-group.
            cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32: source of the copy read: 64 bytes from the shared memory of block 0.
            cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32: reduction completed: 64 bytes to `out`.
            cp.async.bulk.wait_group: 32 lanes completed the wait: no bulk async-group is pending.
        "#]],
    );
}

#[test]
fn tensor_memory_accesses_report_lanes_and_columns() {
    check_all(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sm], 32; ld.shared.u32 %r3, [sm];
         tcgen05.st.sync.aligned.32x32b.x4.b32 [%r3], {%r1, %r1, %r1, %r1}; tcgen05.wait::st.sync.aligned;
         tcgen05.ld.sync.aligned.16x64b.x2.b32 {%r4, %r5}, [%r3+2]; tcgen05.wait::ld.sync.aligned;
         tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;",
        expect![[r#"
            tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32: allocated 32 columns of tensor memory.
            ld.shared.u32: 32 lanes loaded 128 bytes from the shared memory of block 0, 1 wavefront, ideal 1; same address.
            tcgen05.st.sync.aligned.32x32b.x4.b32: stored 32 lanes × 4 columns (32x32b) of tensor memory, from lane 0, column 0.
            tcgen05.wait::st.sync.aligned: 32 lanes completed the wait for stores to tensor memory.
            tcgen05.ld.sync.aligned.16x64b.x2.b32: loaded 16 lanes × 4 columns (16x64b) of tensor memory, from lane 0, column 2.
            tcgen05.wait::ld.sync.aligned: 32 lanes completed the wait for loads from tensor memory.
            tcgen05.dealloc.cta_group::1.sync.aligned.b32: deallocated 32 columns of tensor memory.
        "#]],
    );
}

#[test]
fn barriers_report_arrived_threads() {
    let source = "//@ launch grid=1 block=64
.version 8.8
.target sm_100a
.visible .entry k()
{
    bar.sync 0;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
";
    check_steps(
        source,
        |_| true,
        expect![[r#"
        bar.sync in warp 0 of block 0: 32 lanes arrived at barrier 0: 32 of 64 threads have arrived, waiting.
        bar.sync in warp 1 of block 0: 32 lanes arrived at barrier 0; the barrier completed.
        barrier.cluster.arrive in warp 1 of block 0: 32 lanes arrived at the cluster barrier.
        barrier.cluster.arrive in warp 0 of block 0: 32 lanes arrived at the cluster barrier; the barrier completed.
        barrier.cluster.wait in warp 0 of block 0: 32 lanes completed the wait at the cluster barrier.
        ret in warp 0 of block 0: 32 lanes exited.
        barrier.cluster.wait in warp 1 of block 0: 32 lanes completed the wait at the cluster barrier.
        ret in warp 1 of block 0: 32 lanes exited. All threads have exited.
    "#]],
    );
}

#[test]
fn exit_at_the_end_of_a_listing_without_exit_has_a_name() {
    let scenario = Scenario {
        source: "//@ launch grid=1 block=32\nMOV R1, 0x5 ;\n".to_owned(),
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    check_scenario(
        scenario,
        |_| true,
        expect![[r#"
            MOV: `R1` = 5 in 32 lanes.
            end of the listing: 32 lanes exited. All threads have exited.
        "#]],
    );
}
