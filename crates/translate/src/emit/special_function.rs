//! Code generation for the approximate functions of the special function unit. The generated code takes rows of
//! arguments, and produces rows of results that are bit-identical to the results of the interpreter, because both use
//! the same coefficients. The coefficients are a data segment of the module. A module contains one function for each
//! approximation that its kernel uses.

pub(crate) mod evaluation;

use crate::emit::float::NAN_32;
use crate::instructions::splat32;
use crate::layout::ModuleLayout;
use crate::layout::TABLE_BYTES;
use crate::runtime;
use warpgrid_emulator::translation_view::{
    FloatMode, RoundingMode, ScaledRanges, SpecialFunction, index_bits, scaling_of_quotient,
    unit_rows,
};
use wasm_encoder::{Function, Instruction as I, ValType};

pub(crate) const SIGN: u32 = 1 << 31;
pub(crate) const INFINITY: u32 = 0x7f80_0000;
pub(crate) const ONE: u32 = 0x3f80_0000;
pub(crate) const FRACTION_BITS: u32 = 23;
pub(crate) const FRACTION: u32 = (1 << FRACTION_BITS) - 1;
/// Exponent bias of `f32`.
pub(crate) const BIAS: u32 = 127;

const NO_SCALING: ScaledRanges = ScaledRanges {
    small: false,
    large: false,
    low: false,
};

/// Approximation that a function of the module computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpecialFunctionCall {
    Of(SpecialFunction),
    /// Quotient of the second argument and the first argument. The variant for `div.full` also scales large arguments.
    Quotient {
        is_full: bool,
    },
}

/// Outlined approximation of a special function, with its treatment of subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpecialFunctionRoutine {
    pub(crate) what: SpecialFunctionCall,
    pub(crate) flushes: bool,
}

/// Data segment of the module, with its address in linear memory.
pub(crate) struct DataSegment {
    pub(crate) place: u32,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the linear-memory address of a function's coefficients.
fn table_place(function: SpecialFunction, places: &ModuleLayout) -> u32 {
    use SpecialFunction as F;
    let number = match function {
        F::Reciprocal => 0,
        F::ReciprocalRoot => 1,
        F::Root => 2,
        F::Logarithm => 3,
        F::Power => 4,
        F::Sine | F::Cosine => 5,
        F::Tangent => 6,
    };
    places.special_function_tables + number * TABLE_BYTES
}

impl SpecialFunctionRoutine {
    pub(crate) const fn n_arguments(self) -> usize {
        match self.what {
            SpecialFunctionCall::Of(_) => 1,
            SpecialFunctionCall::Quotient { .. } => 2,
        }
    }

    fn unit_function(self) -> SpecialFunction {
        match self.what {
            SpecialFunctionCall::Of(function) => function,
            SpecialFunctionCall::Quotient { .. } => SpecialFunction::Reciprocal,
        }
    }

    /// Returns the ranges of arguments that are scaled before the approximation.
    fn scaling(self) -> ScaledRanges {
        match self.what {
            SpecialFunctionCall::Quotient { is_full } => scaling_of_quotient(FloatMode {
                round: match is_full {
                    true => RoundingMode::Full,
                    false => RoundingMode::Approximate,
                },
                ftz: self.flushes,
                ..FloatMode::default()
            }),
            SpecialFunctionCall::Of(_) if self.flushes => NO_SCALING,
            SpecialFunctionCall::Of(function) => function.scaling(),
        }
    }

    /// Returns the data segment that contains the coefficients.
    pub(crate) fn data(self, places: &ModuleLayout) -> DataSegment {
        let function = self.unit_function();
        let bytes = unit_rows(function).into_iter().flat_map(|row| {
            let [c1, c2] = [row.c1, row.c2].map(i32::to_le_bytes);
            let c0 = row.c0.to_le_bytes();
            c0.into_iter().chain(c1).chain(c2)
        });
        DataSegment {
            place: table_place(function, places),
            bytes: bytes.collect(),
        }
    }

