//! Bank conflict fixes for kernels of all families: the rewritten source is accepted, produces the same results, and has fewer bank
//! conflicts.

use super::kernels::kernels;
use expect_test::{expect, expect_file};
use std::fmt::Write;
use warpgrid_view::check;
use warpgrid_view::diagnostics::NO_RESULT;
use warpgrid_view::layouts::inspector::cure;
use warpgrid_view::{CheckOptions, Scenario, Session};

fn scenario(source: &str) -> Scenario {
    Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    }
}

#[test]
fn bank_conflicts_are_removed_from_most_generated_kernels() {
    let mut text = String::new();
    let (mut n, mut n_cured) = (0, 0);
    for kernel in kernels() {
        n += 1;
        match cure(&scenario(&kernel.source), 10_000_000) {
            Ok(cured) => {
                n_cured += usize::from(cured.after == 0);
                assert!(
                    check(&cured.source, &CheckOptions::default()).accept,
                    "{}",
                    cured.source
                );
                assert_eq!(
                    cured.same,
                    ["in", "out"].map(str::to_owned)[2 - cured.same.len()..]
                );
                let _ = writeln!(
                    text,
                    "{}: {} conflicts, then {}: {}",
                    kernel.name,
                    cured.before,
                    cured.after,
                    cured.changes.join(", ")
                );
            }
            Err(failure) if failure.code == NO_RESULT => {
                let _ = writeln!(text, "{}: not cured: {failure}", kernel.name);
            }
            Err(error) => {
                panic!("{}: {error:?}\n{}", kernel.name, kernel.source)
            }
        }
    }
    let _ = writeln!(text, "{n_cured} of {n} without any conflict");
    expect_file!["cured.txt"].assert_eq(&text);
    assert!(n >= 100, "{n} kernels");
    assert!(n_cured * 100 >= n * 90, "{n_cured} of {n}");
}

#[test]
fn conflict_report_matches_snapshot() {
    let kernels = kernels();
    let kernel = kernels
        .iter()
        .find(|kernel| kernel.name == "transpose u32 32x32, 1 warps")
        .expect("it is there");
    let mut session = Session::new_without_last_writers(scenario(&kernel.source)).expect("it runs");
    session.run(1_000_000);
    let report = session.conflicts();
    expect_file!["transpose.txt"]
        .assert_eq(&warpgrid_view::layouts::inspector::conflicts_text(&report));
}

/// Kernel whose threads fill `tile` with bank conflicts, with further instructions that access `tile`.
fn tile_kernel(annotations: &str, parameters: &str, body: &str) -> Scenario {
    scenario(&format!(
        "//@ launch grid=1 block=128
{annotations}
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k({parameters})
{{
.reg .b32 %r<8>;
.reg .f32 %f<5>;
.reg .b64 %rd<4>;
.reg .pred %p<2>;
.shared .align 1024 .b8 tile[8192];
.shared .align 8 .b64 bar;
mov.u32 %r0, %tid.x;
mov.u32 %r1, tile;
mad.lo.u32 %r2, %r0, 64, %r1;
mov.b32 %r3, 0;
st.shared.b32 [%r2], %r3;
fence.proxy.async.shared::cta;
bar.sync 0;
{body}
ret;
}}
"
    ))
}

/// Returns the report about the bank conflicts of a buffer, and the error of its rewrite.
fn refused_rewrite(scenario: &Scenario) -> String {
    let mut session = Session::new_without_last_writers(scenario.clone()).expect("it runs");
    session.run(1_000_000);
    assert_eq!(session.fault(), None);
    let report = session.conflicts();
    let [buffer] = &report.buffers[..] else {
        panic!("{:?}", report.buffers);
    };
    assert!(buffer.proposals.is_empty(), "{:?}", buffer.proposals);
    let error = cure(scenario, 1_000_000).expect_err("no rewrite is possible");
    let reason = buffer.impossible.clone().unwrap_or_default();
    assert!(error.message.contains(&reason), "{}", error.message);
    reason
}

#[test]
fn no_rewrite_is_proposed_for_tile_of_descriptor_or_tensor_map() {
    let product = |descriptor: &str| {
        tile_kernel(
            "//@ buffer d: f32[4] = 0",
            ".param .u64 d",
            &format!(
                "mov.b64 %rd1, {descriptor};
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f1, %f2, %f3, %f4}}, %rd1, %rd1, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;"
            ),
        )
    };
    expect!["line 23 reads `tile` through a descriptor without a swizzle, which determines the layout of the tile: use this layout in all other accesses, or select the 32-, 64- or 128-byte swizzle mode in the descriptor"].assert_eq(&refused_rewrite(&product("0x0000004000010000")));
    expect!["line 23 reads `tile` through a descriptor with the 128-byte swizzle mode, which determines the layout of the tile: use this layout in all other accesses, or select the 32- or 64-byte swizzle mode in the descriptor"].assert_eq(&refused_rewrite(&product("0x4000004000010000")));
    let copy = tile_kernel(
        "//@ buffer x: f32[16][16]\n//@ tensormap map = tiled x: f32[16][16] box=[16][16]",
        ".param .align 64 .b8 map[128]",
        "setp.ne.u32 %p0, %r0, 0;
@%p0 bra DONE;
mov.b64 %rd1, map;
mbarrier.init.shared.b64 [bar], 1;
cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r3, %r3}], [%r1];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
DONE:",
    );
    expect!["line 26 reads `tile` through a tensor map without a swizzle, which determines the layout of the tile: use this layout in all other accesses, or select the 32-, 64- or 128-byte swizzle mode in the tensor map"].assert_eq(&refused_rewrite(&copy));
}
