//! Selection of the algorithm that computes a [`MmaDescription`], with the number of products per fused sum and the
//! precision of each Tensor Core generation.

use crate::semantics::rounding::RoundingMode;
use crate::semantics::tensor::block_scaling::ScaleType;
use crate::semantics::tensor::fused_sum::{Accumulator, FusedSumRule};
use crate::semantics::tensor::integer::IntegerFormat;
use crate::semantics::tensor::unpacked_float;
use crate::semantics::tensor::unpacked_float::Format;
use std::fmt;
use warpgrid_isa::fragment::{Shape, TensorCoreGeneration};
use warpgrid_isa::{Rounding, ScalarType};

/// PTX instruction of a matrix product. The instructions compile to different SASS instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MmaInstruction {
    /// `wmma.mma`
    Wmma,
    /// `mma.sync`
    Mma,
    /// `wgmma.mma_async`
    Wgmma,
    /// `tcgen05.mma`
    Tcgen05,
}

/// Treatment of integer sums of a matrix product that exceed 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerOverflow {
    Wrap,
    /// `.satfinite`
    Saturate,
}

/// Bitwise combination of the elements of two `b1` words before the set bits are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOp {
    /// `.xor.popc`
    Xor,
    /// `.and.popc`
    And,
}

/// Rule by which Tensor Cores compute `f32` sums of products of 16-bit operands. The JIT compiler implements this rule.
/// Products are exact. Each term of a block is truncated to `kept_bits` fraction bits relative to the largest term. The
/// sum of a block is exact and then truncated to `f32`. Blocks are added sequentially.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fp16SumRule {
    pub rows: u16,
    pub columns: u16,
    pub depth: u16,
    /// Number of exponent bits of an operand: 5 for `f16` and 8 for `bf16`.
    pub exponent_bits: u8,
    pub fraction_bits: u8,
    pub kept_bits: u8,
    /// Number of products that the hardware adds in one block.
    pub block: u8,
}

/// Description of a dense matrix product, as specified by an instruction, from which a
/// [`TensorCoreModel`](super::model::TensorCoreModel) is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaDescription {
    pub core: TensorCoreGeneration,
    pub op: MmaInstruction,
    pub shape: Shape,
    pub a: ScalarType,
    pub b: ScalarType,
    pub c: ScalarType,
    pub d: ScalarType,
    /// Overflow behavior of integer sums.
    pub overflow: IntegerOverflow,
    /// Rounding mode of `f64`. All other types have the fixed rounding of the hardware.
    pub rounding: Rounding,
    /// Bit operation of `b1`.
    pub bit_op: BitOp,
}

/// Error for a matrix product that no Tensor Core of its generation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedMma(pub MmaDescription);

impl fmt::Display for UnsupportedMma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MmaDescription {
            core,
            shape,
            a,
            b,
            c,
            d,
            ..
        } = self.0;
        write!(
            f,
            "the Tensor Cores of `{}` do not support shape `{shape}` with types A `{a}`, B `{b}`, C `{c}` and D `{d}`",
            core.first_target()
        )
    }
}

impl std::error::Error for UnsupportedMma {}

/// Algorithm by which the hardware or compiled code computes a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MmaAlgorithm {
    /// Fused sums of blocks in ascending k. The result of each block is the accumulator of the next block.
    Fused(FusedSumConfig),
    /// Product of 8-bit floats that the compiler unpacks to `f16`: one fused sum of the products with k mod 4 = 0 or 1,
    /// one fused sum of the products with k mod 4 = 2 or 3, then an IEEE addition of C.
    Halves(FusedSumConfig),
    /// Product that the compiler implements in software: a chain of `f32` fused multiply-adds that starts with +0, then
    /// an addition of C.
    Chain(FusedSumConfig),
    /// Product of `f64`: a chain of fused multiply-adds that starts with C.
    Double(RoundingMode),
    Integer {
        a: IntegerFormat,
        b: IntegerFormat,
        overflow: IntegerOverflow,
    },
    Bits(BitOp),
    /// Fused sums of elements that are multiplied by scale factors.
    Scaled(FusedSumConfig),
    /// Product of 4-bit floats with scale factors: the products of each group are added exactly.
    Groups,
}

