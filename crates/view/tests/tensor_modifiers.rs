//! Modifiers of tensor instructions that the cases of `tensor` do not cover: shifted rows, unpacking copies, zero columns, scaled sparse
//! MMAs. If no source defines a rule, the tests check the documented choice.

use warpgrid_view::{MemoryKey, Scenario, Session};

const MAX_STEPS: u64 = 100_000;

/// Returns a kernel of 128 threads. Every word of shared memory contains `fill`, and 256 columns of tensor memory start at `%t`. All
/// threads execute `before`, one thread executes `body`, and every thread then stores the first eight columns of its lane from `%t` on.
fn source(fill: u32, before: &str, body: &str) -> String {
    format!(
        "//@ launch block=128
//@ buffer out: u32[128][8]
.version 8.8
.target sm_100a
.address_size 64
.shared .align 1024 .b8 tile[16384];
.shared .align 8 .b64 bar;
.shared .align 4 .b32 where;
.visible .entry k(.param .u64 out)
{{
.reg .b32 %r<40>, %t, %at, %w;
.reg .b64 %rd<9>, %da, %db, %zeros;
.reg .pred %p<4>, %all;
mov.u32 %r0, %tid.x;
setp.ne.u32 %p0, %r0, 0;
setp.eq.u32 %all, %r0, 0;
mov.u32 %r1, {fill};
mov.u32 %r2, tile;
mad.lo.u32 %r3, %r0, 4, %r2;
mov.u32 %r4, 0;
FILL:
st.shared.u32 [%r3], %r1;
add.u32 %r3, %r3, 512;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 32;
@%p1 bra FILL;
shr.u32 %w, %r0, 5;
setp.eq.u32 %p2, %w, 0;
@!%p2 bra READY;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 256;
READY:
@!%p0 mbarrier.init.shared.b64 [bar], 1;
bar.sync 0;
ld.shared.u32 %t, [where];
shl.b32 %at, %w, 21;
add.u32 %at, %at, %t;
shr.u32 %r5, %r2, 4;
cvt.u64.u32 %da, %r5;
or.b64 %da, %da, {descriptor};
{before}
tcgen05.wait::st.sync.aligned;
bar.sync 0;
@%p0 bra WAIT;
{body}
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
@!%p1 bra WAIT;
tcgen05.ld.sync.aligned.32x32b.x8.b32 {{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}}, [%at];
tcgen05.wait::ld.sync.aligned;
ld.param.u64 %rd0, [out];
mad.wide.u32 %rd1, %r0, 32, %rd0;
st.global.v4.u32 [%rd1], {{%r20, %r21, %r22, %r23}};
st.global.v4.u32 [%rd1+16], {{%r24, %r25, %r26, %r27}};
bar.sync 0;
@!%p2 bra END;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 256;
END:
ret;
}}
",
        // Rows of 16 bytes. Groups of eight rows are contiguous, and the second half of K follows all of them.
        descriptor = (1u64 << 46) | (8 << 32) | (128 << 16),
    )
}

/// Returns the final words of each lane.
fn ran(fill: u32, before: &str, body: &str) -> Vec<[u32; 8]> {
    let mut session = Session::new(Scenario {
        source: source(fill, before, body),
        ..Scenario::default()
    })
    .unwrap_or_else(|error| panic!("{} {}", error.code, error.message));
    assert!(session.run(MAX_STEPS));
    assert_eq!(session.fault().map(|fault| fault.message), None);
    let bytes = session.memory(&MemoryKey::Buffer("out".to_owned()));
    let (words, _) = bytes.expect("a memory").as_chunks::<4>();
    let (rows, _) = words.as_chunks::<8>();
    rows.iter().map(|row| row.map(u32::from_le_bytes)).collect()
}

/// Stores 16 times the thread index plus the column to the first eight columns.
const NUMBERED: &str = "shl.b32 %r8, %r0, 4;
add.u32 %r9, %r8, 1;
add.u32 %r10, %r8, 2;
add.u32 %r11, %r8, 3;
add.u32 %r12, %r8, 4;
add.u32 %r13, %r8, 5;
add.u32 %r14, %r8, 6;
add.u32 %r15, %r8, 7;
tcgen05.st.sync.aligned.32x32b.x8.b32 [%at], {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15};";

#[test]
fn tcgen05_shift_moves_rows_to_next_lane() {
    let rows = ran(0, NUMBERED, "tcgen05.shift.cta_group::1.down [%t];");
    for (lane, row) in rows.iter().enumerate() {
        let from = lane.saturating_sub(1) as u32;
        let expected: [u32; 8] = std::array::from_fn(|column| 16 * from + column as u32);
        assert_eq!(*row, expected, "lane {lane}");
    }
    // From lane 64 on, the previous rows are unchanged.
    let rows = ran(
        0,
        NUMBERED,
        "add.u32 %r8, %t, 0x400000;\ntcgen05.shift.cta_group::1.down [%r8];",
    );
    assert_eq!(
        [rows[63][0], rows[64][0], rows[65][0]],
        [16 * 63, 16 * 64, 16 * 64]
    );
}

