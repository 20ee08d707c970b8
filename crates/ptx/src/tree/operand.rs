//! Syntax tree of operands, with folded constant expressions.

use crate::tree::name::Name;
use warpgrid_program::Span;

/// Component of a vector or of a special register.
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
    /// Selected bytes of one or two registers in video instructions, such as `.b0` or `.b3210`. The digits form one number.
    Byte(u16),
    /// Selected half words of one or two registers in video instructions, such as `.h0` or `.h10`. The digits form one number.
    Half(u16),
}

impl Component {
    /// Returns the index 0 to 3 of a vector component, or `usize::MAX` for bytes and half words.
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

/// Operand of an instruction, with its span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    pub span: Span,
    pub kind: OperandKind,
}

/// Kind of an operand. If a kind has an `entries` field, the children of the operand directly follow the operand in the vector. `entries`
/// is the number of all descendants of the operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandKind {
    /// Register, variable, label, function or special register without a component.
    Name(Name),
    /// Component of a special register or vector, such as `%tid.x` or `%v.y`.
    Component { name: Name, component: Component },
    /// `!%p`
    Not(Name),
    /// `-%r1`
    Minus(Name),
    /// `%p|%q`. `None` represents the sink `_`.
    Pair {
        first: Option<Name>,
        second: Option<Name>,
    },
    /// `_`
    Sink,
    /// Integer literal or folded integer expression. `unsigned` follows the type rules for PTX constants.
    Integer { value: u64, unsigned: bool },
    /// `0f` literal: bits of an `f32`.
    Single(u32),
    /// `0d` literal, decimal literal or folded floating-point expression: bits of an `f64`.
    Double(u64),
    /// `[name]` or `[name+offset]`.
    Address { base: Name, offset: i64 },
    /// `[constant]`
    AbsoluteAddress { value: i64 },
    /// `[name, {...}]`: tensor or texture address. The children are the elements between the commas.
    AddressList { entries: u32 },
    /// `name+constant` outside of brackets.
    Sum { name: Name, offset: i64 },
    /// `name[4]`: array element with a constant index. The index counts elements.
    Indexed { name: Name, index: i64 },
    /// `name[%r1]` or `name[%r1+4]`: array element with a register index. `child` is the index of the index operand in the
    /// operands of the tree.
    IndexedBy { name: Name, child: u32 },
    /// `{a, b}`
    Vector { entries: u32 },
    /// Results or arguments of a call in parentheses, such as `(a, b)`.
    Group { entries: u32 },
    /// `|%p` after the destination vector of a texture instruction: predicate that indicates whether all texels were resident.
    Resident(Name),
    /// `"text"` (directives only). The span includes the quotation marks.
    String,
    /// `.word` (directives only).
    Word,
    /// Malformed operand, for which the parser has reported a diagnostic.
    Error,
}

impl OperandKind {
    /// Returns the number of vector entries that the children occupy.
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

/// Operand with its children: the contents of its brackets or braces.
pub type OperandWithChildren<'t> = (&'t Operand, Operands<'t>);

/// Iterator over the operands of one nesting level, each with its children.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'t> {
    rest: &'t [Operand],
}

impl<'t> Operands<'t> {
    /// Creates an iterator over these entries.
    pub const fn new(entries: &'t [Operand]) -> Operands<'t> {
        Operands { rest: entries }
    }
}

impl<'t> Iterator for Operands<'t> {
    type Item = OperandWithChildren<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let (operand, rest) = self.rest.split_first()?;
        let n = operand.kind.n_entries().min(rest.len());
        let (children, rest) = rest.split_at(n);
        self.rest = rest;
        Some((operand, Operands::new(children)))
    }
}
