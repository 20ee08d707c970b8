//! Array elements as operands: `name[4]`, `name[%r1]`, `name[%r1+4]` (PTX ISA, "Arrays as Operands").
//!
//! An index counts elements of the declared scalar type, even in arrays of vectors and in arrays of several dimensions. A constant index is
//! a byte offset. A register index is lowered to instructions in the step of the access: `(u32(index) + constant) * size` modulo 2^32,
//! zero-extended, plus the address of the variable (assembler 13.5 for `sm_90`, `-O0` and `-O1`).

use crate::check::body::checker::BodyChecker;
use crate::check::body::function_builder::SyntheticInstruction;
use crate::check::body::lower::{destination, register, source};
use crate::check::names::binding::Binding;
use crate::diagnostics::store as diagnose;
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_isa::{
    ArithmeticOp, CompareOp, MoveOp, MulPart, OperandClass, Operation, ScalarType, SpecialRegister,
};
use warpgrid_program::{RegisterId, Source, VariableId};

/// Array element to which an operand refers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayElement {
    pub(crate) variable: VariableId,
    size_bytes: u32,
    index: Index,
}

#[derive(Clone, Copy, Debug)]
enum Index {
    Constant(i64),
    /// The index is the sum of a value with `bits` bits and a constant.
    Computed {
        value: Source,
        bits: u32,
        addend: i64,
    },
}

impl ArrayElement {
    /// Returns the byte offset of an element with a constant index within its array.
    pub(crate) fn constant_offset_bytes(&self) -> Option<i64> {
        match self.index {
            Index::Constant(index) => Some(self.offset_bytes(index)),
            Index::Computed { .. } => None,
        }
    }

