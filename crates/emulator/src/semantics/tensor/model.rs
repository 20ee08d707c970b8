//! Compiled description of a matrix product. The emulator uses it to compute elements of D from the bits of A, B and C.
//! Only [`TensorCoreModel::whole`] allocates memory.

use crate::semantics::tensor::algorithm::{
    Fp16SumRule, FusedSumConfig, MmaAlgorithm, MmaDescription, UnsupportedMma,
};
use crate::semantics::tensor::block_scaling;
use crate::semantics::tensor::block_scaling::{ScaleType, ScaledOperandLine};
use crate::semantics::tensor::fused_sum;
use crate::semantics::tensor::fused_sum::{Accumulator, SumObserver};
use crate::semantics::tensor::trace::{MmaStep, MmaTrace, StepRecorder};
use crate::semantics::tensor::unpacked_float;
use crate::semantics::tensor::unpacked_float::{
    OperandSlice, UnpackedOperandVec, UnpackedOperands,
};
use crate::semantics::tensor::{ieee, integer};

/// Maximum number of elements of A or B for a floating-point instruction: 32 rows or columns of 16 elements, or 16 of
/// 32 elements.
const MAX_OPERANDS: usize = 512;
/// Maximum depth (k) of a floating-point product.
const MAX_DEPTH: usize = 64;

/// Compiled computation of a [`MmaDescription`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorCoreModel {
    product: MmaDescription,
    kernel: MmaAlgorithm,
    /// Type of the scale factors for rows of A and columns of B.
    factors: ScaleType,
}

impl TensorCoreModel {
    /// Compiles the description of a matrix product.
    pub fn new(product: MmaDescription) -> Result<TensorCoreModel, UnsupportedMma> {
        Ok(TensorCoreModel {
            product,
            kernel: product.kernel()?,
            factors: ScaleType::Ue8m0,
        })
    }

    /// Compiles the description of a matrix product with scale factors for the rows of A and the columns of B.
    pub fn scaled(
        product: MmaDescription,
        factors: ScaleType,
    ) -> Result<TensorCoreModel, UnsupportedMma> {
        Ok(TensorCoreModel {
            product,
            kernel: product.scaled_kernel(factors)?,
            factors,
        })
    }

    /// Returns the description of the compiled product.
    pub fn product(&self) -> &MmaDescription {
        &self.product
    }

    /// Returns the summation rule if the operands have 16 bits and the accumulator is `f32`.
    pub(crate) fn sum_rule(&self) -> Option<Fp16SumRule> {
        let MmaAlgorithm::Fused(fused) = self.kernel else {
            return None;
        };
        let is_narrow = fused.widens_c || fused.narrows_d || fused.a != fused.b;
        let is_short = [unpacked_float::F16, unpacked_float::BF16].contains(&fused.a);
        let keeps = (23..=25).contains(&fused.rule.kept_bits);
        let is_plain = fused.rule.accumulator == Accumulator::F32 { cleared_bits: 0 };
        let shape = self.product.shape;
        let is_whole =
            fused.block > 0 && shape.k.is_multiple_of(u16::from(fused.block)) && fused.block <= 16;
        let is_row = shape.n.is_multiple_of(8) && shape.k.is_multiple_of(8);
        (!is_narrow && is_short && keeps && is_plain && is_whole && is_row).then_some(Fp16SumRule {
            rows: shape.m,
            columns: shape.n,
            depth: shape.k,
            exponent_bits: fused.a.exponent_bits,
            fraction_bits: fused.a.fraction_bits,
            kept_bits: fused.rule.kept_bits,
            block: fused.block,
        })
    }

    /// Computes one element of D. `a` is a row of A and `b` a column of B. Each value contains the bits of one element,
    /// or of 32 elements for `b1`. `c` contains the bits of an element of C.
    pub fn element(&self, a: &[u64], b: &[u64], c: u64) -> u64 {
        self.watched(a, b, c, &mut ())
    }

    /// Computes one element of D from the operands of [`TensorCoreModel::element`], and records each step of the
    /// computation.
    pub fn explain(&self, a: &[u64], b: &[u64], c: u64) -> MmaTrace {
        let mut recorder = StepRecorder::default();
        let result = self.watched(a, b, c, &mut recorder);
        MmaTrace {
            product: self.product,
            steps: recorder.steps,
            result,
        }
    }

