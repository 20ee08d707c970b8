//! Comparisons. In: rows; out: predicates, or rows of yes and no.

use crate::emit::Emitter;
use crate::emit::half::Format;
use crate::instructions::{low_words, splat32, splat64};
use crate::refusal::Refusal;
use warpgrid_emulator::plain::{CompareKind, Comparison, Slot};
use warpgrid_isa::{BoolOp, CompareOp, ScalarType};
use wasm_encoder::Instruction as I;

/// The predicate that a comparison is combined with.
type Combine = Option<warpgrid_emulator::plain::Combine>;

impl Emitter<'_> {
    pub(crate) fn set_predicate(
        &mut self,
        compare: &Comparison,
        [d, q]: [Slot; 2],
        combine: Combine,
    ) -> Result<(), Refusal> {
        self.compare(compare)?;
        let result = self.names.vectors[4];
        self.set(result);
        // The predicate that it is combined with may be the one that is written.
        let second = self.names.vectors[3];
        if q.is_some() {
            self.get(result);
            self.op(I::V128Not);
            self.combined(combine)?;
            self.set(second);
        }
        self.get(result);
        self.combined(combine)?;
        self.write_predicate(d);
        if q.is_some() {
            self.get(second);
            self.write_predicate(q);
        }
        Ok(())
    }

    fn combined(&mut self, combine: Combine) -> Result<(), Refusal> {
        let Some(combine) = combine else {
            return Ok(());
        };
        self.read_predicate(combine.slot)?;
        if combine.negated {
            self.op(I::V128Not);
        }
        self.op(match combine.op {
            BoolOp::And => I::V128And,
            BoolOp::Or => I::V128Or,
            BoolOp::Xor => I::V128Xor,
        });
        Ok(())
    }

    pub(crate) fn set_number(
        &mut self,
        compare: &Comparison,
        to: ScalarType,
        d: Slot,
        combine: Combine,
    ) -> Result<(), Refusal> {
        let yes = match to {
            ScalarType::F32 => 1f32.to_bits(),
            ScalarType::F16 | ScalarType::Bf16 => return self.refuse("`set` with a 16-bit result"),
            _ if to.width_bits() == 16 => 0xffff,
            _ => u32::MAX,
        };
        self.compare(compare)?;
        self.combined(combine)?;
        self.ops([splat32(yes), I::V128And]);
        self.write32(d);
        Ok(())
    }

    /// Leaves all ones or zeros a lane.
    fn compare(&mut self, c: &Comparison) -> Result<(), Refusal> {
        use CompareKind as K;
        match c.kind {
            K::U32 | K::S32 | K::U16 | K::S16 => self.compare32(c),
            K::U64 | K::S64 => self.compare64(c),
            K::F32 => self.compare_floats(c),
            K::F64 => self.compare_doubles(c),
            K::F16 | K::Bf16 if c.ftz => self.refuse("a comparison of 16-bit floats with `.ftz`"),
            K::F16 | K::Bf16 => self.compare_floats(c),
        }
    }

    fn compare32(&mut self, c: &Comparison) -> Result<(), Refusal> {
        use CompareOp as C;
        let signed = matches!(c.kind, CompareKind::S32 | CompareKind::S16);
        for slot in [c.a, c.b] {
            match c.kind {
                CompareKind::U16 | CompareKind::S16 => self.read16(slot, signed)?,
                _ => self.read32(slot)?,
            }
        }
        self.op(match (c.op, signed) {
            (C::Eq | C::Equ, _) => I::I32x4Eq,
            (C::Ne | C::Neu, _) => I::I32x4Ne,
            (C::Lt | C::Lo | C::Ltu, true) => I::I32x4LtS,
            (C::Lt | C::Lo | C::Ltu, false) => I::I32x4LtU,
            (C::Le | C::Ls | C::Leu, true) => I::I32x4LeS,
            (C::Le | C::Ls | C::Leu, false) => I::I32x4LeU,
            (C::Gt | C::Hi | C::Gtu, true) => I::I32x4GtS,
            (C::Gt | C::Hi | C::Gtu, false) => I::I32x4GtU,
            (C::Ge | C::Hs | C::Geu, true) => I::I32x4GeS,
            (C::Ge | C::Hs | C::Geu, false) => I::I32x4GeU,
            (C::Num | C::Nan, _) => return self.refuse("a comparison operator for floats only"),
        });
        Ok(())
    }

    fn compare64(&mut self, c: &Comparison) -> Result<(), Refusal> {
        use CompareOp as C;
        let signed = c.kind == CompareKind::S64;
        for half in 0..2 {
            self.read64(c.a, half)?;
            if !signed {
                self.ops([splat64(1 << 63), I::V128Xor]);
            }
            self.read64(c.b, half)?;
            if !signed {
                self.ops([splat64(1 << 63), I::V128Xor]);
            }
            self.op(match c.op {
                C::Eq | C::Equ => I::I64x2Eq,
                C::Ne | C::Neu => I::I64x2Ne,
                C::Lt | C::Lo | C::Ltu => I::I64x2LtS,
                C::Le | C::Ls | C::Leu => I::I64x2LeS,
                C::Gt | C::Hi | C::Gtu => I::I64x2GtS,
                C::Ge | C::Hs | C::Geu => I::I64x2GeS,
                C::Num | C::Nan => return self.refuse("a comparison operator for floats only"),
            });
        }
        self.op(low_words());
        Ok(())
    }

    fn compare_floats(&mut self, c: &Comparison) -> Result<(), Refusal> {
        for slot in [c.a, c.b] {
            self.read_any_nan(slot)?;
            match c.kind {
                CompareKind::F16 => self.widen_half_float(Format::F16, 0),
                CompareKind::Bf16 => self.widen_half_float(Format::Bf16, 0),
                _ => {}
            }
            if c.ftz {
                self.flush();
            }
        }
        let (compare, is_opposite) = float_comparison(c.op);
        let compare = match compare {
            Float::Eq => I::F32x4Eq,
            Float::Lt => I::F32x4Lt,
            Float::Le => I::F32x4Le,
            Float::Gt => I::F32x4Gt,
            Float::Ge => I::F32x4Ge,
            Float::Ordered | Float::UnorderedOrEqual => {
                return self.ordered_floats(c);
            }
        };
        self.op(compare);
        if is_opposite {
            self.op(I::V128Not);
        }
        Ok(())
    }

    /// Both are on the stack: `num`, `nan`, `equ` and `ne`.
    fn ordered_floats(&mut self, c: &Comparison) -> Result<(), Refusal> {
        use CompareOp as C;
        let [x, y, ..] = self.names.vectors;
        self.set(y);
        self.set(x);
        self.get(x);
        self.get(x);
        self.op(I::F32x4Eq);
        self.get(y);
        self.get(y);
        self.ops([I::F32x4Eq, I::V128And]);
        match c.op {
            C::Num => {}
            C::Nan => self.op(I::V128Not),
            _ => {
                self.op(I::V128Not);
                self.get(x);
                self.get(y);
                self.ops([I::F32x4Eq, I::V128Or]);
                if c.op == C::Ne {
                    self.op(I::V128Not);
                }
            }
        }
        Ok(())
    }

    fn compare_doubles(&mut self, c: &Comparison) -> Result<(), Refusal> {
        let (compare, is_opposite) = float_comparison(c.op);
        let compare = match compare {
            Float::Eq => I::F64x2Eq,
            Float::Lt => I::F64x2Lt,
            Float::Le => I::F64x2Le,
            Float::Gt => I::F64x2Gt,
            Float::Ge => I::F64x2Ge,
            Float::Ordered | Float::UnorderedOrEqual => {
                return self.refuse("a NaN test of double-precision values");
            }
        };
        for half in 0..2 {
            self.read64(c.a, half)?;
            self.read64(c.b, half)?;
            self.op(compare.clone());
        }
        self.op(low_words());
        if is_opposite {
            self.op(I::V128Not);
        }
        Ok(())
    }
}

/// Comparisons that the host has.
enum Float {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
    Ordered,
    UnorderedOrEqual,
}

/// A comparison of floats, and whether its opposite is meant: what a NaN makes true is the opposite of what it makes false.
fn float_comparison(op: CompareOp) -> (Float, bool) {
    use CompareOp as C;
    match op {
        C::Eq => (Float::Eq, false),
        C::Neu => (Float::Eq, true),
        C::Lt | C::Lo => (Float::Lt, false),
        C::Geu => (Float::Lt, true),
        C::Le | C::Ls => (Float::Le, false),
        C::Gtu => (Float::Le, true),
        C::Gt | C::Hi => (Float::Gt, false),
        C::Leu => (Float::Gt, true),
        C::Ge | C::Hs => (Float::Ge, false),
        C::Ltu => (Float::Ge, true),
        C::Num | C::Nan => (Float::Ordered, false),
        C::Equ | C::Ne => (Float::UnorderedOrEqual, false),
    }
}