/// The numbers 17 to 32 in 6 bits each, followed by ignored bits.
const SIXES: [u32; 4] = [0x9551_3491, 0xb699_6175, 0x81f7_9d71, u32::MAX];
/// The numbers 0 to 15 in 4 bits each, followed by ignored bits.
const FOURS: [u32; 4] = [0x7654_3210, 0xfedc_ba98, u32::MAX, u32::MAX];

/// Each element is expanded to a byte: 6-bit elements unchanged, and 4-bit elements with two zero bits below.
#[test]
fn tcgen05_cp_expands_narrow_elements_to_bytes() {
    let words = |words: [u32; 4]| {
        let store = |(at, word): (usize, u32)| {
            format!(
                "mov.u32 %r8, 0x{word:x};\nst.shared.u32 [%r3+{}], %r8;\n",
                4 * at
            )
        };
        let stores: String = words.into_iter().enumerate().map(store).collect();
        // Row 9 starts 16 bytes after the start of the second group of eight rows.
        format!("add.u32 %r3, %r2, 144;\n{stores}")
    };
    let rows = ran(
        0,
        &words(SIXES),
        "tcgen05.cp.cta_group::1.128x128b.b8x16.b6x16_p32 [%t], %da;",
    );
    assert_eq!(
        rows[9][..4],
        [0x1413_1211, 0x1817_1615, 0x1c1b_1a19, 0x201f_1e1d]
    );
    let rows = ran(
        0,
        &words(FOURS),
        "tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%t], %da;",
    );
    assert_eq!(
        rows[9][..4],
        [0x0c08_0400, 0x1c18_1410, 0x2c28_2420, 0x3c38_3430]
    );
    assert_eq!(rows[8], [0; 8]);
}

/// `f16` elements of value 1, 16 per row, so each sum is 16.
const ONES: u32 = 0x3c00_3c00;
/// Instruction descriptor with 128 rows, 16 columns, `f16` operands and an `f32` accumulator.
const HALVES: u32 = 0x0804_0010;

#[test]
fn zero_column_mask_zeroes_masked_columns() {
    // Alternately, three columns are used and two columns are zero.
    let mask = 1u64 << 39 | 2 << 40 | 1 << 48;
    let product = format!(
        "mov.b64 %zeros, {mask};\ntcgen05.mma.ws.cta_group::1.kind::f16 [%t], %da, %da, {HALVES}, %p0, %zeros;"
    );
    let product = product.replace(&format!(" {HALVES},"), " %r8,");
    let rows = ran(ONES, &format!("mov.u32 %r8, {HALVES};"), &product);
    let of = |value: f32| value.to_bits();
    let expected = [16.0, 16.0, 16.0, 0.0, 0.0, 16.0, 16.0, 16.0].map(of);
    assert!(rows.iter().all(|row| *row == expected), "{:?}", rows[0]);
}

#[test]
fn ashift_reads_matrix_a_shifted_by_one_row() {
    // Row r of A contains r.
    let kept = "cvt.rn.f32.u32 %f0, %r0;
cvt.rn.f16x2.f32 %r9, %f0, %f0;
add.u32 %r8, %at, 64;
tcgen05.st.sync.aligned.32x32b.x8.b32 [%r8], {%r9, %r9, %r9, %r9, %r9, %r9, %r9, %r9};";
    let kept = format!(".reg .f32 %f0;\n{kept}\nmov.u32 %r10, {HALVES};\nadd.u32 %r11, %t, 64;");
    for (word, shift) in [("", 0), (".ashift", 1)] {
        let product =
            format!("tcgen05.mma.cta_group::1.kind::f16{word} [%t], [%r11], %da, %r10, %p0;");
        for (row, words) in ran(ONES, &kept, &product).iter().enumerate() {
            let sum = 16.0 * row.saturating_sub(shift) as f32;
            assert_eq!(*words, [sum.to_bits(); 8], "row {row}{word}");
        }
    }
}

