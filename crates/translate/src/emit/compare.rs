//! Comparisons of floats. Input: vectors. Output: all ones or zeros per lane.

use crate::emit::Emitter;
use crate::emit::half::Format;
use crate::instructions::low_words;
use crate::refusal::Refusal;
use warpgrid_emulator::plain::{CompareKind, Comparison};
use warpgrid_isa::CompareOp;
use wasm_encoder::Instruction as I;

impl Emitter<'_> {
    /// Compares floats, and pushes all ones or zeros per lane.
    pub(crate) fn compare_floats(&mut self, c: &Comparison) -> Result<(), Refusal> {
        match c.kind {
            CompareKind::F64 => self.compare_doubles(c),
            CompareKind::F16 | CompareKind::Bf16 if c.ftz => {
                self.refuse("a comparison of 16-bit floats with `.ftz`")
            }
            _ => self.compare_singles(c),
        }
    }

    fn compare_singles(&mut self, c: &Comparison) -> Result<(), Refusal> {
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

    /// Emits `num`, `nan`, `equ` and `ne`. Both operands are on the stack.
    fn ordered_floats(&mut self, c: &Comparison) -> Result<(), Refusal> {
        use CompareOp as C;
        let [x, y, ..] = self.names.vectors;
        self.set(y);
        self.set(x);
        self.get_all([x, x]);
        self.op(I::F32x4Eq);
        self.get_all([y, y]);
        self.ops([I::F32x4Eq, I::V128And]);
        match c.op {
            C::Num => {}
            C::Nan => self.op(I::V128Not),
            _ => {
                self.op(I::V128Not);
                self.get_all([x, y]);
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

/// Float comparisons available in WebAssembly.
enum Float {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
    Ordered,
    UnorderedOrEqual,
}

/// Returns a float comparison, and whether its result is inverted: an unordered comparison is the inverse of the
/// opposite ordered comparison.
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
