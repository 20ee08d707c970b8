//! Conversions between number types, those that the host does as the machine does them. In: elements; out: elements.

use super::float::upper_half;
use super::half::Format;
use super::low_halves;
use super::{Emitter, splat32};
use crate::Refusal;
use warpgrid_emulator::plain::{Bank, Conversion, Element, Slot};
use warpgrid_isa::{Rounding, ScalarType};
use wasm_encoder::Instruction as I;

impl Emitter<'_> {
    pub(super) fn convert(
        &mut self,
        conversion: &Conversion,
        d: Element,
        a: Element,
    ) -> Result<(), Refusal> {
        use ScalarType as T;
        let (from, to, mode) = (conversion.from, conversion.to, conversion.mode);
        let is_plain = !(mode.saturate || mode.ftz || mode.relu || mode.satfinite);
        let integers = from.is_integer() && to.is_integer();
        if integers && is_plain && from.width_bits() <= 64 && to.width_bits() <= 64 {
            return self.between_integers(from, to, d, a);
        }
        if let (true, T::F32, Some(format)) = (is_plain, to, Format::of(from))
            && (from.width_bits(), a.bank, d.bank) == (16, Bank::B32, Bank::B32)
        {
            return self.convert_half_to_float(format, d.slot, a);
        }
        // A narrow integer is the low bits of its register.
        let fits = |e: Element, ty: ScalarType| match ty.width_bits() {
            64 => e.bank == Bank::B64,
            8 | 16 if ty.is_integer() || Format::of(ty).is_some() => e.bank == Bank::B32,
            _ => e.bank == Bank::B32 && e.bits == 32,
        };
        if !is_plain || !fits(d, to) || !fits(a, from) {
            return self.refuse(format!("a conversion from {from:?} to {to:?}"));
        }
        let nearest = matches!(mode.rounding, None | Some(Rounding::Rn));
        match (from, to) {
            (T::S32 | T::U32 | T::S16 | T::U16 | T::S8 | T::U8, T::F32) if nearest => {
                self.read32(a.slot)?;
                self.fit(from.width_bits(), from.is_signed());
                self.op(match from.is_signed() {
                    true => I::F32x4ConvertI32x4S,
                    false => I::F32x4ConvertI32x4U,
                });
                self.write32(d.slot);
            }
            (T::F32, T::S32 | T::U32) if mode.rounding == Some(Rounding::Rzi) => {
                self.read32(a.slot)?;
                self.op(match to {
                    T::S32 => I::I32x4TruncSatF32x4S,
                    _ => I::I32x4TruncSatF32x4U,
                });
                self.write32(d.slot);
            }
            (T::F32, T::F16 | T::Bf16) if mode.rounding == Some(Rounding::Rn) => {
                let format = Format::of(to);
                self.read_any_nan(a.slot)?;
                self.narrow_half_float(format.unwrap_or(Format::F16));
                self.write32(d.slot);
            }
            (T::S32 | T::U32, T::F64) => self.widen(d, a, |e| {
                e.op(match from {
                    T::S32 => I::F64x2ConvertLowI32x4S,
                    _ => I::F64x2ConvertLowI32x4U,
                });
            })?,
            (T::F32, T::F64) => self.widen(d, a, |e| {
                e.op(I::F64x2PromoteLowF32x4);
                e.stop_at_nan();
            })?,
            (T::F64, T::F32) if nearest => {
                for half in 0..2 {
                    self.read64(a.slot, half)?;
                    self.stop_at_nan();
                    self.op(I::F32x4DemoteF64x2Zero);
                }
                self.op(low_halves());
                self.write32(d.slot);
            }
            _ => return self.refuse(format!("a conversion from {from:?} to {to:?}")),
        }
        Ok(())
    }

    pub(super) fn convert_packed(
        &mut self,
        conversion: &Conversion,
        slots: [Slot; 3],
    ) -> Result<(), Refusal> {
        let (from, to, mode) = (conversion.from, conversion.to, conversion.mode);
        let is_plain = !(mode.saturate || mode.ftz || mode.relu || mode.satfinite);
        let nearest = mode.rounding == Some(Rounding::Rn);
        match Format::of(to).filter(|_| is_plain && nearest && from == ScalarType::F32) {
            Some(format) => self.convert_to_pair(format, slots),
            None => self.refuse(format!("a conversion from two {from:?} to {to:?}")),
        }
    }

    /// Two lanes at a time, from the lower half of a row.
    fn widen(
        &mut self,
        d: Element,
        a: Element,
        convert: impl Fn(&mut Self),
    ) -> Result<(), Refusal> {
        for half in 0..2 {
            self.read32(a.slot)?;
            if half == 1 {
                self.read32(a.slot)?;
                self.op(upper_half());
            }
            convert(self);
            self.write64(d.slot, half);
        }
        Ok(())
    }

    /// The source is cut to its type and extended, cut to the type of the result, and extended to the register if that is signed.
    fn between_integers(
        &mut self,
        from: ScalarType,
        to: ScalarType,
        d: Element,
        a: Element,
    ) -> Result<(), Refusal> {
        if matches!(d.bank, Bank::B128 | Bank::Predicate)
            || matches!(a.bank, Bank::B128 | Bank::Predicate)
        {
            return self.refuse("a conversion of another width");
        }
        let narrow = from.width_bits().min(32);
        if to.width_bits() < 64 || from.width_bits() < 64 {
            // All that matters of the source are its low bits, extended, where the result is not wider than 32 bits.
            self.read_element32(a)?;
            self.fit(narrow, from.is_signed());
            self.fit(to.width_bits().min(32), to.is_signed());
        }
        match d.bank {
            Bank::B32 => {
                if to.width_bits() == 64 {
                    return self.refuse("a conversion to a narrower register");
                }
                self.fit(d.bits, false);
                self.write32(d.slot);
            }
            _ if to.width_bits() == 64 && from.width_bits() == 64 => {
                if a.bank != Bank::B64 {
                    return self.refuse("a conversion of another width");
                }
                self.move64(d.slot, a.slot)?;
            }
            _ => {
                let signed = match to.width_bits() {
                    64 => from.is_signed(),
                    _ => to.is_signed(),
                };
                let kept = self.names.vectors[0];
                self.set(kept);
                for half in 0..2 {
                    self.get(kept);
                    self.extend_half(signed, half);
                    self.write64(d.slot, half);
                }
            }
        }
        Ok(())
    }

    /// Cuts a row to its low bits, and extends it.
    pub(super) fn fit(&mut self, bits: u32, signed: bool) {
        if bits >= 32 {
            return;
        }
        match signed {
            true => self.ops([
                I::I32Const(32 - bits as i32),
                I::I32x4Shl,
                I::I32Const(32 - bits as i32),
                I::I32x4ShrS,
            ]),
            false => self.ops([splat32(u32::MAX >> (32 - bits)), I::V128And]),
        }
    }
}