/// Operand formats, summation rule and block size of a floating-point algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FusedSumConfig {
    pub(crate) a: Format,
    pub(crate) b: Format,
    pub(crate) rule: FusedSumRule,
    /// Number of products that one fused sum adds.
    pub(crate) block: u8,
    /// Whether C is converted from `f16` to the `f32` accumulator format first. This conversion is exact.
    pub(crate) widens_c: bool,
    /// Whether the `f32` result is rounded to nearest even, to an `f16` element of D.
    pub(crate) narrows_d: bool,
}

impl MmaDescription {
    /// Returns the algorithm that computes the product.
    pub(crate) fn kernel(&self) -> Result<MmaAlgorithm, UnsupportedMma> {
        let unsupported = Err(UnsupportedMma(*self));
        if let (Some(a), Some(b)) = (integer(self.a), integer(self.b)) {
            return match (self.c, self.d) {
                (ScalarType::S32, ScalarType::S32) => Ok(MmaAlgorithm::Integer {
                    a,
                    b,
                    overflow: self.overflow,
                }),
                _ => unsupported,
            };
        }
        match (self.a, self.b, self.c, self.d) {
            (ScalarType::B1, ScalarType::B1, ScalarType::S32, ScalarType::S32) => {
                Ok(MmaAlgorithm::Bits(self.bit_op))
            }
            (ScalarType::F64, ScalarType::F64, ScalarType::F64, ScalarType::F64) => {
                Ok(MmaAlgorithm::Double(Some(self.rounding).into()))
            }
            _ => self.float_kernel(),
        }
    }

    /// Returns the algorithm that computes the product with scale factors for the rows of A and the columns of B.
    pub(crate) fn scaled_kernel(&self, factors: ScaleType) -> Result<MmaAlgorithm, UnsupportedMma> {
        let unsupported = Err(UnsupportedMma(*self));
        let is_four = self.a == ScalarType::E2m1 && self.b == ScalarType::E2m1;
        let has_factors = match self.op {
            MmaInstruction::Tcgen05 => self.core == TensorCoreGeneration::Blackwell,
            MmaInstruction::Wmma | MmaInstruction::Mma | MmaInstruction::Wgmma => {
                self.core == TensorCoreGeneration::BlackwellRtx
            }
        };
        if !has_factors || (self.c, self.d) != (ScalarType::F32, ScalarType::F32) {
            return unsupported;
        }
        match (self.shape.k, factors, self.float_kernel()?) {
            (64, ScaleType::Ue8m0 | ScaleType::Ue4m3, _) if is_four => Ok(MmaAlgorithm::Groups),
            (32, ScaleType::Ue8m0, MmaAlgorithm::Fused(fused)) => Ok(MmaAlgorithm::Scaled(fused)),
            _ => unsupported,
        }
    }

