//! Summary sentences of stores. All numbers can be verified by hand.

use expect_test::{Expect, expect};
use warpgrid_view::model::FrameRequest;
use warpgrid_view::{Scenario, Session};

/// Returns the sentence after each store of one warp that executes `body`, with the address in `%rd1` and the lane in `%r1`.
fn check(body: &str, expect: Expect) {
    let source = format!(
        "//@ launch grid=1 block=32\n//@ buffer out: u32[256] = 0\n//@ buffer more: u32[256] = 0\n\
         .version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 more)\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<4>; .shared .align 16 .b32 sm[1024]; .local .b32 own[4];\n\
         ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [more]; mov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    let mut said = String::new();
    while session.step() {
        let frame = session.frame(&FrameRequest::default());
        if frame.store.is_some() {
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
            st.global.u32 wrote 128 bytes from all 32 lanes to `out` in 4 sectors, 16 of 128 bytes used. 28 lanes wrote bytes that another lane of the same store overwrote.
        "#]],
    );
}

#[test]
fn sink_elements_are_not_counted_as_written() {
    check(
        "mad.wide.u32 %rd3, %r1, 32, %rd1; st.global.v8.b32 [%rd3], {%r1, _, %r1, _, %r1, _, _, _};",
        expect![[r#"
            st.global.v8.b32 wrote 384 bytes from all 32 lanes to `out` in 32 sectors, 384 of 1024 bytes used. The lane stride is 32 bytes.
        "#]],
    );
}

#[test]
fn store_to_two_memories_names_both() {
    check(
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; selp.b64 %rd8, %rd1, %rd2, %p1; shr.u32 %r3, %r1, 1;
         mad.wide.u32 %rd3, %r3, 4, %rd8; st.global.u32 [%rd3], %r1;",
        expect![[r#"
            st.global.u32 wrote 128 bytes from all 32 lanes to `more` and `out` in 4 sectors.
        "#]],
    );
    check(
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u64 %rd4, sm; cvta.shared.u64 %rd5, %rd4;
         selp.b64 %rd8, %rd1, %rd5, %p1; shr.u32 %r3, %r1, 1; mad.wide.u32 %rd3, %r3, 4, %rd8; st.u32 [%rd3], %r1;",
        expect![[r#"
            st.u32 wrote 128 bytes from all 32 lanes to the shared memory of block 0 and `out` in 2 sectors of global memory and 1 wavefront, no bank conflicts.
        "#]],
    );
}

#[test]
fn store_to_global_and_local_memory_names_both() {
    check(
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u64 %rd4, own; cvta.local.u64 %rd5, %rd4;
         mad.wide.u32 %rd3, %r1, 4, %rd1; selp.b64 %rd3, %rd3, %rd5, %p1; st.u32 [%rd3], %r1;",
        expect![[r#"
            st.u32 wrote 128 bytes from all 32 lanes to `out` and local memory in 4 sectors.
        "#]],
    );
}

#[test]
fn atomic_summary_counts_memory_updates() {
    // One successful exchange, and 31 failed comparisons.
    check(
        "add.u32 %r3, %r1, 7; atom.global.cas.b32 %r2, [%rd1], 0, %r3;",
        expect![[r#"
            atom.global.cas.b32 in 32 lanes wrote 4 bytes of `out` once in 1 sector, 4 of 32 bytes used. 31 lanes did not modify memory.
        "#]],
    );
    // An atomic that leaves memory unmodified still costs its wavefront and its sector.
    check(
        "red.shared.max.u32 [sm], %r1; shl.b32 %r3, %r1, 5; cvt.u64.u32 %rd3, %r3; add.u64 %rd3, %rd1, %rd3;
         and.b32 %r4, %r1, 1; atom.global.cas.b32 %r2, [%rd3], %r4, 9;",
        expect![[r#"
            red.shared.max.u32 in 32 lanes wrote 4 bytes of the shared memory of block 0 31 times in 32 wavefronts, because several lanes access the same word or the same bank. 1 lane did not modify memory.
            atom.global.cas.b32 in 32 lanes wrote 64 bytes of `out` 16 times in 32 sectors, 128 of 1024 bytes used. 16 lanes did not modify memory.
        "#]],
    );
    // No comparison succeeds.
    check(
        "mad.wide.u32 %rd3, %r1, 4, %rd1; atom.global.cas.b32 %r2, [%rd3], 5, %r1;",
        expect![[r#"
            atom.global.cas.b32 in 32 lanes did not modify `out`.
        "#]],
    );
    check(
        "red.global.add.u32 [%rd1], 1;",
        expect![[r#"
        red.global.add.u32 in 32 lanes, serialized, wrote 4 bytes of `out` 32 times in 1 sector, 4 of 32 bytes used.
    "#]],
    );
    // Zero is added, so memory is written without a change.
    check(
        "red.global.add.u32 [%rd1], 0;",
        expect![[r#"
        red.global.add.u32 in 32 lanes, serialized, wrote 4 bytes of `out` 32 times in 1 sector, 4 of 32 bytes used.
    "#]],
    );
    // The order of lanes with distinct addresses is irrelevant.
    check(
        "mad.wide.u32 %rd3, %r1, 4, %rd1; red.global.add.u32 [%rd3], %r1;",
        expect![[r#"
            red.global.add.u32 in 32 lanes wrote 128 bytes of `out` in 4 sectors, 100 % utilized.
        "#]],
    );
    check(
        "atom.shared.add.u32 %r2, [sm], 1;",
        expect![[r#"
            atom.shared.add.u32 in 32 lanes, serialized, wrote 4 bytes of the shared memory of block 0 32 times in 32 wavefronts, because several lanes access the same word or the same bank.
        "#]],
    );
}

#[test]
fn opcode_is_separated_from_adjacent_operands() {
    check(
        "setp.lt.u32 %p1, %r1, 12; mad.wide.u32 %rd3, %r1, 4, %rd1; @ %p1 st.global.u32[%rd3],%r1;",
        expect![[r#"
            st.global.u32 wrote 48 bytes from 12 lanes to `out` in 2 sectors, 48 of 64 bytes used. The lanes write contiguous addresses.
        "#]],
    );
}

#[test]
fn wavefronts_are_compared_with_ideal_count() {
    check(
        "shl.b32 %r3, %r1, 4; mov.u32 %r4, sm; add.u32 %r3, %r3, %r4; st.shared.v4.b32 [%r3], {%r1, %r1, %r1, %r1};
         shl.b32 %r5, %r1, 7; add.u32 %r5, %r5, %r4; st.shared.u32 [%r5], %r1;",
        expect![[r#"
            st.shared.v4.b32 wrote 512 bytes from all 32 lanes to the shared memory of block 0 in 4 wavefronts, which is the minimum for this access width. The lanes write contiguous addresses.
            st.shared.u32 wrote 128 bytes from all 32 lanes to the shared memory of block 0 in 32 wavefronts (1 ideal) due to bank conflicts. The lane stride is 128 bytes.
        "#]],
    );
}

#[test]
fn equal_values_stored_to_same_address_are_not_reported_lost() {
    check(
        "mov.u32 %r3, 3; st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r1;",
        expect![[r#"
            st.global.u32 wrote 128 bytes from all 32 lanes to `out` in 1 sector, 4 of 32 bytes used. All lanes wrote the same value to the same address.
            st.global.u32 wrote 128 bytes from all 32 lanes to `out` in 1 sector, 4 of 32 bytes used. 31 lanes wrote bytes that another lane of the same store overwrote.
        "#]],
    );
    // Pairs of lanes access the same address, and lanes access two memories.
    check(
        "and.b32 %r3, %r1, 30; mad.wide.u32 %rd3, %r3, 4, %rd1; st.global.u64 [%rd3], %rd3;
         setp.lt.u32 %p1, %r1, 16; selp.b64 %rd4, %rd1, %rd2, %p1; st.global.u64 [%rd4], %rd1;",
        expect![[r#"
            st.global.u64 wrote 256 bytes from all 32 lanes to `out` in 4 sectors, 100 % utilized. Some lanes wrote equal values to the same bytes.
            st.global.u64 wrote 256 bytes from all 32 lanes to `out` and `more` in 2 sectors. Some lanes wrote equal values to the same bytes.
        "#]],
    );
    // Each thread has its own local memory.
    check(
        "st.local.u32 [own], %r1; and.b32 %r3, %r1, 4; cvt.u64.u32 %rd3, %r3; mov.u64 %rd4, own; add.u64 %rd3, %rd3, %rd4;
         st.local.u32 [%rd3], 7;",
        expect![[r#"
            st.local.u32 wrote 128 bytes from all 32 lanes to local memory.
            st.local.u32 wrote 128 bytes from all 32 lanes to local memory.
        "#]],
    );
}