/// The elements of A are 1 with scale factor 2, and every second element of B is 1. The metadata specify which elements are multiplied.
#[test]
fn sparse_tcgen05_mma_applies_scale_factors() {
    let before = |metadata: u32| {
        format!(
            "mov.u32 %r8, 0x00380038;
add.u32 %r9, %r2, 8192;
mad.lo.u32 %r9, %r0, 4, %r9;
mov.u32 %r10, 0;
FILL_B:
st.shared.u32 [%r9], %r8;
add.u32 %r9, %r9, 512;
add.u32 %r10, %r10, 1;
setp.lt.u32 %p1, %r10, 16;
@%p1 bra FILL_B;
add.u64 %db, %da, 512;
mov.u32 %r11, 0x80808080;
mov.u32 %r12, 0x7f7f7f7f;
mov.u32 %r13, {metadata};
tcgen05.st.sync.aligned.32x32b.x4.b32 [%at+64], {{%r11, %r11, %r11, %r11}};
tcgen05.st.sync.aligned.32x32b.x1.b32 [%at+72], {{%r12}};
tcgen05.st.sync.aligned.32x32b.x2.b32 [%at+80], {{%r13, %r13}};
mov.u32 %r14, 0x08840004;"
        )
    };
    let product = "tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%t], %da, %db, [%t+80], %r14, [%t+64], [%t+72], %p0;";
    for (metadata, sum) in [(0x4444_4444, 32.0), (0x8888_8888, 64.0), (0xdddd_dddd, 0.0)] {
        let rows = ran(0x3838_3838, &before(metadata), product);
        let expected = [f32::to_bits(sum); 8];
        assert!(
            rows.iter().all(|row| *row == expected),
            "{metadata:x}: {:?}",
            rows[0]
        );
    }
}

/// The same for a warp with 4-bit floats: 64 of 128 terms exist, the first 32 with scale factor 1 and the others with scale factor 2.
#[test]
fn sparse_warp_mma_applies_scale_factors() {
    let source = "//@ launch block=32
//@ buffer out: f32[32]
.version 8.8
.target sm_120a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<9>;
.reg .f32 %f<5>;
.reg .b64 %rd<3>;
mov.u32 %r1, 0x22222222;
mov.u32 %r2, 0x44444444;
mov.u32 %r3, 0x807f;
mov.u32 %r4, 0x7f7f;
mov.f32 %f1, 0f3f800000;
mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, {%r1, %r1, %r1, %r1}, {%f1, %f1, %f1, %f1}, %r2, 0, %r3, {0, 0}, %r4, {0, 0};
add.f32 %f1, %f1, %f4;
ld.param.u64 %rd0, [out];
mov.u32 %r5, %tid.x;
mad.wide.u32 %rd1, %r5, 4, %rd0;
st.global.f32 [%rd1], %f1;
ret;
}
";
    let mut session = Session::new(Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    })
    .expect("a session");
    assert!(session.run(MAX_STEPS));
    assert_eq!(session.fault().map(|fault| fault.message), None);
    let bytes = session.memory(&MemoryKey::Buffer("out".to_owned()));
    let (words, _) = bytes.expect("a memory").as_chunks::<4>();
    let sums: Vec<f32> = words.iter().map(|word| f32::from_le_bytes(*word)).collect();
    assert_eq!(sums, [2.0 * (1.0 + 32.0 + 64.0); 32]);
}

/// 16 bytes of shared memory with 6 bits each become 12 bytes of the tensor.
#[test]
fn tensor_store_packs_6_bit_elements() {
    let source = "//@ launch block=32
//@ buffer x: u8[96]
//@ tensormap map = tiled x: u6_align16[128] box=[128]
.version 8.8
.target sm_100a
.address_size 64
.shared .align 128 .b8 tile[128];
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 x)
{
.reg .b32 %r<9>;
.reg .pred %p;
.reg .b64 %rd<3>;
mov.u32 %r0, %tid.x;
mov.u32 %r1, tile;
mad.lo.u32 %r2, %r0, 4, %r1;
mul.lo.u32 %r3, %r0, 0x04040404;
add.u32 %r3, %r3, 0x43424140;
st.shared.u32 [%r2], %r3;
fence.proxy.async.shared::cta;
bar.sync 0;
setp.ne.u32 %p, %r0, 0;
@%p ret;
mov.u64 %rd0, map;
mov.u32 %r4, 0;
cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd0, {%r4}], [%r1];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
ret;
}
";
    let mut session = Session::new(Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    })
    .unwrap_or_else(|error| panic!("{} {}", error.code, error.message));
    assert!(session.run(MAX_STEPS));
    assert_eq!(session.fault().map(|fault| fault.message), None);
    let bytes = session.memory(&MemoryKey::Buffer("x".to_owned()));
    let bytes = bytes.expect("a memory");
    let value = |at: usize| {
        let bit = 6 * at;
        let pair =
            u16::from(bytes[bit / 8]) | u16::from(*bytes.get(bit / 8 + 1).unwrap_or(&0)) << 8;
        usize::from(pair >> (bit % 8) & 63)
    };
    for at in 0..128 {
        assert_eq!(value(at), at % 64, "value {at}");
    }
}