    fn float_kernel(&self) -> Result<MmaAlgorithm, UnsupportedMma> {
        let unsupported = UnsupportedMma(*self);
        let (a, b) = (factor(self.a), factor(self.b));
        let (Some(a), Some(b)) = (a, b) else {
            return Err(unsupported);
        };
        let has_bytes = is_of_byte(self.a) && is_of_byte(self.b);
        if self.a != self.b && !has_bytes {
            return Err(unsupported);
        }
        let is_half = |ty| match ty {
            ScalarType::F16 => Some(true),
            ScalarType::F32 => Some(false),
            _ => None,
        };
        let (Some(half_c), Some(half_d)) = (is_half(self.c), is_half(self.d)) else {
            return Err(unsupported);
        };
        let hardware = if has_bytes {
            self.byte_hardware()
        } else {
            self.hardware()
        };
        let Some(hardware) = hardware else {
            return Err(unsupported);
        };
        let is_narrow = half_c && half_d && hardware.kernel != MmaAlgorithmKind::Chain;
        let fused = FusedSumConfig {
            a,
            b,
            rule: FusedSumRule {
                kept_bits: hardware.kept_bits,
                product_bits: a.fraction_bits + b.fraction_bits,
                accumulator: if is_narrow {
                    Accumulator::F16
                } else {
                    Accumulator::F32 {
                        cleared_bits: 23u8.saturating_sub(hardware.kept_bits),
                    }
                },
                floor: if is_narrow && !(has_bytes && hardware.kernel == MmaAlgorithmKind::Fused) {
                    floor(-14, hardware.kept_bits)
                } else {
                    // On `sm_89`, sums of products of 8-bit floats with `f16` results have no lower exponent bound
                    // within the range of `f16`.
                    floor(-126, hardware.kept_bits)
                },
            },
            block: hardware.block,
            widens_c: half_c && !is_narrow,
            narrows_d: half_d && !is_narrow,
        };
        Ok(match hardware.kernel {
            MmaAlgorithmKind::Fused => MmaAlgorithm::Fused(fused),
            MmaAlgorithmKind::Halves => MmaAlgorithm::Halves(fused),
            MmaAlgorithmKind::Chain => MmaAlgorithm::Chain(fused),
        })
    }

    /// Returns the summation parameters of the hardware for 16-bit and `tf32` operands.
    fn hardware(&self) -> Option<HardwareModel> {
        let depth = self.shape.k.min(64) as u8;
        let kept_bits = match self.core {
            TensorCoreGeneration::Volta => 23,
            TensorCoreGeneration::Turing
            | TensorCoreGeneration::Ampere
            | TensorCoreGeneration::Ada => 24,
            TensorCoreGeneration::Hopper
            | TensorCoreGeneration::Blackwell
            | TensorCoreGeneration::BlackwellRtx => 25,
        };
        let is_first_shape = self.op == MmaInstruction::Mma && self.shape == Shape::new(8, 8, 4);
        if is_first_shape && self.core >= TensorCoreGeneration::Ampere {
            // On `sm_80` and later, the assembler expands `mma.m8n8k4` with `.f16` into scalar instructions.
            return Some(HardwareModel {
                kernel: MmaAlgorithmKind::Chain,
                ..fused(kept_bits, 4)
            });
        }
        let block = match (self.a, self.core) {
            (ScalarType::F16, TensorCoreGeneration::Volta) => 4,
            (_, TensorCoreGeneration::Volta) => return None,
            (ScalarType::F16, TensorCoreGeneration::Turing) => 8,
            (_, TensorCoreGeneration::Turing) => return None,
            (ScalarType::Tf32, TensorCoreGeneration::Ampere | TensorCoreGeneration::Ada) => 4,
            // On every target, `wmma` with `tf32` compiles to two SASS instructions with k = 4 each.
            (ScalarType::Tf32, _) if self.op == MmaInstruction::Wmma => 4,
            (ScalarType::Tf32, _) => 8,
            (_, TensorCoreGeneration::Ampere | TensorCoreGeneration::Ada) => 8,
            (
                _,
                TensorCoreGeneration::Hopper
                | TensorCoreGeneration::Blackwell
                | TensorCoreGeneration::BlackwellRtx,
            ) => 16,
        };
        Some(fused(kept_bits, block.min(depth)))
    }
}