    /// Computes one element of D from the operands of [`TensorCoreModel::element`] and the scale factors for the row of
    /// A and the column of B.
    pub fn scaled_element(
        &self,
        a: ScaledOperandLine<'_>,
        b: ScaledOperandLine<'_>,
        c: u64,
    ) -> u64 {
        self.scaled_watched(a, b, c, &mut ())
    }

    /// Computes one element of D with scale factors for the row of A and the column of B, and records each step of the
    /// computation.
    pub fn explain_scaled(
        &self,
        a: ScaledOperandLine<'_>,
        b: ScaledOperandLine<'_>,
        c: u64,
    ) -> MmaTrace {
        let mut recorder = StepRecorder::default();
        let result = self.scaled_watched(a, b, c, &mut recorder);
        MmaTrace {
            product: self.product,
            steps: recorder.steps,
            result,
        }
    }

    fn scaled_watched(
        &self,
        a: ScaledOperandLine<'_>,
        b: ScaledOperandLine<'_>,
        c: u64,
        watch: &mut impl MmaObserver,
    ) -> u64 {
        match self.kernel {
            MmaAlgorithm::Groups => {
                let rule = &block_scaling::GROUP_RULE;
                block_scaling::sum_groups(rule, self.factors, a, b, c as u32, watch).into()
            }
            MmaAlgorithm::Scaled(fused) => {
                let power = |line: ScaledOperandLine<'_>| {
                    line.factors
                        .first()
                        .and_then(|byte| block_scaling::power(*byte))
                };
                let mut left = UnpackedOperands::<MAX_DEPTH>::read(fused.a, a.values);
                let mut right = UnpackedOperands::<MAX_DEPTH>::read(fused.b, b.values);
                left.scale(power(a));
                right.scale(power(b));
                let (left, right) = (left.first(a.values.len()), right.first(b.values.len()));
                in_blocks(&fused, left, right, c as u32, watch)
            }
            MmaAlgorithm::Fused(_)
            | MmaAlgorithm::Halves(_)
            | MmaAlgorithm::Chain(_)
            | MmaAlgorithm::Double(_)
            | MmaAlgorithm::Integer { .. }
            | MmaAlgorithm::Bits(_) => self.watched(a.values, b.values, c, watch),
        }
    }

    /// Computes all elements of D. `a` contains the rows of A, `b` the columns of B, and `c` and `d` the rows of C and
    /// D, each in consecutive order. The shape of the product defines the number of rows and columns. Values have the
    /// encoding that [`TensorCoreModel::element`] expects.
    pub fn matrix(&self, a: &[u64], b: &[u64], c: &[u64], d: &mut [u64]) {
        let columns = usize::from(self.product.shape.n);
        let depth = self.n_values();
        let rows = d.chunks_mut(columns).zip(c.chunks(columns));
        if let MmaAlgorithm::Fused(fused) = self.kernel {
            // Decode each element only once, because every element of a row of A or a column of B contributes to
            // several elements of D.
            let left = UnpackedOperands::<MAX_OPERANDS>::read(fused.a, a);
            let right = UnpackedOperands::<MAX_OPERANDS>::read(fused.b, b);
            let (left, right) = (left.first(a.len()), right.first(b.len()));
            return rows_of(&fused, left, right, depth, columns, c, d);
        }
        for ((d, c), a) in rows.zip(a.chunks(depth)) {
            for (b, (d, c)) in b.chunks(depth).zip(d.iter_mut().zip(c)) {
                *d = self.element(a, b, *c);
            }
        }
    }

    /// Computes a matrix D with `n_columns` columns and any number of rows. `a`, `b` and `c` have the encoding that
    /// [`TensorCoreModel::matrix`] expects.
    pub fn whole(&self, n_columns: usize, a: &[u64], b: &[u64], c: &[u64]) -> Vec<u64> {
        let (columns, depth) = (n_columns.max(1), self.n_values());
        let mut d = vec![0; c.len()];
        if let MmaAlgorithm::Fused(fused) = self.kernel {
            let (left, right) = (
                UnpackedOperandVec::read(fused.a, a),
                UnpackedOperandVec::read(fused.b, b),
            );
            rows_of(&fused, left.all(), right.all(), depth, columns, c, &mut d);
            return d;
        }
        let rows = d.chunks_mut(columns).zip(c.chunks(columns));
        for ((d, c), a) in rows.zip(a.chunks(depth)) {
            for (b, (d, c)) in b.chunks(depth).zip(d.iter_mut().zip(c)) {
                *d = self.element(a, b, *c);
            }
        }
        d
    }

    /// Returns the number of values per row of A: for `b1` elements the number of 32-bit words, otherwise the depth of
    /// the product.
    fn n_values(&self) -> usize {
        let depth = usize::from(self.product.shape.k).max(1);
        match self.kernel {
            MmaAlgorithm::Bits(_) => depth.div_ceil(32),
            _ => depth,
        }
    }

    fn watched(&self, a: &[u64], b: &[u64], c: u64, watch: &mut impl MmaObserver) -> u64 {
        match self.kernel {
            MmaAlgorithm::Double(rounding) => {
                a.iter().zip(b).enumerate().fold(c, |sum, (k, (a, b))| {
                    let result = ieee::fma64(*a, *b, sum, rounding);
                    watch.step(|| MmaStep::fma(k, *a, *b, sum, result));
                    result
                })
            }
            MmaAlgorithm::Integer {
                a: x,
                b: y,
                overflow,
            } => integer::sum(a, x, b, y, c, overflow),
            MmaAlgorithm::Bits(op) => integer::count(op, a, b, c),
            MmaAlgorithm::Fused(fused) => {
                let left = UnpackedOperands::<MAX_DEPTH>::read(fused.a, a);
                let right = UnpackedOperands::<MAX_DEPTH>::read(fused.b, b);
                let (left, right) = (left.first(a.len()), right.first(b.len()));
                in_blocks(&fused, left, right, c as u32, watch)
            }
            MmaAlgorithm::Halves(fused) => in_halves(&fused, a, b, c as u32, watch),
            MmaAlgorithm::Chain(fused) => in_chain(&fused, a, b, c as u32, watch),
            // Without scale factors, compute the element with scale factors of 1.
            MmaAlgorithm::Scaled(_) | MmaAlgorithm::Groups => {
                let factors: &[u8] = match self.factors {
                    ScaleType::Ue8m0 => &[127],
                    ScaleType::Ue4m3 => &[0x38],
                };
                let (values, others) = (a, b);
                let a = ScaledOperandLine { values, factors };
                let b = ScaledOperandLine {
                    values: others,
                    factors,
                };
                self.scaled_watched(a, b, c, watch)
            }
        }
    }
}

