//! The function at hand: its registers, variables, labels and instructions so far.

use crate::tree::Name;
use warpgrid_isa::ScalarType;
use warpgrid_program::{FunctionId, Instruction, Register, RegisterId, Span, Variable};

/// A label of the function, known before its place is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) name: Name,
    pub(crate) span: Span,
    /// The brace scope it belongs to, counted in order of opening; 0 is the function itself.
    pub(crate) block: u32,
    /// Index of the instruction it stands before; `u32::MAX` until the pass is there.
    pub(crate) at: u32,
    /// Index of the directive plus one when the label names a table or prototype instead.
    pub(crate) table: u32,
}

/// The function at hand.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) function: Option<FunctionId>,
    pub(crate) registers: Vec<Register>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) instructions: Vec<Instruction>,
    /// Sorted by block.
    pub(crate) labels: Vec<Label>,
    /// Instructions whose targets are still label numbers.
    pub(crate) branches: Vec<u32>,
    /// Number of brace scopes opened so far.
    pub(crate) n_blocks: u32,
}

impl Body {
    /// Makes a register.
    pub(crate) fn add_register(&mut self, name: String, ty: ScalarType) -> RegisterId {
        let id = RegisterId(self.registers.len() as u32);
        self.registers.push(Register { name, ty });
        id
    }

    /// The declared type of a register.
    #[inline]
    pub(crate) fn type_of(&self, register: RegisterId) -> ScalarType {
        self.registers
            .get(register.0 as usize)
            .map_or(ScalarType::B32, |r| r.ty)
    }
}
