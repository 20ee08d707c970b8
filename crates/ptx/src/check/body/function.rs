//! The function at hand: its registers, variables, labels and instructions so far.

use crate::tree::Name;
use warpgrid_isa::ScalarType;
use warpgrid_program::{
    FunctionId, Instruction, Operand, OperandList, OperandValue, RegisterId, Registers, Span,
    Variable,
};

/// A label of the function, known before its place is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) name: Name,
    pub(crate) span: Span,
    /// The brace scope it belongs to, counted in order of opening; 0 is the function itself.
    pub(crate) block: u32,
    /// Index of the instruction after it; `u32::MAX` until the pass is there.
    pub(crate) at: u32,
    /// Index of the directive plus one when the label names a table or prototype instead.
    pub(crate) table: u32,
}

/// The function at hand.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) function: Option<FunctionId>,
    pub(crate) registers: Registers,
    pub(crate) variables: Vec<Variable>,
    pub(crate) instructions: Vec<Instruction>,
    /// Of all instructions; each has a range of them.
    pub(crate) operands: Vec<Operand>,
    /// Elements of the lists of the instruction at hand, until its own operands are complete.
    pub(crate) elements: Vec<Operand>,
    /// Whether the instruction at hand is one that the program has a way to say.
    pub(crate) is_sayable: bool,
    /// Sorted by block.
    pub(crate) labels: Vec<Label>,
    /// Operands whose targets are still label numbers.
    pub(crate) branches: Vec<u32>,
    /// Number of brace scopes opened so far.
    pub(crate) n_blocks: u32,
}

impl Body {
    /// Makes room, so that the vectors of a function are allocated once.
    pub(crate) fn reserve(&mut self, n_instructions: usize, n_operands: usize) {
        self.instructions.reserve_exact(n_instructions);
        self.operands.reserve_exact(n_operands);
    }

    /// Adds an operand of the instruction at hand.
    #[inline]
    pub(crate) fn push(&mut self, value: OperandValue, span: Span) {
        self.operands.push(Operand { value, span });
    }

    /// Adds an element of a list of the instruction at hand.
    pub(crate) fn push_element(&mut self, value: OperandValue, span: Span) {
        self.elements.push(Operand { value, span });
    }

    /// The list of the elements from number `first` on; its place is known once the instruction's operands are.
    pub(crate) fn list_from(&self, first: usize) -> OperandValue {
        OperandValue::List(OperandList {
            start: first as u32,
            n: self.elements.len().saturating_sub(first) as u32,
        })
    }

    /// The operands from number `start` on, as those of one instruction; the elements of its lists follow them.
    #[inline]
    pub(crate) fn close_list(&mut self, start: usize) -> OperandList {
        let end = self.operands.len();
        if !self.elements.is_empty() {
            self.place_elements(start, end as u32);
        }
        OperandList {
            start: start as u32,
            n: end.saturating_sub(start) as u32,
        }
    }

    fn place_elements(&mut self, start: usize, base: u32) {
        for operand in self.operands.iter_mut().skip(start) {
            if let OperandValue::List(list) = &mut operand.value {
                list.start += base;
            }
        }
        for (index, element) in self.elements.iter().enumerate() {
            if let OperandValue::Label(_) = element.value {
                self.branches.push(base + index as u32);
            }
        }
        self.operands.append(&mut self.elements);
    }

    /// The declared type of a register.
    #[inline]
    pub(crate) fn type_of(&self, register: RegisterId) -> ScalarType {
        self.registers
            .get(register.0 as usize)
            .map_or(ScalarType::B32, |r| r.ty)
    }
}