/// Observer that receives the steps of a matrix product: its fused sums, and all operations outside of fused sums.
pub(crate) trait MmaObserver: SumObserver {
    fn step(&mut self, _step: impl FnOnce() -> MmaStep) {}
}

impl MmaObserver for () {}

/// Converts an element of C to the format of the accumulator.
fn widened(fused: &FusedSumConfig, c: u32, watch: &mut impl MmaObserver) -> u32 {
    if !fused.widens_c {
        return c;
    }
    let wide = ieee::widen(c);
    watch.step(|| MmaStep::Widen {
        bits: c,
        result: wide,
    });
    wide
}

/// Converts the accumulator after the last block to the format of D.
fn narrowed(fused: &FusedSumConfig, sum: u32, watch: &mut impl MmaObserver) -> u64 {
    if !fused.narrows_d {
        return u64::from(sum);
    }
    let narrow = ieee::narrow32(sum);
    watch.step(|| MmaStep::Narrow {
        bits: sum,
        result: narrow,
    });
    u64::from(narrow)
}

fn in_blocks(
    fused: &FusedSumConfig,
    a: OperandSlice<'_>,
    b: OperandSlice<'_>,
    c: u32,
    watch: &mut impl MmaObserver,
) -> u64 {
    let c = widened(fused, c, watch);
    let sum = sum_blocks(fused, a, b, c, watch);
    narrowed(fused, sum, watch)
}

/// Adds the blocks of a product in the order of ascending k. The result of each block is the accumulator of the next
/// block.
fn sum_blocks(
    fused: &FusedSumConfig,
    a: OperandSlice<'_>,
    b: OperandSlice<'_>,
    c: u32,
    watch: &mut impl MmaObserver,
) -> u32 {
    match fused.block {
        4 => sum_blocks_of::<4>(fused, a, b, c, watch),
        8 => sum_blocks_of::<8>(fused, a, b, c, watch),
        16 => sum_blocks_of::<16>(fused, a, b, c, watch),
        _ => sum_blocks_of::<32>(fused, a, b, c, watch),
    }
}

fn sum_blocks_of<const N: usize>(
    fused: &FusedSumConfig,
    a: OperandSlice<'_>,
    b: OperandSlice<'_>,
    c: u32,
    watch: &mut impl MmaObserver,
) -> u32 {
    let blocks = a.blocks::<N>().every(0, 1).zip(b.blocks::<N>().every(0, 1));
    blocks.fold(c, |sum, (a, b)| {
        fused_sum::block(&fused.rule, a, b, sum, watch)
    })
}

