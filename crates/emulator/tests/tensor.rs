//! Tests of matrix products, bit by bit and by GPU generation: recorded elements, properties of the fused sum, and the
//! steps that explain it.

use flate2::read::GzDecoder;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use warpgrid_emulator::tensor::{
    BitOp, IntegerOverflow, MmaDescription, MmaInstruction, MmaStep, ScaleType, ScaledOperandLine,
    SpecialSum, TensorCoreModel, TermSource,
};
use warpgrid_isa::fragment::{Shape, TensorCoreGeneration};
use warpgrid_isa::{Rounding, ScalarType, Target};

fn product(target: &str, op: &str, shape: &str, types: [&str; 4]) -> MmaDescription {
    let [a, b, c, d] = types.map(|name| ScalarType::from_name(name).expect("a type"));
    MmaDescription {
        core: TensorCoreGeneration::of(Target::from_name(target).expect("a target"))
            .expect("tensor cores"),
        op: match op {
            "wmma" => MmaInstruction::Wmma,
            "mma" => MmaInstruction::Mma,
            other => panic!("`{other}` is no matrix product"),
        },
        shape: Shape::from_name(shape).expect("a shape"),
        a,
        b,
        c,
        d,
        overflow: IntegerOverflow::Wrap,
        rounding: Rounding::Rn,
        bit_op: BitOp::Xor,
    }
}

fn plan(target: &str, op: &str, shape: &str, types: [&str; 4]) -> TensorCoreModel {
    TensorCoreModel::new(product(target, op, shape, types))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn bits(text: &str) -> u64 {
    u64::from_str_radix(text, 16).expect("hexadecimal digits")
}

/// A recorded element.
struct Row {
    /// Target, instruction, shape, four types, and kind.
    words: Vec<String>,
    a: Vec<u64>,
    b: Vec<u64>,
    c: u64,
    d: u64,
}

/// Compares the recorded elements with the results of `element`, `explain` and `matrix`. Returns the number of rows and
/// descriptions of the differences.
fn compare(rows: impl Iterator<Item = Row>) -> (usize, Vec<String>) {
    let (mut n_rows, mut differences) = (0, Vec::new());
    for row in rows {
        let word = |at: usize| row.words[at].as_str();
        let plan = plan(
            word(0),
            word(1),
            word(2),
            [word(3), word(4), word(5), word(6)],
        );
        let found = plan.element(&row.a, &row.b, row.c);
        n_rows += 1;
        if found != row.d {
            differences.push(format!(
                "{}: a {:x?} b {:x?} c {:x}: found {found:x}, expected {:x}",
                row.words.join(" "),
                row.a,
                row.b,
                row.c,
                row.d
            ));
        }
        let explained = plan.explain(&row.a, &row.b, row.c);
        assert_eq!(explained.result, found, "{}", row.words.join(" "));
        check_steps(&explained.steps);
        check_matrix(&plan, &row, found);
    }
    (n_rows, differences)
}

/// Checks a matrix product in which all elements are equal.
fn check_matrix(plan: &TensorCoreModel, row: &Row, expected: u64) {
    let Shape { m, n, .. } = plan.product().shape;
    let (m, n) = (usize::from(m), usize::from(n));
    let mut d = vec![0; m * n];
    plan.matrix(
        &row.a.repeat(m),
        &row.b.repeat(n),
        &vec![row.c; m * n],
        &mut d,
    );
    assert!(
        d.iter().all(|element| *element == expected),
        "{}",
        row.words.join(" ")
    );
}

/// Checks that each aligned term and its truncated bits yield the original term, and that the terms add up to the sum.
fn check_steps(steps: &[MmaStep]) {
    for step in steps {
        let MmaStep::Block(block) = step else {
            continue;
        };
        if block.special.is_some() {
            assert!(block.terms.is_empty());
            continue;
        }
        let sum: i64 = block.terms.iter().map(|term| term.aligned).sum();
        assert_eq!(sum, block.sum);
        for term in &block.terms {
            let unit = block.exponent - i32::from(block.kept_bits);
            let up = term.exponent - i32::from(term.fraction_bits) - unit;
            let magnitude = term.significand.unsigned_abs();
            let whole = if up >= 0 {
                magnitude << up
            } else {
                (term.aligned.unsigned_abs() << (-up).min(63)) + term.cut
            };
            assert_eq!(
                whole,
                if up >= 0 {
                    term.aligned.unsigned_abs()
                } else {
                    magnitude
                }
            );
            assert!(term.aligned == 0 || (term.aligned < 0) == (term.significand < 0));
        }
    }
}

#[test]
fn mma_model_matches_recorded_elements_bit_for_bit() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tensor.txt");
    let text = std::fs::read_to_string(path).expect("a file of the project");
    let list = |text: &str| text.split(',').map(bits).collect();
    let rows = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            Row {
                a: list(&words[8]),
                b: list(&words[9]),
                c: bits(&words[10]),
                d: bits(&words[11]),
                words: words[..8].to_vec(),
            }
        });
    let (n_rows, differences) = compare(rows);
    assert_eq!(differences, Vec::<String>::new());
    assert!(n_rows > 400, "{n_rows} rows");
}