    /// Returns the product of the index and the element size modulo 2^32 as a signed offset. For example, `name[-1]` denotes the element
    /// before the array.
    fn offset_bytes(&self, index: i64) -> i64 {
        i64::from(index.wrapping_mul(i64::from(self.size_bytes)) as i32)
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Returns the array element of an operand, or `None` after reporting an error.
    pub(crate) fn array_element(&mut self, operand: &Operand) -> Option<ArrayElement> {
        let (OperandKind::Indexed { name, .. } | OperandKind::IndexedBy { name, .. }) =
            operand.kind
        else {
            return None;
        };
        let span = self.name_span(operand, name);
        let variable = match self.binding(name, span) {
            Binding::Variable(variable) if self.is_array(variable) => variable,
            Binding::None => {
                self.unknown(span);
                return None;
            }
            _ => {
                self.report(diagnose::not_an_array(span));
                return None;
            }
        };
        let declared = self.variable(variable)?;
        let (size_bytes, array_bytes) = (declared.ty.width_bytes(), declared.size_bytes);
        let index = match operand.kind {
            OperandKind::Indexed { index, .. } => {
                let n_elements = array_bytes.checked_div(size_bytes.into()).unwrap_or(0);
                // The index of an unsized array has no upper bound to check.
                if array_bytes > 0 && !u64::try_from(index).is_ok_and(|index| index < n_elements) {
                    let text = span.text(self.source);
                    self.report(diagnose::index_beyond_array(
                        operand.span,
                        text,
                        index,
                        n_elements,
                    ));
                }
                Index::Constant(index)
            }
            OperandKind::IndexedBy { child, .. } => {
                let index = self.tree.operands.get(child as usize).copied()?;
                self.register_index(&index)?
            }
            _ => return None,
        };
        Some(ArrayElement {
            variable,
            size_bytes,
            index,
        })
    }

    /// Returns the variable of an operand `name[index]`.
    pub(crate) fn indexed_variable(&mut self, operand: &Operand) -> Option<VariableId> {
        let (OperandKind::Indexed { name, .. } | OperandKind::IndexedBy { name, .. }) =
            operand.kind
        else {
            return None;
        };
        match self.binding(name, operand.span) {
            Binding::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// Returns the index of an operand such as `name[%r1]` or `name[%r1+4]`.
    fn register_index(&mut self, operand: &Operand) -> Option<Index> {
        let (name, addend) = match operand.kind {
            OperandKind::Name(name) => (name, 0),
            OperandKind::Sum { name, offset } => (name, offset),
            OperandKind::Error => return None,
            _ => {
                self.report(diagnose::index_type(operand.span));
                return None;
            }
        };
        let (value, bits) = self.index_value(name, operand)?;
        Some(Index::Computed {
            value,
            bits,
            addend,
        })
    }

    /// Returns the value and the width in bits of the name in an index.
    fn index_value(&mut self, name: Name, operand: &Operand) -> Option<(Source, u32)> {
        match self.binding(name, operand.span) {
            Binding::Register(id) => {
                use OperandClass::{Bits, Signed, Unsigned};
                let ty = self.body.type_of(id);
                if let Bits(..=64) | Unsigned(..=64) | Signed(..=64) = OperandClass::of(ty) {
                    return Some((register(id), ty.width_bits()));
                }
            }
            Binding::Special(special) => {
                return Some((Source::Special(special), special.width_bits()));
            }
            // If the name denotes a variable, its address is the index (assembler 13.5).
            Binding::Variable(variable) => {
                let address = Source::VariableAddress {
                    variable,
                    offset: 0,
                    generic: false,
                };
                return Some((address, self.module.address_bits));
            }
            Binding::None => {
                self.unknown(operand.span);
                return None;
            }
            _ => {}
        }
        self.report(diagnose::index_type(operand.span));
        None
    }

    /// Returns a register that contains the byte offset of an element with a register index, relative to the start of the array.
    pub(crate) fn element_offset(&mut self, element: &ArrayElement) -> Option<RegisterId> {
        let Index::Computed {
            value,
            bits: index_bits,
            addend,
        } = element.index
        else {
            return None;
        };
        let index = self.index_of_32_bits(value, index_bits);
        let offset = self.temporary(ScalarType::U32);
        let first = element.offset_bytes(addend) as u32;
        self.multiply_add(
            MulPart::Lo,
            offset,
            [index, Source::Immediate(element.size_bytes.into())],
            Source::Immediate(first.into()),
        );
        Some(offset)
    }

    /// Returns a register of `bits` bits (32 or 64) with the address of an element with a register index, given the address of its array.
    /// The instructions that compute the address belong to the step of the accessing instruction and precede it.
    pub(crate) fn element_address(
        &mut self,
        element: &ArrayElement,
        bits: u32,
        array: Source,
    ) -> Option<RegisterId> {
        let offset = self.element_offset(element)?;
        let (part, ty) = match bits {
            64 => (MulPart::Wide, ScalarType::U64),
            _ => (MulPart::Lo, ScalarType::U32),
        };
        let address = self.temporary(ty);
        let offset = [register(offset), Source::Immediate(1)];
        self.multiply_add(part, address, offset, array);
        Some(address)
    }

    /// Returns the value of an index modulo 2^32.
    fn index_of_32_bits(&mut self, value: Source, bits: u32) -> Source {
        let from = match bits {
            32 => return value,
            8 => ScalarType::U8,
            16 => ScalarType::U16,
            _ => ScalarType::U64,
        };
        let index = self.temporary(ScalarType::U32);
        let convert = SyntheticInstruction::conversion(ScalarType::U32, from, index, source(value));
        self.body.preceding.push(convert);
        register(index)
    }

    /// Inserts an instruction that computes `d = a * b + c` with 32-bit operands.
    fn multiply_add(&mut self, part: MulPart, d: RegisterId, [a, b]: [Source; 2], c: Source) {
        let opcode = match part {
            MulPart::Wide => "mad.wide",
            _ => "mad.lo",
        };
        let operands = vec![destination(d), source(a), source(b), source(c)];
        let operation = Operation::Arithmetic(ArithmeticOp::Mad);
        let sum =
            SyntheticInstruction::new(operation, opcode, ScalarType::U32, operands).part(part);
        self.body.preceding.push(sum);
    }

    /// Returns a predicate with the value of a special register, and the instructions that compute the predicate.
    pub(crate) fn special_predicate(
        &mut self,
        special: SpecialRegister,
    ) -> (RegisterId, [SyntheticInstruction; 2]) {
        let number = self.temporary(ScalarType::U32);
        let predicate = self.temporary(ScalarType::Pred);
        let operands = vec![destination(number), source(Source::Special(special))];
        let moved = SyntheticInstruction::new(
            Operation::Move(MoveOp::Mov),
            "mov",
            ScalarType::U32,
            operands,
        );
        let number = source(register(number));
        let compared = SyntheticInstruction::compared(CompareOp::Ne, predicate, number, 0);
        (predicate, [moved, compared])
    }

    /// Creates a register that has no name.
    fn temporary(&mut self, ty: ScalarType) -> RegisterId {
        self.body.registers.add(warpgrid_program::UNNAMED, ty)
    }

    /// Returns whether the declaration of a variable contains a size in brackets.
    fn is_array(&self, variable: VariableId) -> bool {
        self.variable(variable).is_some_and(|variable| {
            let text = variable.span.text(self.source);
            let declared = text.split('=').next().unwrap_or("");
            declared.contains('[')
        })
    }
}

/// Name of the warp-size constant, which the assembler treats as a literal.
pub(crate) const WARP_SZ: &str = "WARP_SZ";
