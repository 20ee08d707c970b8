//! Conversions between number types for which WebAssembly has the same semantics as the hardware. The generated code
//! takes register elements, and produces register elements.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::float::upper_half;
use crate::emit::half_float::HalfFormat;
use crate::instructions::low_halves;
use crate::instructions::splat32;
use warpgrid_emulator::translation_view::{
    ArithmeticMode, Conversion, OperandSlot, RegisterBank, RegisterOperand,
};
use warpgrid_isa::{Rounding, ScalarType, Signedness};
use wasm_encoder::Instruction as I;

/// Rounding mode of a conversion to an integral floating-point value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RoundToIntegral {
    Nearest,
    Zero,
    Down,
    Up,
}

impl RoundToIntegral {
    fn of(rounding: Option<Rounding>) -> Option<RoundToIntegral> {
        match rounding {
            Some(Rounding::Rni) => Some(RoundToIntegral::Nearest),
            Some(Rounding::Rzi) => Some(RoundToIntegral::Zero),
            Some(Rounding::Rmi) => Some(RoundToIntegral::Down),
            Some(Rounding::Rpi) => Some(RoundToIntegral::Up),
            _ => None,
        }
    }

    const fn row32(self) -> I<'static> {
        match self {
            RoundToIntegral::Nearest => I::F32x4Nearest,
            RoundToIntegral::Zero => I::F32x4Trunc,
            RoundToIntegral::Down => I::F32x4Floor,
            RoundToIntegral::Up => I::F32x4Ceil,
        }
    }

    const fn row64(self) -> I<'static> {
        match self {
            RoundToIntegral::Nearest => I::F64x2Nearest,
            RoundToIntegral::Zero => I::F64x2Trunc,
            RoundToIntegral::Down => I::F64x2Floor,
            RoundToIntegral::Up => I::F64x2Ceil,
        }
    }
}

/// Checks whether a number of this type occupies a whole register element or its low bits.
fn fits(e: RegisterOperand, ty: ScalarType) -> bool {
    match ty.width_bits() {
        64 => e.bank == RegisterBank::B64,
        8 | 16 if ty.is_integer() || HalfFormat::of(ty).is_some() => e.bank == RegisterBank::B32,
        _ => e.bank == RegisterBank::B32 && e.bits == 32,
    }
}