/// Checks the complete file from which the sample was taken, if the file is available.
#[test]
fn mma_model_matches_complete_recording_if_available() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wmma/numerics.jsonl.gz");
    let Ok(file) = std::fs::File::open(path) else {
        return;
    };
    let rows = BufReader::new(GzDecoder::new(file)).lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(&line.expect("text")).expect("JSON");
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let list = |key: &str| {
            let items = row[key].as_array().cloned().unwrap_or_default();
            items
                .iter()
                .map(|item| bits(item.as_str().unwrap_or_default()))
                .collect()
        };
        let words = [
            "arch", "op", "shape", "a_type", "b_type", "c_type", "d_type", "kind",
        ];
        Row {
            a: list("a"),
            b: list("b"),
            c: bits(&text("c")),
            d: bits(&text("d")),
            words: words.into_iter().map(text).collect(),
        }
    });
    let (n_rows, differences) = compare(rows);
    assert!(
        differences.is_empty(),
        "{} of {n_rows} rows differ:\n{}",
        differences.len(),
        differences
            .iter()
            .take(12)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n")
    );
    assert!(n_rows >= 5628, "{n_rows} rows");
}

#[test]
fn product_truncation_depends_on_gpu_generation() {
    // 16 products 2^-12 * 2^-12 = 2^-24, half an ulp of the accumulator 1.
    let one = 0x3f80_0000;
    let (a, b) = (vec![0x0c00; 16], vec![0x0c00; 16]);
    let result = |target: &str| {
        let plan = plan(target, "wmma", "m16n16k16", ["f16", "f16", "f32", "f32"]);
        format!("{:08x}", plan.element(&a, &b, one))
    };
    // Volta truncates each product to zero. Later generations keep one more bit, so that the products add up to 2^-20.
    assert_eq!(result("sm_70"), "3f800000");
    assert_eq!(result("sm_80"), "3f800008");
    assert_eq!(result("sm_90"), "3f800008");
}

#[test]
fn invalid_mma_result_is_canonical_nan() {
    let plan = plan("sm_80", "mma", "m16n8k8", ["f16", "f16", "f32", "f32"]);
    let (infinity, zero, one) = (0x7c00, 0, 0x3c00);
    let row = |first: u64| [first, one, one, one, one, one, one, one];
    assert_eq!(plan.element(&row(infinity), &row(zero), 0), 0x7fff_ffff);
    assert_eq!(plan.element(&row(0xfe01), &row(one), 0), 0x7fff_ffff);
    assert_eq!(
        plan.element(&row(infinity), &row(one), 0xff80_0000),
        0x7fff_ffff
    );
    assert_eq!(plan.element(&row(infinity), &row(0xbc00), 0), 0xff80_0000);
    let steps = plan.explain(&row(infinity), &row(0xbc00), 0).steps;
    assert!(
        matches!(&steps[..], [MmaStep::Block(block)] if block.special == Some(SpecialSum::NegativeInfinity))
    );
}

