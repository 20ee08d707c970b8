//! Code generation for floating-point arithmetic. Input and output: rows of numbers. NaNs, signs of zeros and rounding
//! are identical to the results of the interpreter. Rare cases, such as a 64-bit NaN whose payload matters, cause a
//! bailout.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::fma_emulation::ResultPrecision;
use crate::emit::shared_routine::SharedRoutine;
use crate::emit::special_function::{SpecialFunctionCall, SpecialFunctionRoutine};
use crate::engine::MaddRounding;
use crate::instructions::{halves, splat32, splat64};
use crate::layout::stop;
use warpgrid_emulator::translation_view::{
    Float32Op, Float64Op, FloatMode, FloatOp, OperandLocation, OperandSlot, RegisterBank,
    RoundingMode, unit_function,
};
use wasm_encoder::{BlockType, Instruction as I};

pub(crate) const NAN_32: u32 = 0x7fff_ffff;
const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const SMALLEST_NORMAL: u32 = 1 << 23;

/// WebAssembly vector instructions that compare numbers of a given lane width.
struct LaneOps {
    /// Bit position of the sign in a lane.
    sign: i32,
    shift_signed: I<'static>,
    shift: I<'static>,
    less: I<'static>,
    equal: I<'static>,
}

const LANES_OF_32: LaneOps = LaneOps {
    sign: 31,
    shift_signed: I::I32x4ShrS,
    shift: I::I32x4ShrU,
    less: I::I32x4LtS,
    equal: I::F32x4Eq,
};

const LANES_OF_64: LaneOps = LaneOps {
    sign: 63,
    shift_signed: I::I64x2ShrS,
    shift: I::I64x2ShrU,
    less: I::I64x2LtS,
    equal: I::F64x2Eq,
};

/// Returns the source operands of an operation.
pub(crate) fn sources_of(
    f: FloatOp,
    sources: [OperandSlot; 3],
) -> impl Iterator<Item = OperandSlot> {
    let n = match f {
        FloatOp::Neg | FloatOp::Abs => 1,
        FloatOp::Fma => 3,
        _ => 2,
    };
    sources.into_iter().take(n)
}

