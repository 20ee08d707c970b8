//! Descriptors that differ from the intended layout: the differing fields, and the elements that are read instead.

use expect_test::{Expect, expect};
use warpgrid_view::CheckOptions;
use warpgrid_view::layouts::fragment::FragmentRequest;
use warpgrid_view::layouts::inspector::picture;
use warpgrid_view::layouts::tensor;
use warpgrid_view::layouts::tensor::LayoutView;
use warpgrid_view::source::editor_assist::hover;

fn request(op: &str, words: &[(&str, &str)]) -> FragmentRequest {
    let with = words
        .iter()
        .filter(|(name, _)| !["shape", "type"].contains(name));
    let named = |wanted: &str| {
        let found = words.iter().find(|(name, _)| *name == wanted);
        found.map_or_else(String::new, |(_, word)| (*word).to_owned())
    };
    FragmentRequest {
        op: op.to_owned(),
        shape: named("shape"),
        ty: named("type"),
        with: with
            .map(|(name, word)| ((*name).to_owned(), (*word).to_owned()))
            .collect(),
        ..FragmentRequest::default()
    }
}

fn draw(op: &str, words: &[(&str, &str)]) -> Result<LayoutView, String> {
    let request = request(op, words);
    let found = match tensor::has_layout(op) {
        true => tensor::layout(&request),
        false => picture::layout(&request),
    };
    found.map_err(|refusal| refusal.message)
}

fn check(op: &str, words: &[(&str, &str)], expect: Expect) {
    let text = match draw(op, words) {
        Ok(view) => format!(
            "{}\n{}\nwrong {} of {}, marked {}\n",
            view.title,
            view.notes.join("\n"),
            view.mismatched_cells.len(),
            view.rows * view.columns,
            view.marked.len()
        ),
        Err(message) => format!("refused: {message}\n"),
    };
    expect.assert_eq(&text);
}

