//! Syntax tree: flat vectors in source order that refer to each other by index ranges and to the source by spans.
//!
//! A [`Tree`] does not contain the source, so its functions have the source as a parameter. The parser does not check opcodes and names:
//! the tree may contain unknown opcodes and undeclared names.

pub(crate) mod declaration;
pub(crate) mod mnemonic;
pub(crate) mod name;
pub(crate) mod operand;

pub use crate::tree::declaration::{
    Alignment, Attribute, Declaration, DeclarationSpace, Declarator, DeclaredType, Dimension,
    Directive, DirectiveKind, FunctionDirective, FunctionHeader, InitValue, InitValueKind, Linkage,
    Pointer,
};
pub use crate::tree::mnemonic::{Mnemonic, MnemonicId, MnemonicToken, Mnemonics};
pub use crate::tree::name::{Name, Symbol, Symbols};
pub use crate::tree::operand::{Component, Operand, OperandKind, OperandWithChildren, Operands};

use warpgrid_program::Span;

/// Range of entries in one of the vectors of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Range {
    pub start: u32,
    pub end: u32,
}

impl Range {
    /// Returns the entries of `all` in this range, or an empty slice if the range is out of bounds.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        all.get(self.start as usize..self.end as usize)
            .unwrap_or(&[])
    }

    /// Returns the number of entries.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Returns whether the range is empty.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// Kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SourceKind {
    /// Source with a header (`.version`, `.target`) or a function.
    #[default]
    Module,
    /// Source that consists of instruction lines only, as in manuals: the body of an implicit function.
    Snippet,
}

/// Syntax tree of a whole source.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub kind: SourceKind,
    /// Statements in source order. Start and end entries enclose the statements of functions and blocks.
    pub statements: Vec<Statement>,
    /// Guards of instructions. See [`Instruction::guard`].
    pub guards: Vec<Guard>,
    /// Operands of instructions and directives. The children of an operand directly follow the operand.
    pub operands: Vec<Operand>,
    /// Distinct spellings of opcodes with their modifiers.
    pub mnemonics: Mnemonics,
    /// Distinct names, without their numbers.
    pub symbols: Symbols,
    pub functions: Vec<FunctionHeader>,
    /// Declarations of variables, registers and parameters.
    pub declarations: Vec<Declaration>,
    pub declarators: Vec<Declarator>,
    pub dimensions: Vec<Dimension>,
    /// Initializers. Nested initializers directly follow the enclosing initializer.
    pub init_values: Vec<InitValue>,
    pub attributes: Vec<Attribute>,
    pub directives: Vec<Directive>,
}

/// Statement with its span, which includes the `;`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statement {
    pub span: Span,
    pub kind: StatementKind,
}

/// Kind of a statement. Numbers are indices into the vectors of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatementKind {
    Instruction(Instruction),
    /// Label `name:`. The span includes the colon.
    Label(Name),
    /// Index into [`Tree::declarations`].
    Declaration(u32),
    /// Index into [`Tree::directives`].
    Directive(u32),
    /// `.entry` or `.func` with a body. The statements of the body follow until the matching [`StatementKind::FunctionEnd`]. The
    /// span contains the header up to and including the `{`. Index into [`Tree::functions`].
    FunctionStart(u32),
    /// Closing brace of the function with this index. The span is empty if the function is unclosed.
    FunctionEnd(u32),
    /// `.entry` or `.func` without a body. Index into [`Tree::functions`].
    Prototype(u32),
    /// Opening brace of a scope within a function.
    BlockOpen,
    /// Closing brace of a scope within a function.
    BlockClose,
    /// Empty statement: a single `;`.
    Empty,
    /// Malformed statement, for which the parser has reported a diagnostic.
    Error,
}

/// Statement that contains an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction {
    pub mnemonic: MnemonicId,
    /// Start offset of the opcode in the source. The offsets of the words of the mnemonic are relative to this offset.
    pub mnemonic_start: u32,
    /// Operand entries, including nested entries. [`Tree::operands_of`] iterates over the entries.
    pub operands: Range,
    /// One plus the index into [`Tree::guards`], or 0 for an instruction without a guard. [`Tree::guard`] returns the guard.
    pub guard: u32,
}

/// Guard predicate of an instruction, such as `@%p` or `@!%p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Span from the `@` to the end of the name.
    pub span: Span,
    pub name: Name,
    pub name_span: Span,
    pub negated: bool,
}

impl Tree {
    /// Returns the guard of an instruction.
    pub fn guard(&self, instruction: &Instruction) -> Option<&Guard> {
        self.guards.get(instruction.guard.checked_sub(1)? as usize)
    }

    /// Returns the operands of an instruction, each with its children.
    pub fn operands_of(&self, instruction: &Instruction) -> Operands<'_> {
        Operands::new(instruction.operands.of(&self.operands))
    }

    /// Returns the arguments of a directive.
    pub fn arguments_of(&self, directive: &Directive) -> Operands<'_> {
        Operands::new(directive.arguments.of(&self.operands))
    }

    /// Returns the span of the opcode of an instruction with its modifiers.
    pub fn mnemonic_span(&self, instruction: &Instruction) -> Span {
        let len = self.mnemonics.get(instruction.mnemonic).span_len();
        Span::new(
            instruction.mnemonic_start,
            instruction.mnemonic_start.saturating_add(len),
        )
    }

    /// Returns the span of one word of an instruction without its dot: word 0 is the opcode, modifiers start at 1.
    pub fn word_span(&self, instruction: &Instruction, word: usize) -> Span {
        match self.mnemonics.words(instruction.mnemonic).get(word) {
            Some(word) => word.span_at(instruction.mnemonic_start),
            None => self.mnemonic_span(instruction),
        }
    }

    /// Returns the declarators of a declaration: names with their array dimensions and initializers.
    pub fn declarators_of(&self, declaration: &Declaration) -> &[Declarator] {
        declaration.declarators.of(&self.declarators)
    }

    /// Returns the array dimensions of a declarator.
    pub fn dimensions_of(&self, declarator: &Declarator) -> &[Dimension] {
        declarator.dimensions.of(&self.dimensions)
    }

    /// Returns the initializer of a declarator. The entries of a nested list directly follow the entry of the list.
    pub fn init_values_of(&self, declarator: &Declarator) -> &[InitValue] {
        declarator.initializer.of(&self.init_values)
    }

    /// Returns the first directive of this kind in the source.
    pub fn directive(&self, kind: DirectiveKind) -> Option<&Directive> {
        self.directives.iter().find(|d| d.kind == kind)
    }
}