    pub(crate) fn function(self, places: &ModuleLayout) -> Function {
        let mut code = SpecialFunctionEmitter {
            table: table_place(self.unit_function(), places),
            index_bits: index_bits(self.unit_function()),
            out: Vec::new(),
        };
        let scaling = self.scaling();
        code.scale(scaling);
        match self.what {
            SpecialFunctionCall::Of(function) => code.unit(function),
            SpecialFunctionCall::Quotient { .. } => code.unit(SpecialFunction::Reciprocal),
        }
        code.unscale(scaling, self.what);
        code.canonical();
        let n_vectors = N_VECTORS - self.n_arguments() as u32;
        runtime::function(&[(n_vectors, ValType::V128)], &code.out)
    }
}

// Indices of the vector locals, which start with the arguments.
pub(crate) const A: u32 = 0;
const DIVIDEND: u32 = 1;
const SCALE: u32 = 2;
/// Local that contains the fraction bits of the argument.
pub(crate) const PART: u32 = 3;
/// Local that contains the argument of the polynomial.
pub(crate) const X: u32 = 4;
pub(crate) const SQUARE: u32 = 5;
pub(crate) const ROW_PLACES: u32 = 6;
/// First of four locals that contain the coefficients: one table row per lane.
pub(crate) const ROW: u32 = 7;
/// First of two locals for the coefficients c1 and c2. Each local contains both coefficients of two lanes.
pub(crate) const PAIR: u32 = 11;
/// Local that contains the polynomial values of the first two lanes. The next local contains the values of the last two
/// lanes.
pub(crate) const SUM: u32 = 13;
pub(crate) const EXPONENT: u32 = 15;
pub(crate) const KEPT: u32 = 16;
pub(crate) const OTHER: u32 = 17;
const N_VECTORS: u32 = 18;

/// Mask of the bits of an `f64` that remain after truncation to the precision of `f32`.
pub(crate) const CUT: u64 = !0x1fff_ffff;

/// 2^52. The sum of a nonnegative number and 2^52 contains the integer part of the number in its low bits.
pub(crate) const TWO_POW_52: u64 = (1023 + 52) << 52;

/// Returns a power of two as the bits of an `f64`.
pub(crate) const fn power64(exponent: i64) -> u64 {
    ((1023 + exponent) as u64) << 52
}

pub(crate) const fn power32(exponent: i32) -> u32 {
    ((127 + exponent) as u32) << 23
}

pub(crate) struct SpecialFunctionEmitter {
    table: u32,
    index_bits: Option<u32>,
    out: Vec<I<'static>>,
}

impl SpecialFunctionEmitter {
    fn ops<const N: usize>(&mut self, instructions: [I<'static>; N]) {
        self.out.extend(instructions);
    }

    fn get(&mut self, local: u32) {
        self.out.push(I::LocalGet(local));
    }

    fn set(&mut self, local: u32) {
        self.out.push(I::LocalSet(local));
    }

    /// Emits the scaling of arguments that are too small or too large. The code saves the scale factor, a power of two,
    /// in a local.
    fn scale(&mut self, scaling: ScaledRanges) {
        if scaling == NO_SCALING {
            return;
        }
        self.ops([splat32(ONE), I::LocalSet(SCALE)]);
        let magnitude = [I::LocalGet(A), I::F32x4Abs];
        if scaling.small {
            self.ops([splat32(power32(24)), I::LocalGet(SCALE)]);
            self.ops(magnitude.clone());
            self.ops([splat32(power32(-126)), I::F32x4Lt]);
            self.ops([I::V128Bitselect, I::LocalSet(SCALE)]);
        }
        if scaling.large {
            self.ops([splat32(power32(-2)), I::LocalGet(SCALE)]);
            self.ops(magnitude);
            self.ops([splat32(power32(126)), I::F32x4Gt]);
            self.ops([I::V128Bitselect, I::LocalSet(SCALE)]);
        }
        if scaling.low {
            self.ops([splat32(power32(-1)), I::LocalGet(SCALE), I::LocalGet(A)]);
            self.ops([splat32((-126f32).to_bits()), I::F32x4Lt]);
            self.ops([I::V128Bitselect, I::LocalSet(SCALE)]);
        }
        self.ops([I::LocalGet(A), I::LocalGet(SCALE), I::F32x4Mul]);
        self.set(A);
    }

    /// Reverses the effect of the argument scaling on the result, which is on the stack.
    fn unscale(&mut self, scaling: ScaledRanges, what: SpecialFunctionCall) {
        use SpecialFunction as F;
        if let SpecialFunctionCall::Quotient { .. } = what {
            self.get(DIVIDEND);
            if scaling != NO_SCALING {
                self.ops([I::LocalGet(SCALE), I::F32x4Mul]);
            }
            self.ops([I::F32x4Mul]);
            return;
        }
        if scaling == NO_SCALING {
            return;
        }
        let was_scaled = [I::LocalGet(SCALE), splat32(ONE), I::F32x4Ne];
        match what {
            SpecialFunctionCall::Of(F::Reciprocal) => self.ops([I::LocalGet(SCALE), I::F32x4Mul]),
            SpecialFunctionCall::Of(F::ReciprocalRoot | F::Root) => {
                let factor = match what {
                    SpecialFunctionCall::Of(F::Root) => power32(-12),
                    _ => power32(12),
                };
                self.ops([splat32(factor), splat32(ONE)]);
                self.ops(was_scaled);
                self.ops([I::V128Bitselect, I::F32x4Mul]);
            }
            SpecialFunctionCall::Of(F::Logarithm) => {
                self.ops([splat32(24f32.to_bits())]);
                self.ops(was_scaled);
                self.ops([I::V128And, I::F32x4Sub]);
            }
            SpecialFunctionCall::Of(F::Power) => {
                self.ops([I::LocalTee(KEPT), I::LocalGet(KEPT), splat32(ONE)]);
                self.ops(was_scaled);
                self.ops([I::V128Bitselect, I::F32x4Mul]);
            }
            SpecialFunctionCall::Of(F::Sine | F::Cosine | F::Tangent)
            | SpecialFunctionCall::Quotient { .. } => {}
        }
    }

    /// Replaces every NaN on the stack with the canonical NaN.
    fn canonical(&mut self) {
        self.ops([
            I::LocalTee(KEPT),
            splat32(NAN_32),
            I::LocalGet(KEPT),
            I::LocalGet(KEPT),
            I::F32x4Eq,
            I::V128Bitselect,
        ]);
    }
}