#[test]
fn explanation_reports_truncated_bits() {
    let plan = plan("sm_80", "mma", "m16n8k8", ["f16", "f16", "f32", "f32"]);
    // 1 * 1 and 2^-14 * (1 + 2^-10) * 2^-10 * 1.5.
    let a = [0x3c00, 0x0401, 0, 0, 0, 0, 0, 0];
    let b = [0x3c00, 0x1600, 0, 0, 0, 0, 0, 0];
    let explanation = plan.explain(&a, &b, 0);
    let [MmaStep::Block(block)] = &explanation.steps[..] else {
        panic!("one block of eight: {explanation:?}");
    };
    assert_eq!((block.exponent, block.kept_bits), (0, 24));
    let terms: Vec<_> = block
        .terms
        .iter()
        .map(|term| (term.source, term.aligned, term.n_cut_bits))
        .collect();
    assert_eq!(
        terms,
        [
            (TermSource::Product(0), 1 << 24, 0),
            (TermSource::Product(1), 1, 20)
        ]
    );
    assert_eq!(block.terms[1].cut, (1025 * 1536) & 0xf_ffff);
}

#[test]
fn integer_mma_wraps_or_saturates() {
    let wrap = product("sm_80", "mma", "m8n8k16", ["s8", "u8", "s32", "s32"]);
    let clamp = MmaDescription {
        overflow: IntegerOverflow::Saturate,
        ..wrap
    };
    let (a, b) = (vec![0x7f; 16], vec![0xff; 16]);
    let element = |product| {
        TensorCoreModel::new(product)
            .expect("a product")
            .element(&a, &b, 0x7fff_ffff)
    };
    assert_eq!(element(wrap), (0x7fff_ffff + 16 * 127 * 255) & 0xffff_ffff);
    assert_eq!(element(clamp), 0x7fff_ffff);
    let nibbles = plan("sm_80", "mma", "m8n8k32", ["s4", "u4", "s32", "s32"]);
    assert_eq!(
        nibbles.element(&[0xf; 32], &[0xf; 32], 0),
        u64::from((-15i32 * 32) as u32)
    );
}

#[test]
fn b1_mma_accumulates_popcount_of_xor_or_and() {
    let xor = product("sm_80", "wmma", "m8n8k128", ["b1", "b1", "s32", "s32"]);
    let and = MmaDescription {
        bit_op: BitOp::And,
        ..xor
    };
    let (a, b) = ([0xf0f0_f0f0, 0, 1, 0xffff_ffff], [0xff00_ff00, 0, 1, 0]);
    let element = |product| {
        TensorCoreModel::new(product)
            .expect("a product")
            .element(&a, &b, 5)
    };
    assert_eq!(element(xor), 5 + 16 + 32);
    assert_eq!(element(and), 5 + 8 + 1);
}

#[test]
fn f64_mma_applies_directed_rounding() {
    let nearest = product("sm_80", "mma", "m8n8k4", ["f64", "f64", "f64", "f64"]);
    let tenth = 0.1f64.to_bits();
    let element = |rounding| {
        let plan = TensorCoreModel::new(MmaDescription {
            rounding,
            ..nearest
        })
        .expect("a product");
        f64::from_bits(plan.element(&[tenth, 0, 0, 0], &[tenth, 0, 0, 0], 0))
    };
    let (down, up) = (element(Rounding::Rm), element(Rounding::Rp));
    assert_eq!(element(Rounding::Rn), 0.1 * 0.1);
    assert_eq!(element(Rounding::Rz), down);
    assert_eq!(down.to_bits() + 1, up.to_bits());
}