/// Computes the rows of D. The function is compiled once for each supported vector width of the host, and all versions
/// return the same bits.
#[cfg_attr(
    target_arch = "x86_64",
    multiversion::multiversion(targets(
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
        "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
    ))
)]
fn rows_of(
    fused: &FusedSumConfig,
    a: OperandSlice<'_>,
    b: OperandSlice<'_>,
    depth: usize,
    columns: usize,
    c: &[u64],
    d: &mut [u64],
) {
    let rows = d.chunks_mut(columns).zip(c.chunks(columns));
    for ((d, c), a) in rows.zip(a.chunks(depth)) {
        row(fused, a, b, c, d);
    }
}

/// Computes a row of D. `b` contains the consecutive columns of B.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn row(fused: &FusedSumConfig, a: OperandSlice<'_>, b: OperandSlice<'_>, c: &[u64], d: &mut [u64]) {
    for (d, c) in d.iter_mut().zip(c) {
        *d = u64::from(widened(fused, *c as u32, &mut ()));
    }
    match fused.block {
        4 => row_in_blocks::<4>(fused, a, b, d),
        8 => row_in_blocks::<8>(fused, a, b, d),
        16 => row_in_blocks::<16>(fused, a, b, d),
        _ => row_in_blocks::<32>(fused, a, b, d),
    }
    for d in d {
        *d = narrowed(fused, *d as u32, &mut ());
    }
}

/// Adds the products of a row of A to `sums`, block by block, for all columns of B. Adjacent sums are independent, so
/// the host CPU can compute several sums in parallel.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn row_in_blocks<const N: usize>(
    fused: &FusedSumConfig,
    a: OperandSlice<'_>,
    b: OperandSlice<'_>,
    sums: &mut [u64],
) {
    let n_blocks = (a.len() / N).max(1);
    for (at, a) in a.blocks::<N>().every(0, 1).enumerate() {
        for (sum, b) in sums.iter_mut().zip(b.blocks::<N>().every(at, n_blocks)) {
            *sum = u64::from(fused_sum::block(&fused.rule, a, b, *sum as u32, &mut ()));
        }
    }
}

fn in_halves(
    fused: &FusedSumConfig,
    a: &[u64],
    b: &[u64],
    c: u32,
    watch: &mut impl MmaObserver,
) -> u64 {
    let c = widened(fused, c, watch);
    let mut sum = 0;
    for half in 0..2 {
        let (mut left, mut right) = ([0; MAX_DEPTH / 2], [0; MAX_DEPTH / 2]);
        let taken = a
            .iter()
            .zip(b)
            .enumerate()
            .filter(|(k, _)| k >> 1 & 1 == half);
        let mut n = 0;
        for ((left, right), (_, (a, b))) in left.iter_mut().zip(&mut right).zip(taken) {
            (*left, *right) = (*a, *b);
            n += 1;
        }
        let left = UnpackedOperands::<{ MAX_DEPTH / 2 }>::read(fused.a, &left[..n]);
        let right = UnpackedOperands::<{ MAX_DEPTH / 2 }>::read(fused.b, &right[..n]);
        sum = sum_blocks(fused, left.first(n), right.first(n), sum, watch);
    }
    let result = match fused.rule.accumulator {
        fused_sum::Accumulator::F32 { .. } => ieee::add32(sum, c),
        fused_sum::Accumulator::F16 => ieee::add16(sum, c),
    };
    watch.step(|| MmaStep::Add {
        a: sum,
        b: c,
        result,
    });
    narrowed(fused, result, watch)
}

fn in_chain(
    fused: &FusedSumConfig,
    a: &[u64],
    b: &[u64],
    c: u32,
    watch: &mut impl MmaObserver,
) -> u64 {
    let c = widened(fused, c, watch);
    let mut sum = 0;
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        let (a, b) = (ieee::widen(*a as u32), ieee::widen(*b as u32));
        let result = ieee::fma32(a, b, sum);
        watch.step(|| {
            MmaStep::fma(
                k,
                u64::from(a),
                u64::from(b),
                u64::from(sum),
                u64::from(result),
            )
        });
        sum = result;
    }
    let result = ieee::add32(c, sum);
    watch.step(|| MmaStep::Add {
        a: c,
        b: sum,
        result,
    });
    narrowed(fused, result, watch)
}