impl MmaDescription {
    /// Returns the summation parameters of the hardware for 8-bit floats.
    fn byte_hardware(&self) -> Option<HardwareModel> {
        let depth = self.shape.k.min(32) as u8;
        let is_narrow = |ty| !matches!(ty, ScalarType::E4m3 | ScalarType::E5m2);
        match self.op {
            MmaInstruction::Wmma | MmaInstruction::Mma => {}
            // The sums have 13 fraction bits, and one block contains all 32 products (Khattak and Mikaitis, for `f32`
            // results).
            MmaInstruction::Wgmma => return Some(fused(13, depth)),
            // No results of GPUs are published. The emulator assumes the same sums as for 8-bit floats on `sm_120`.
            MmaInstruction::Tcgen05 => return Some(fused(25, depth)),
        }
        match self.core {
            // Only the last generation supports these types. MMA-Sim models only `e2m1`. The emulator assumes the rules
            // of `e2m1` also for `e3m2` and `e2m3`.
            TensorCoreGeneration::Ada
            | TensorCoreGeneration::Hopper
            | TensorCoreGeneration::Blackwell
                if is_narrow(self.a) || is_narrow(self.b) =>
            {
                None
            }
            TensorCoreGeneration::Volta
            | TensorCoreGeneration::Turing
            | TensorCoreGeneration::Ampere => None,
            TensorCoreGeneration::Ada => Some(fused(13, 16)),
            // The hardware has no instruction for `mma.sync` with 8-bit floats. The product compiles to two `f16`
            // instructions, each of which adds one block with half of k.
            TensorCoreGeneration::Hopper | TensorCoreGeneration::Blackwell => Some(HardwareModel {
                kernel: MmaAlgorithmKind::Halves,
                ..fused(25, depth / 2)
            }),
            TensorCoreGeneration::BlackwellRtx => Some(fused(25, depth)),
        }
    }
}

/// Returns the lower bound of the exponent to which terms are aligned. `least_exponent` is the exponent of the smallest
/// normal number of the accumulator format (Khattak and Mikaitis).
pub(crate) const fn floor(least_exponent: i32, kept_bits: u8) -> i32 {
    least_exponent - 5 - (kept_bits as i32 - 23)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MmaAlgorithmKind {
    Fused,
    Halves,
    Chain,
}

#[derive(Clone, Copy)]
struct HardwareModel {
    kernel: MmaAlgorithmKind,
    kept_bits: u8,
    block: u8,
}

const fn fused(kept_bits: u8, block: u8) -> HardwareModel {
    HardwareModel {
        kernel: MmaAlgorithmKind::Fused,
        kept_bits,
        block,
    }
}

/// Checks whether a register stores one element per byte: 8-bit floats, and smaller floats with `.kind::f8f6f4`.
const fn is_of_byte(ty: ScalarType) -> bool {
    matches!(
        ty,
        ScalarType::E4m3
            | ScalarType::E5m2
            | ScalarType::E3m2
            | ScalarType::E2m3
            | ScalarType::E2m1
    )
}

/// Returns the register format of a floating-point operand.
pub(crate) const fn factor(ty: ScalarType) -> Option<Format> {
    match ty {
        ScalarType::E3m2 => Some(unpacked_float::E3M2),
        ScalarType::E2m3 => Some(unpacked_float::E2M3),
        ScalarType::E2m1 => Some(unpacked_float::E2M1_OF_BYTE),
        ScalarType::F16 => Some(unpacked_float::F16),
        ScalarType::Bf16 => Some(unpacked_float::BF16),
        ScalarType::Tf32 => Some(unpacked_float::TF32),
        ScalarType::E4m3 => Some(unpacked_float::E4M3),
        ScalarType::E5m2 => Some(unpacked_float::E5M2),
        _ => None,
    }
}

/// Returns the width and signedness of an integer operand.
const fn integer(ty: ScalarType) -> Option<IntegerFormat> {
    match ty {
        ScalarType::U8 | ScalarType::S8 | ScalarType::U4 | ScalarType::S4 => Some(IntegerFormat {
            bits: ty.width_bits() as u8,
            is_signed: ty.is_signed(),
        }),
        _ => None,
    }
}
