//! Operands as the text has them; constant expressions are already folded.

use crate::tree::name::Name;
use warpgrid_program::Span;

/// A component of a vector or of a special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// `.x` or `.r`
    X,
    /// `.y` or `.g`
    Y,
    /// `.z` or `.b`
    Z,
    /// `.w` or `.a`
    W,
    /// Bytes of one or two registers, for video instructions: `.b0`, `.b3210`, the digits as one number.
    Byte(u16),
    /// Half words of one or two registers, for video instructions: `.h0`, `.h10`, the digits as one number.
    Half(u16),
}

impl Component {
    /// 0 to 3; beyond every vector for parts of a register.
    pub const fn index(self) -> usize {
        match self {
            Component::X => 0,
            Component::Y => 1,
            Component::Z => 2,
            Component::W => 3,
            Component::Byte(_) | Component::Half(_) => usize::MAX,
        }
    }
}

/// An operand with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    pub span: Span,
    pub kind: OperandKind,
}

/// What an operand is. Where a kind counts `entries`, its children follow it directly in the
/// vector and take that many entries, their own children included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandKind {
    /// A register, variable, label, function or special register without a component.
    Name(Name),
    /// `%tid.x`, `%v.y`.
    Component { name: Name, component: Component },
    /// `!%p`
    Not(Name),
    /// `-%r1`
    Minus(Name),
    /// `%p|%q`; a side that is `_` is `None`.
    Pair {
        first: Option<Name>,
        second: Option<Name>,
    },
    /// `_`
    Sink,
    /// An integer literal or folded integer expression; `unsigned` as PTX types constants.
    Integer { value: u64, unsigned: bool },
    /// A `0f` literal: the bits of a single.
    Single(u32),
    /// A `0d` literal, a decimal one, or a folded floating-point expression: the bits of a double.
    Double(u64),
    /// `[name]` or `[name+offset]`.
    Address { base: Name, offset: i64 },
    /// `[constant]`
    AbsoluteAddress { value: i64 },
    /// `[name, {...}]`: a tensor or texture address; children are what the commas separate.
    AddressList { entries: u32 },
    /// `name+constant` outside of brackets.
    Sum { name: Name, offset: i64 },
    /// `name[4]`: an array element with a constant index, counted in elements.
    Indexed { name: Name, index: i64 },
    /// `name[%r1]` or `name[%r1+4]`: an array element with a register index. `child` is the position of the index operand
    /// in the operands of the tree.
    IndexedBy { name: Name, child: u32 },
    /// `{a, b}`
    Vector { entries: u32 },
    /// `(a, b)`: results or arguments of a call.
    Group { entries: u32 },
    /// `|%p` after the vector before it, of texture instructions: whether all was resident.
    Resident(Name),
    /// `"text"`, quotes included in the span (directives only).
    String,
    /// `.word` (directives only).
    Word,
    /// What could not be read; a diagnostic says why.
    Error,
}

impl OperandKind {
    /// How many entries of the vector the children take.
    pub const fn n_entries(&self) -> usize {
        match self {
            OperandKind::Vector { entries }
            | OperandKind::Group { entries }
            | OperandKind::AddressList { entries } => *entries as usize,
            OperandKind::IndexedBy { .. } => 1,
            _ => 0,
        }
    }
}

/// An operand, and what is in its brackets or braces.
pub type Written<'t> = (&'t Operand, Operands<'t>);

/// Walks over operands, each with its children, from one level of nesting.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'t> {
    rest: &'t [Operand],
}

impl<'t> Operands<'t> {
    /// Over these entries.
    pub const fn new(entries: &'t [Operand]) -> Operands<'t> {
        Operands { rest: entries }
    }
}

impl<'t> Iterator for Operands<'t> {
    type Item = Written<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let (operand, rest) = self.rest.split_first()?;
        let n = operand.kind.n_entries().min(rest.len());
        let (children, rest) = rest.split_at(n);
        self.rest = rest;
        Some((operand, Operands::new(children)))
    }
}