#[test]
fn wrong_descriptor_stride_reports_misread_elements() {
    // Swizzle 128B with the stride of swizzle 64B.
    check(
        "wgmma.tile.a",
        &[
            ("descriptor", "0x4000002000010000"),
            ("meant", "0x4000004000010000"),
            ("type", "f16"),
        ],
        expect![[r#"
            A of `wgmma.mma_async`, 64 × 64 of `f16`, K-major, swizzle 128B, in shared memory
            If the tile is stored according to the intended descriptor, the hardware reads 3584 of 4096 elements from wrong addresses. For example, the hardware reads (4, 0) instead of (8, 0).
            Field stride byte offset: 512 bytes = 32 × 16 bytes = 256 elements, intended: 1024 bytes = 64 × 16 bytes = 512 elements.
            The hardware reads both elements (4, 0) and (8, 0) from byte 576, because an offset is smaller than the data that the offset must skip.
            One instruction reads 16 elements along k. The next step along k adds 32 bytes to the start address, which increases the address field by 2.
            With a swizzle and K-major order, LBO is unused (1 by convention), and SBO is the distance between groups of 8 rows. A step along k within the swizzle span only increases the start address, since the swizzle is applied to the final address.
            The swizzle moves 3584 of 4096 elements.
            The equivalent CuTe layout, in elements from byte 0, is `Swizzle<3,3,3> o ((8,8),64):((64,256),1)`.
            wrong 3584 of 4096, marked 0
        "#]],
    );
}

#[test]
fn k_step_is_marked_within_whole_tile() {
    check(
        "wgmma.tile.a",
        &[("type", "f16"), ("step", "2")],
        expect![[r#"
            A of `wgmma.mma_async`, 64 × 16 of `f16`, K-major, swizzle 128B, in shared memory
            One instruction reads 16 elements along k. The next step along k adds 32 bytes to the start address, which increases the address field by 2.
            With a swizzle and K-major order, LBO is unused (1 by convention), and SBO is the distance between groups of 8 rows. A step along k within the swizzle span only increases the start address, since the swizzle is applied to the final address.
            The swizzle moves 896 of 1024 elements.
            The equivalent CuTe layout, in elements from byte 0, is `Swizzle<3,3,3> o 32 o (64,16):(64,1)`.
            wrong 0 of 512, marked 128
        "#]],
    );
    let view = draw("wgmma.tile.a", &[("type", "f16"), ("step", "2")]).expect("a tile");
    // Row 1, k = 32 to 47: chunks 4 and 5, which the swizzle exchanges.
    let in_line = view.marked.iter().filter(|[line, _]| *line == 1);
    assert_eq!(in_line.collect::<Vec<_>>(), [&[1, 4], &[1, 5]]);
    assert_eq!(view.grid[1][5], [[1, 32]]);
    assert_eq!(view.grid[1][0], [[1, 8]]);
}

#[test]
fn instruction_descriptor_is_decoded_and_compared() {
    let words = [("kind", "f16"), ("descriptor", "0x08410490")];
    let view = draw("tcgen05.idesc", &words).expect("fields");
    let fields: Vec<String> = view
        .fields
        .iter()
        .map(|field| format!("{:?} {}: {}", field.bits, field.name, field.meaning))
        .collect();
    expect![[r#"
        [0, 1] sparsity selector: 0
        [2, 2] sparse A: no
        [3, 3] saturated: no
        [4, 5] type of D: f32, 32 bits
        [7, 9] type of A: bf16, 16 bits
        [10, 12] type of B: bf16, 16 bits
        [13, 13] A negated: no
        [14, 14] B negated: no
        [15, 15] A transposed: K-major
        [16, 16] B transposed: MN-major
        [17, 22] N / 8: 256 columns = 32 × 8
        [24, 28] M / 16: 128 rows = 8 × 16"#]]
    .assert_eq(&fields.join("\n"));
    assert_eq!(view.ptx, ["mov.b32 %idesc, 0x08410490;"]);
    assert_eq!(view.related.len(), 2);
    for related in &view.related {
        let tile = picture::layout(&related.request).expect("a tile");
        assert!(tile.title.contains("`bf16`"), "{}", tile.title);
    }
    check(
        "tcgen05.idesc",
        &[
            ("kind", "f16"),
            ("descriptor", "0x08410490"),
            ("meant", "0x08400490"),
        ],
        expect![[r#"
            Instruction descriptor of `tcgen05.mma.kind::f16`: 0x08410490
            Field B transposed: MN-major, intended: K-major.
            wrong 0 of 0, marked 0
        "#]],
    );
    check(
        "tcgen05.idesc",
        &[("kind", "f16"), ("descriptor", "0x1e7e0490")],
        expect![[r#"
            Instruction descriptor of `tcgen05.mma.kind::f16`: 0x1e7e0490
            No MMA has 480 rows. The field M counts units of 16 rows, so 128 rows are encoded as 8.
            No MMA with 480 rows has 504 columns. The field N counts units of 8 columns, and N must be a multiple of 16 up to 256.
            wrong 0 of 0, marked 0
        "#]],
    );
    check(
        "tcgen05.idesc",
        &[("kind", "tf32"), ("descriptor", "0x08410490")],
        expect![[r#"
            refused: the instruction descriptor 0x08410490 encodes types that `.kind::tf32` does not support
        "#]],
    );
}

#[test]
fn wrong_major_order_in_idesc_reports_misread_elements() {
    check(
        "tcgen05.tile.b",
        &[
            ("kind", "f16"),
            ("idesc", "0x08210490"),
            ("meant_idesc", "0x08200490"),
        ],
        expect![[r#"
            B of `tcgen05.mma`, 128 × 64 of `bf16`, MN-major, swizzle 128B, in shared memory
            If the tile is stored according to the intended descriptor, the hardware reads 8128 of 8192 elements from wrong addresses. For example, the hardware reads (1, 0) instead of (0, 1).
            Field B transposed: MN-major, intended: K-major.
            One instruction reads 16 elements along k. The next step along k adds 2048 bytes to the start address, which increases the address field by 128.
            LBO is the distance between swizzle spans along the rows, and SBO is the distance between groups of 8 elements along k.
            The swizzle moves 7168 of 8192 elements.
            The equivalent CuTe layout, in elements from byte 0, is `Swizzle<3,3,3> o ((64,2),64):((1,1024),64)`.
            wrong 8128 of 8192, marked 0
        "#]],
    );
    check(
        "tcgen05.tile.a",
        &[("type", "f16"), ("stored_major", "mn")],
        expect![[r#"
            A of `tcgen05.mma`, 128 × 64 of `f16`, K-major, swizzle 128B, in shared memory
            If the tile is stored MN-major, the hardware reads 8176 of 8192 elements from wrong addresses. For example, the hardware reads (1, 0) instead of (0, 1).
            One instruction reads 16 elements along k. The next step along k adds 32 bytes to the start address, which increases the address field by 2.
            With a swizzle and K-major order, LBO is unused (1 by convention), and SBO is the distance between groups of 8 rows. A step along k within the swizzle span only increases the start address, since the swizzle is applied to the final address.
            The swizzle moves 7168 of 8192 elements.
            The equivalent CuTe layout, in elements from byte 0, is `Swizzle<3,3,3> o (128,64):(64,1)`.
            wrong 8176 of 8192, marked 0
        "#]],
    );
    check(
        "tcgen05.tile.a",
        &[("kind", "f16"), ("idesc", "0x490")],
        expect![[r#"
            refused: the instruction descriptor encodes the shape m0n0, which is not supported
        "#]],
    );
}

#[test]
fn type_of_b_field_has_3_bits_for_mxf8f6f4_and_2_for_mxf4() {
    // E2M1 is number 5 of the types of `mxf8f6f4`, and number 1 of those of `mxf4`.
    for (kind, descriptor, expected) in [
        ("mxf8f6f4", "0x08401400", ([10, 12], 5)),
        ("mxf4", "0x08400480", ([10, 11], 1)),
    ] {
        let view = draw(
            "tcgen05.idesc",
            &[("kind", kind), ("descriptor", descriptor)],
        )
        .expect("fields");
        let field = view.fields.iter().find(|field| field.name == "type of B");
        let field = field.expect("the type of B");
        assert_eq!((field.bits, field.value), expected, "{kind}");
        assert!(field.meaning.starts_with("e2m1"), "{}", field.meaning);
    }
}

#[test]
fn hover_decodes_instruction_descriptor_constant() {
    let source = ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k() {\n.reg .b32 %t, %i; .reg .b64 %a, %b; .reg .pred %p;\n\
        mov.b32 %i, 136380560;\ntcgen05.mma.cta_group::1.kind::f16 [%t], %a, %b, %i, %p;\nret;\n}\n";
    let at = source.find("136380560").expect("the constant") as u32 + 2;
    let found = hover(source, &CheckOptions::default(), at).expect("a hover");
    expect![[r#"
        0x08210090
        This constant is the instruction descriptor of `tcgen05.mma.kind::f16`.
        Bits 0 to 1, sparsity selector: 0.
        Bit 2, sparse A: no.
        Bit 3, saturated: no.
        Bits 4 to 5, type of D: f32, 32 bits.
        Bits 7 to 9, type of A: bf16, 16 bits.
        Bits 10 to 12, type of B: f16, 16 bits.
        Bit 13, A negated: no.
        Bit 14, B negated: no.
        Bit 15, A transposed: K-major.
        Bit 16, B transposed: MN-major.
        Bits 17 to 22, N / 8: 128 columns = 16 × 8.
        Bits 24 to 28, M / 16: 128 rows = 8 × 16.
        The link `#layouts?op=tcgen05.idesc&kind=f16&descriptor=0x8210090` decodes the descriptor and shows the tiles that the hardware reads."#]]
        .assert_eq(&format!("{}\n{}", found.title, found.lines.join("\n")));
    let at = source.find("%i, %p").expect("the operand") as u32 + 1;
    assert_eq!(
        hover(source, &CheckOptions::default(), at)
            .expect("a hover")
            .title,
        found.title
    );
}