impl Emitter<'_> {
    pub(crate) fn convert(
        &mut self,
        conversion: &Conversion,
        d: RegisterOperand,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        use ScalarType as T;
        let (from, to, mode) = (conversion.from, conversion.to, conversion.mode);
        let is_plain = !(mode.saturate || mode.ftz || mode.relu || mode.satfinite);
        if let (true, T::F32, Some(format)) = (is_plain, to, HalfFormat::of(from))
            && (from.width_bits(), a.bank, d.bank) == (16, RegisterBank::B32, RegisterBank::B32)
        {
            return self.convert_half_to_float(format, d.slot, a);
        }
        if mode.relu || mode.satfinite || !fits(d, to) || !fits(a, from) {
            return self.unsupported(format!("a conversion from {from:?} to {to:?}"));
        }
        let nearest = matches!(mode.rounding, None | Some(Rounding::Rn));
        let integral_rounding = match RoundToIntegral::of(mode.rounding) {
            Some(integral_rounding) => Ok(integral_rounding),
            None => self.unsupported("a conversion to an integer without a rounding mode"),
        };
        let is_narrow = |ty: ScalarType| ty.is_integer() && ty.width_bits() <= 32;
        match (from, to) {
            (_, T::F32) if is_narrow(from) && nearest && is_plain => {
                self.integer_to_float(from, d, a)
            }
            (T::F32, _) if is_narrow(to) => {
                self.float_to_integer(integral_rounding?, mode, to, d, a)
            }
            (T::F32, T::F32) if integral_rounding.is_ok() || mode.rounding.is_none() => {
                self.float_to_float(integral_rounding.ok(), mode, d, a)
            }
            (T::F32, T::F16 | T::Bf16) if mode.rounding == Some(Rounding::Rn) && is_plain => {
                let format = HalfFormat::of(to);
                self.read_any_nan(a.slot)?;
                self.narrow_half_float(format.unwrap_or(HalfFormat::F16));
                self.write32(d.slot);
                Ok(())
            }
            (T::S32 | T::U32, T::F64) if is_plain => self.widen(d, a, |e, _| {
                e.op(match from {
                    T::S32 => I::F64x2ConvertLowI32x4S,
                    _ => I::F64x2ConvertLowI32x4U,
                });
            }),
            (T::F32, T::F64) if is_plain => self.widen(d, a, |e, half| {
                e.op(I::F64x2PromoteLowF32x4);
                e.bail_out_if_nan(half);
            }),
            (T::F64, T::F32) if nearest && is_plain => self.double_to_float(d, a),
            (T::F64, T::S32 | T::U32) if is_plain => {
                self.double_to_integer(integral_rounding?, to, d, a)
            }
            (T::S64 | T::U64, T::F32 | T::F64) if nearest && is_plain => {
                self.wide_to_float(from, to, d, a)
            }
            (T::F32 | T::F64, T::S64 | T::U64) if is_plain => {
                self.float_to_wide(integral_rounding?, [from, to], d, a)
            }
            _ => self.unsupported(format!("a conversion from {from:?} to {to:?}")),
        }
    }

    fn integer_to_float(
        &mut self,
        from: ScalarType,
        d: RegisterOperand,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        self.read32(a.slot)?;
        self.fit(from.width_bits(), from.signedness());
        self.op(match from.signedness() {
            Signedness::Signed => I::F32x4ConvertI32x4S,
            Signedness::Unsigned => I::F32x4ConvertI32x4U,
        });
        self.write32(d.slot);
        Ok(())
    }

    fn double_to_float(
        &mut self,
        d: RegisterOperand,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        for half in 0..2 {
            self.read64(a.slot, half)?;
            self.bail_out_if_nan(half);
            self.op(I::F32x4DemoteF64x2Zero);
        }
        self.op(low_halves());
        self.write32(d.slot);
        Ok(())
    }

    /// Saturates the signed 32-bit numbers on the stack to the range of a type.
    fn clamp(&mut self, to: ScalarType) {
        let bits = to.width_bits();
        self.ops(match to.signedness() {
            Signedness::Signed => {
                let most = u32::MAX >> (33 - bits);
                [splat32(!most), I::I32x4MaxS, splat32(most), I::I32x4MinS]
            }
            Signedness::Unsigned => {
                let most = u32::MAX >> (32 - bits);
                [splat32(0), I::I32x4MaxS, splat32(most), I::I32x4MinU]
            }
        });
    }

    fn float_to_integer(
        &mut self,
        whole: RoundToIntegral,
        mode: ArithmeticMode,
        to: ScalarType,
        d: RegisterOperand,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        self.read_any_nan(a.slot)?;
        if mode.ftz {
            self.flush();
        }
        self.op(whole.row32());
        match to {
            ScalarType::U32 => self.op(I::I32x4TruncSatF32x4U),
            _ => {
                self.op(I::I32x4TruncSatF32x4S);
                self.clamp(to);
            }
        }
        self.fit(d.bits, Signedness::Unsigned);
        self.write32(d.slot);
        Ok(())
    }

    /// Converts floats to floats: rounds them to integral values, flushes subnormal numbers, and saturates the results,
    /// as the conversion mode specifies.
    fn float_to_float(
        &mut self,
        whole: Option<RoundToIntegral>,
        mode: ArithmeticMode,
        d: RegisterOperand,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        self.read_any_nan(a.slot)?;
        if mode.ftz {
            self.flush();
        }
        if let Some(whole) = whole {
            self.op(whole.row32());
        }
        match mode.saturate {
            true => self.saturate_float(),
            false => self.canonical(),
        }
        self.write32(d.slot);
        Ok(())
    }

    fn double_to_integer(
        &mut self,
        whole: RoundToIntegral,
        to: ScalarType,
        d: RegisterOperand,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        for half in 0..2 {
            self.read64(a.slot, half)?;
            self.bail_out_if_nan(half);
            self.op(whole.row64());
            self.op(match to {
                ScalarType::S32 => I::I32x4TruncSatF64x2SZero,
                _ => I::I32x4TruncSatF64x2UZero,
            });
        }
        self.op(low_halves());
        self.write32(d.slot);
        Ok(())
    }

    /// Converts 64-bit integers to floats, lane by lane.
    fn wide_to_float(
        &mut self,
        from: ScalarType,
        to: ScalarType,
        d: RegisterOperand,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        let sign = from.signedness();
        let [low, high, ..] = self.names.vectors;
        for (half, local) in [(0, low), (1, high)] {
            self.read64(a.slot, half)?;
            self.set(local);
        }
        if to == ScalarType::F32 {
            self.each_lane(|e, lane| {
                e.get(if lane < 2 { low } else { high });
                e.op(I::I64x2ExtractLane(lane % 2));
                e.op(match sign {
                    Signedness::Signed => I::F32ConvertI64S,
                    Signedness::Unsigned => I::F32ConvertI64U,
                });
                e.op(I::I32ReinterpretF32);
            });
            self.write32(d.slot);
            return Ok(());
        }
        for (half, local) in [(0, low), (1, high)] {
            self.each_wide_lane(|e, lane| {
                e.get(local);
                e.op(I::I64x2ExtractLane(lane));
                e.op(match sign {
                    Signedness::Signed => I::F64ConvertI64S,
                    Signedness::Unsigned => I::F64ConvertI64U,
                });
                e.op(I::I64ReinterpretF64);
            });
            self.write64(d.slot, half);
        }
        Ok(())
    }

    /// Converts floats to 64-bit integers, lane by lane.
    fn float_to_wide(
        &mut self,
        whole: RoundToIntegral,
        [from, to]: [ScalarType; 2],
        d: RegisterOperand,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        let sign = to.signedness();
        let [_, low, high, ..] = self.names.vectors;
        if from == ScalarType::F32 {
            self.read32(a.slot)?;
            self.op(whole.row32());
            self.set(low);
            self.get_all([low, low]);
            self.op(I::F32x4Ne);
            // A NaN operand causes a bailout, because only the interpreter implements its result.
            self.bail_out_if_any_lane(None);
        } else {
            for (half, local) in [(0, low), (1, high)] {
                self.read64(a.slot, half)?;
                self.bail_out_if_nan(half);
                self.op(whole.row64());
                self.set(local);
            }
        }
        for half in 0..2 {
            self.each_wide_lane(|e, lane| {
                if from == ScalarType::F32 {
                    e.get(low);
                    e.op(I::F32x4ExtractLane(2 * half + lane));
                    e.op(match sign {
                        Signedness::Signed => I::I64TruncSatF32S,
                        Signedness::Unsigned => I::I64TruncSatF32U,
                    });
                } else {
                    e.get(if half == 0 { low } else { high });
                    e.op(I::F64x2ExtractLane(lane));
                    e.op(match sign {
                        Signedness::Signed => I::I64TruncSatF64S,
                        Signedness::Unsigned => I::I64TruncSatF64U,
                    });
                }
            });
            self.write64(d.slot, half.into());
        }
        Ok(())
    }

    pub(crate) fn convert_packed(
        &mut self,
        conversion: &Conversion,
        slots: [OperandSlot; 3],
    ) -> Result<(), BailoutReason> {
        let (from, to, mode) = (conversion.from, conversion.to, conversion.mode);
        let is_plain = !(mode.saturate || mode.ftz || mode.relu || mode.satfinite);
        let nearest = mode.rounding == Some(Rounding::Rn);
        match HalfFormat::of(to).filter(|_| is_plain && nearest && from == ScalarType::F32) {
            Some(format) => self.convert_to_pair(format, slots),
            None => self.unsupported(format!("a conversion from two {from:?} to {to:?}")),
        }
    }

    /// Converts the 32-bit elements of a row to 64 bits, two lanes at a time.
    fn widen(
        &mut self,
        d: RegisterOperand,
        a: RegisterOperand,
        convert: impl Fn(&mut Self, u32),
    ) -> Result<(), BailoutReason> {
        for half in 0..2 {
            self.read32(a.slot)?;
            if half == 1 {
                self.read32(a.slot)?;
                self.op(upper_half());
            }
            convert(self, half);
            self.write64(d.slot, half);
        }
        Ok(())
    }

    /// Truncates each lane of a row to its low `bits` bits, and zero-extends or sign-extends the result to the lane
    /// width.
    pub(crate) fn fit(&mut self, bits: u32, sign: Signedness) {
        if bits >= 32 {
            return;
        }
        match sign {
            Signedness::Signed => self.ops([
                I::I32Const(32 - bits as i32),
                I::I32x4Shl,
                I::I32Const(32 - bits as i32),
                I::I32x4ShrS,
            ]),
            Signedness::Unsigned => self.ops([splat32(u32::MAX >> (32 - bits)), I::V128And]),
        }
    }
}
