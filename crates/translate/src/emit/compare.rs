//! Comparisons of floats. The generated code takes rows of numbers, and produces a mask with all ones in the lanes
//! whose comparison is true, and zeros in the other lanes.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::half_float::HalfFormat;
use crate::instructions::low_words;
use warpgrid_emulator::translation_view::{CompareType, Comparison};
use warpgrid_isa::CompareOp;
use wasm_encoder::Instruction as I;

impl Emitter<'_> {
    /// Compares floats, and pushes a mask with all ones in the lanes whose comparison is true.
    pub(crate) fn compare_floats(&mut self, c: &Comparison) -> Result<(), BailoutReason> {
        match c.kind {
            CompareType::F64 => self.compare_doubles(c),
            CompareType::F16 | CompareType::Bf16 if c.ftz => {
                self.unsupported("a comparison of 16-bit floats with `.ftz`")
            }
            _ => self.compare_singles(c),
        }
    }

    fn compare_singles(&mut self, c: &Comparison) -> Result<(), BailoutReason> {
        for slot in [c.a, c.b] {
            self.read_any_nan(slot)?;
            match c.kind {
                CompareType::F16 => self.widen_half_float(HalfFormat::F16, 0),
                CompareType::Bf16 => self.widen_half_float(HalfFormat::Bf16, 0),
                _ => {}
            }
            if c.ftz {
                self.flush();
            }
        }
        let (compare, is_opposite) = float_comparison(c.op);
        let compare = match compare {
            FloatCompare::Eq => I::F32x4Eq,
            FloatCompare::Lt => I::F32x4Lt,
            FloatCompare::Le => I::F32x4Le,
            FloatCompare::Gt => I::F32x4Gt,
            FloatCompare::Ge => I::F32x4Ge,
            FloatCompare::Ordered | FloatCompare::UnorderedOrEqual => {
                return self.ordered_floats(c);
            }
        };
        self.op(compare);
        if is_opposite {
            self.op(I::V128Not);
        }
        Ok(())
    }

    /// Emits the comparisons `num`, `nan`, `equ` and `ne`. Both operands are on the stack.
    fn ordered_floats(&mut self, c: &Comparison) -> Result<(), BailoutReason> {
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

    fn compare_doubles(&mut self, c: &Comparison) -> Result<(), BailoutReason> {
        let (compare, is_opposite) = float_comparison(c.op);
        let compare = match compare {
            FloatCompare::Eq => I::F64x2Eq,
            FloatCompare::Lt => I::F64x2Lt,
            FloatCompare::Le => I::F64x2Le,
            FloatCompare::Gt => I::F64x2Gt,
            FloatCompare::Ge => I::F64x2Ge,
            FloatCompare::Ordered | FloatCompare::UnorderedOrEqual => {
                return self.unsupported("a NaN test of double-precision values");
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

/// Float comparisons for which WebAssembly has a vector instruction.
enum FloatCompare {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
    Ordered,
    UnorderedOrEqual,
}

/// Returns the WebAssembly comparison for a PTX comparison, and whether its result must be inverted. An unordered
/// comparison is the inverse of the opposite ordered comparison.
fn float_comparison(op: CompareOp) -> (FloatCompare, bool) {
    use CompareOp as C;
    match op {
        C::Eq => (FloatCompare::Eq, false),
        C::Neu => (FloatCompare::Eq, true),
        C::Lt | C::Lo => (FloatCompare::Lt, false),
        C::Geu => (FloatCompare::Lt, true),
        C::Le | C::Ls => (FloatCompare::Le, false),
        C::Gtu => (FloatCompare::Le, true),
        C::Gt | C::Hi => (FloatCompare::Gt, false),
        C::Leu => (FloatCompare::Gt, true),
        C::Ge | C::Hs => (FloatCompare::Ge, false),
        C::Ltu => (FloatCompare::Ge, true),
        C::Num | C::Nan => (FloatCompare::Ordered, false),
        C::Equ | C::Ne => (FloatCompare::UnorderedOrEqual, false),
    }
}