#[test]
fn f64_mma_is_sequential_fma_chain() {
    let plan = plan("sm_80", "mma", "m8n8k4", ["f64", "f64", "f64", "f64"]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |spread: u64| {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let exponent = 1023 - spread / 2 + (state >> 33) % spread.max(1);
        (state & 0x800f_ffff_ffff_ffff) | exponent << 52
    };
    for round in 0..20_000u64 {
        let spread = [1, 8, 120, 1900][(round & 3) as usize];
        let (a, b) = (
            [(); 4].map(|()| next(spread)),
            [(); 4].map(|()| next(spread)),
        );
        let c = next(spread);
        let expected = a.iter().zip(b).fold(f64::from_bits(c), |sum, (a, b)| {
            f64::from_bits(*a).mul_add(f64::from_bits(b), sum)
        });
        let found = plan.element(&a, &b, c);
        if !expected.is_nan() {
            assert_eq!(found, expected.to_bits(), "a {a:x?} b {b:x?} c {c:x}");
        }
    }
}

#[test]
fn unsupported_mma_is_rejected_naming_target_and_types() {
    let error = |target, types| {
        TensorCoreModel::new(product(target, "mma", "m16n8k32", types))
            .expect_err("no product")
            .to_string()
    };
    assert_eq!(
        error("sm_80", ["e4m3", "e5m2", "f32", "f32"]),
        "the Tensor Cores of `sm_80` do not support shape `m16n8k32` with types A `e4m3`, B `e5m2`, C `f32` and D `f32`"
    );
    assert!(
        TensorCoreModel::new(product(
            "sm_90",
            "mma",
            "m16n8k16",
            ["f16", "bf16", "f32", "f32"]
        ))
        .is_err()
    );
    assert!(
        TensorCoreModel::new(product(
            "sm_75",
            "mma",
            "m16n8k8",
            ["bf16", "bf16", "f32", "f32"]
        ))
        .is_err()
    );
}

/// Parses hexadecimal digits.
fn bytes(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|pair| std::str::from_utf8(pair).expect("digits"))
        .map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal digits"))
        .collect()
}

#[test]
fn block_scaled_mma_matches_published_model() {
    let rows = include_str!("data/scaled.txt").lines();
    let mut n_rows = 0;
    for row in rows.filter(|row| !row.starts_with('#')) {
        let words: Vec<&str> = row.split(' ').collect();
        let [
            shape,
            a_type,
            b_type,
            factors,
            a,
            of_a,
            b,
            of_b,
            c,
            expected,
        ] = words[..]
        else {
            panic!("{row}");
        };
        let product = product("sm_120", "mma", shape, [a_type, b_type, "f32", "f32"]);
        let factors = match factors {
            "ue8m0" => ScaleType::Ue8m0,
            "ue4m3" => ScaleType::Ue4m3,
            other => panic!("{other}"),
        };
        let plan =
            TensorCoreModel::scaled(product, factors).unwrap_or_else(|error| panic!("{error}"));
        let values = |text| bytes(text).into_iter().map(u64::from).collect::<Vec<u64>>();
        let (a, b, of_a, of_b) = (values(a), values(b), bytes(of_a), bytes(of_b));
        let line = |values, factors| ScaledOperandLine { values, factors };
        let lines = (line(&a[..], &of_a[..]), line(&b[..], &of_b[..]));
        let found = plan.scaled_element(lines.0, lines.1, bits(c));
        assert_eq!(found, bits(expected), "{row}: found {found:08x}");
        assert_eq!(plan.explain_scaled(lines.0, lines.1, bits(c)).result, found);
        n_rows += 1;
    }
    assert_eq!(n_rows, 48);
}

#[test]
fn nan_scale_factor_makes_block_scaled_result_nan() {
    let product = product("sm_120", "mma", "m16n8k64", ["e2m1", "e2m1", "f32", "f32"]);
    let plan = TensorCoreModel::scaled(product, ScaleType::Ue4m3).expect("a plan");
    let ones = [2; 64];
    let line = |factors| ScaledOperandLine {
        values: &ones,
        factors,
    };
    let with = |factors| plan.scaled_element(line(factors), line(&[0x38; 4]), 0);
    assert_eq!(with(&[0x38; 4]), u64::from(64f32.to_bits()));
    assert_eq!(with(&[0x38, 0x38, 0x7f, 0x38]), 0x7fff_ffff);
    // The sign of a scale factor is ignored.
    assert_eq!(with(&[0xb8; 4]), u64::from(64f32.to_bits()));
}