impl Emitter<'_> {
    pub(crate) fn float32(
        &mut self,
        f: Float32Op,
        mode: FloatMode,
        [d, a, b, c]: [OperandSlot; 4],
    ) -> Result<(), BailoutReason> {
        if let Some(function) = unit_function(f, mode.round) {
            self.read32(a)?;
            self.approximate(SpecialFunctionCall::Of(function), mode);
            self.write32(d);
            return Ok(());
        }
        let is_quotient = f == Float32Op::Div && mode.round != RoundingMode::Nearest;
        let is_known = match mode.round {
            RoundingMode::Nearest => true,
            RoundingMode::Approximate | RoundingMode::Full => is_quotient,
            RoundingMode::Zero
            | RoundingMode::Down
            | RoundingMode::Up
            | RoundingMode::NearestAway => false,
        };
        if mode.relu || mode.nan || mode.xorsign_abs || !is_known {
            return self.unsupported(format!("{f:?} with these modifiers"));
        }
        match is_quotient {
            true => self.quotient(mode, a, b)?,
            false => self.emit_without_canonicalization(f, mode, [a, b, c])?,
        }
        if !is_quotient && !self.may_be_any_nan(d) {
            self.canonical();
        }
        if mode.ftz {
            match is_quotient {
                true => self.flush(),
                false => self.flush_result(f),
            }
        }
        if mode.saturate {
            self.saturate_float();
        }
        self.write32(d);
        Ok(())
    }

    /// Clamps the numbers on the stack to the range from 0 to 1.
    pub(crate) fn saturate_float(&mut self) {
        let row = self.names.vectors[0];
        self.set(row);
        // Comparisons with a NaN are false, so that saturation converts a NaN to 0. Saturation also converts -0 to +0.
        self.op(splat32(0));
        self.get(row);
        self.op(I::F32x4PMax);
        self.set(row);
        self.op(splat32(1f32.to_bits()));
        self.get(row);
        self.op(I::F32x4PMin);
    }

    /// Checks whether the destination register may contain a noncanonical NaN.
    fn may_be_any_nan(&self, d: OperandSlot) -> bool {
        match d.place() {
            OperandLocation::Register(index) => self
                .any_nan
                .contains(&self.frame_register(RegisterBank::B32, index)),
            _ => false,
        }
    }

    /// Pushes a source operand. Subnormal numbers are flushed if the mode specifies flushing.
    fn read_float(&mut self, slot: OperandSlot, mode: FloatMode) -> Result<(), BailoutReason> {
        self.read_any_nan(slot)?;
        if mode.ftz {
            self.flush();
        }
        Ok(())
    }

    /// Calls the function of the module that approximates a special function for the arguments on the stack.
    fn approximate(&mut self, what: SpecialFunctionCall, mode: FloatMode) {
        self.call(SharedRoutine::Approximated(SpecialFunctionRoutine {
            what,
            flushes: mode.ftz,
        }));
    }

    fn quotient(
        &mut self,
        mode: FloatMode,
        a: OperandSlot,
        b: OperandSlot,
    ) -> Result<(), BailoutReason> {
        for source in [b, a] {
            self.read32(source)?;
            if mode.ftz {
                self.flush();
            }
        }
        let is_full = mode.round == RoundingMode::Full;
        self.approximate(SpecialFunctionCall::Quotient { is_full }, mode);
        Ok(())
    }

    /// Pushes the result of an operation without NaN canonicalization, so that the result may contain a noncanonical
    /// NaN.
    fn emit_without_canonicalization(
        &mut self,
        f: Float32Op,
        mode: FloatMode,
        [a, b, c]: [OperandSlot; 3],
    ) -> Result<(), BailoutReason> {
        use Float32Op as F;
        match f {
            F::Plain(f) => {
                let [_, x, y, z, ..] = self.names.vectors;
                for (source, row) in sources_of(f, [a, b, c]).zip([x, y, z]) {
                    self.read_float(source, mode)?;
                    self.set(row);
                }
                match f {
                    FloatOp::Fma => self.multiply_add([x, y, z], mode),
                    _ => self.emit_op(f, [x, y]),
                }
            }
            F::Div => {
                self.read_float(a, mode)?;
                self.read_float(b, mode)?;
                self.op(I::F32x4Div);
            }
            F::Rcp => {
                self.op(splat32(1f32.to_bits()));
                self.read_float(a, mode)?;
                self.op(I::F32x4Div);
            }
            F::Sqrt => {
                self.read_float(a, mode)?;
                self.op(I::F32x4Sqrt);
            }
            F::Rsqrt | F::Sin | F::Cos | F::Lg2 | F::Ex2 | F::Tanh | F::Copysign => {
                return self.unsupported(format!("{f:?}"));
            }
        }
        Ok(())
    }

    /// Emits an operation on the rows in one or two locals. For `fma`, emits only the product.
    pub(crate) fn emit_op(&mut self, f: FloatOp, [x, y]: [u32; 2]) {
        if matches!(f, FloatOp::Min | FloatOp::Max) {
            return self.min_max([x, y], f, &LANES_OF_32);
        }
        self.get(x);
        match f {
            FloatOp::Neg => return self.op(I::F32x4Neg),
            FloatOp::Abs => return self.op(I::F32x4Abs),
            _ => self.get(y),
        }
        self.op(match f {
            FloatOp::Add => I::F32x4Add,
            FloatOp::Sub => I::F32x4Sub,
            _ => I::F32x4Mul,
        });
    }

    /// Pushes the product of the rows in the first two locals plus the row in the third local.
    fn multiply_add(&mut self, rows: [u32; 3], mode: FloatMode) {
        match (self.products, mode.ftz) {
            (MaddRounding::Fused, _) => {
                for row in rows {
                    self.get(row);
                }
                self.op(I::F32x4RelaxedMadd);
            }
            (MaddRounding::Unfused, true) => self.fused32(rows, ResultPrecision::Flushed),
            (MaddRounding::Unfused, false) => self.fused32(rows, ResultPrecision::Exact),
        }
    }

    /// Emits an operation on the two 32-bit numbers in a 64-bit register.
    pub(crate) fn float32x2(
        &mut self,
        f: FloatOp,
        mode: FloatMode,
        [d, a, b, c]: [OperandSlot; 4],
    ) -> Result<(), BailoutReason> {
        let is_known = mode.round == RoundingMode::Nearest;
        if mode.relu || mode.nan || mode.xorsign_abs || mode.saturate || !is_known {
            return self.unsupported(format!("{f:?} with two operands and these modifiers"));
        }
        let [_, x, y, z, ..] = self.names.vectors;
        for half in 0..2 {
            for (source, row) in sources_of(f, [a, b, c]).zip([x, y, z]) {
                self.read64(source, half)?;
                if mode.ftz {
                    self.flush();
                }
                self.set(row);
            }
            match f {
                FloatOp::Fma => self.multiply_add([x, y, z], mode),
                _ => self.emit_op(f, [x, y]),
            }
            self.canonical();
            if mode.ftz {
                self.flush_result(Float32Op::Plain(f));
            }
            self.write64(d, half);
        }
        Ok(())
    }

    /// Replaces every NaN on the stack with the canonical NaN.
    pub(crate) fn canonical(&mut self) {
        let row = self.names.vectors[0];
        self.set(row);
        self.push_canonical(row);
    }

    /// Pushes the row in a local after replacing every NaN with the canonical NaN.
    pub(crate) fn push_canonical(&mut self, row: u32) {
        self.get(row);
        self.op(splat32(NAN_32));
        self.get_all([row, row]);
        self.ops([I::F32x4Eq, I::V128Bitselect]);
    }

    /// Flushes the subnormal numbers on the stack to zero with the same sign.
    pub(crate) fn flush(&mut self) {
        let row = self.names.vectors[0];
        self.tee(row);
        self.get(row);
        self.ops([splat32(INFINITY), I::V128And, splat32(0), I::I32x4Ne]);
        // Keep all bits of a number if its exponent field is nonzero, otherwise only its sign.
        self.ops([splat32(SIGN), I::V128Or, I::V128And]);
    }

    /// Flushes subnormal results on the stack to zero. Bails out if a result is the smallest normal number, because
    /// this result may have been rounded up from a subnormal number. Operations whose subnormal results are exact, such
    /// as additions, do not require the bailout.
    fn flush_result(&mut self, f: Float32Op) {
        use Float32Op as F;
        let is_exact = matches!(
            f,
            F::Plain(
                FloatOp::Add
                    | FloatOp::Sub
                    | FloatOp::Neg
                    | FloatOp::Abs
                    | FloatOp::Min
                    | FloatOp::Max
            )
        );
        if !is_exact {
            let row = self.names.vectors[1];
            self.tee(row);
            self.ops([
                splat32(!SIGN),
                I::V128And,
                splat32(SMALLEST_NORMAL),
                I::I32x4Eq,
            ]);
            self.bail_out_if_any_lane(None);
            self.get(row);
        }
        self.flush();
    }

    /// Computes the `min` or `max` of the rows in two locals. If exactly one operand is a NaN, the result is the other
    /// operand. -0 is less than +0.
    fn min_max(&mut self, [x, y]: [u32; 2], f: FloatOp, lanes: &LaneOps) {
        let chosen = self.names.vectors[3];
        self.get_all([x, y]);
        // Convert the bit patterns to integers that have the same order as the floating-point numbers.
        for row in [x, y] {
            self.get_all([row, row]);
            self.ops([I::I32Const(lanes.sign), lanes.shift_signed.clone()]);
            self.ops([I::I32Const(1), lanes.shift.clone(), I::V128Xor]);
        }
        self.op(lanes.less.clone());
        if f != FloatOp::Min {
            self.op(I::V128Not);
        }
        self.op(I::V128Bitselect);
        self.set(chosen);
        // Select b if a is a NaN, and a if b is a NaN.
        self.get_all([chosen, y, x, x]);
        self.ops([lanes.equal.clone(), I::V128Bitselect]);
        self.get_all([x, y, y]);
        self.ops([lanes.equal.clone(), I::V128Bitselect]);
    }

    pub(crate) fn float64(
        &mut self,
        f: Float64Op,
        mode: FloatMode,
        [d, a, b, c]: [OperandSlot; 4],
    ) -> Result<(), BailoutReason> {
        use Float64Op as F;
        if !mode.is_plain() || mode.nan || mode.xorsign_abs {
            return self.unsupported(format!("64-bit {f:?} with these modifiers"));
        }
        for half in 0..2 {
            if let F::Plain(f @ (FloatOp::Min | FloatOp::Max)) = f {
                let [_, x, y, ..] = self.names.vectors;
                for (source, row) in [(a, x), (b, y)] {
                    self.read64(source, half)?;
                    self.set(row);
                }
                self.min_max([x, y], f, &LANES_OF_64);
                self.bail_out_if_nan(half);
                self.write64(d, half);
                continue;
            }
            if f == F::Rcp {
                self.op(splat64(1f64.to_bits()));
            }
            self.read64(a, half)?;
            if matches!(
                f,
                F::Plain(FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Fma) | F::Div
            ) {
                self.read64(b, half)?;
            }
            if f == F::Plain(FloatOp::Fma) {
                self.read64(c, half)?;
            }
            match (f, self.products) {
                (F::Plain(FloatOp::Fma), MaddRounding::Unfused) => self.fused64(half),
                _ => self.operate64(f)?,
            }
            self.bail_out_if_nan(half);
            self.write64(d, half);
        }
        Ok(())
    }

    /// Emits the WebAssembly instruction for a 64-bit floating-point operation, whose operands are on the stack.
    fn operate64(&mut self, f: Float64Op) -> Result<(), BailoutReason> {
        use Float64Op as F;
        self.op(match f {
            F::Plain(FloatOp::Add) => I::F64x2Add,
            F::Plain(FloatOp::Sub) => I::F64x2Sub,
            F::Plain(FloatOp::Mul) => I::F64x2Mul,
            F::Plain(FloatOp::Fma) => I::F64x2RelaxedMadd,
            F::Plain(FloatOp::Neg) => I::F64x2Neg,
            F::Plain(FloatOp::Abs) => I::F64x2Abs,
            F::Div | F::Rcp => I::F64x2Div,
            F::Sqrt => I::F64x2Sqrt,
            F::Plain(FloatOp::Min | FloatOp::Max) | F::Rsqrt | F::Copysign => {
                return self.unsupported(format!("{f:?} of 64 bits"));
            }
        });
        Ok(())
    }

    /// Bails out if one of the two 64-bit numbers on the stack is a NaN, because only the interpreter implements the
    /// payload of the result. The numbers belong to the lanes of the given half.
    pub(crate) fn bail_out_if_nan(&mut self, half: u32) {
        let row = self.names.vectors[0];
        self.tee(row);
        self.get_all([row, row]);
        self.op(I::F64x2Ne);
        self.bail_out_if_any_lane(Some(half));
    }

    /// Bails out if the row on the stack is nonzero in an active lane. The row contains 32-bit lanes, or the 64-bit
    /// lanes of the given half if `half` is specified. The check ignores inactive lanes.
    pub(crate) fn bail_out_if_any_lane(&mut self, half: Option<u32>) {
        let rare = self.names.unsupported_lanes;
        self.tee(rare);
        self.ops([I::V128AnyTrue, I::If(BlockType::Empty)]);
        self.set_active_lanes();
        self.get(rare);
        self.spread_lanes(self.names.active);
        if let Some(half) = half {
            self.op(halves(half));
        }
        self.ops([I::V128And, I::V128AnyTrue]);
        self.bail_out_if_nonzero(stop::UNSUPPORTED);
        self.op(I::End);
    }

    /// Bails out with exit code `reason` if the number on the stack is not zero.
    pub(crate) fn bail_out_if_nonzero(&mut self, reason: u32) {
        self.ops([
            I::If(BlockType::Empty),
            I::I32Const(reason as i32),
            I::Return,
            I::End,
        ]);
    }
}

/// Returns the shuffle that moves the upper two of the four words in a row to the lower half. The row must be pushed
/// twice, because a shuffle has two operands.
pub(crate) const fn upper_half() -> I<'static> {
    I::I8x16Shuffle([8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15])
}
