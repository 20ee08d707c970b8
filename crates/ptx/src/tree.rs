//! The syntax tree: flat vectors in text order, ranges instead of boxes, spans instead of strings.
//!
//! A [`Tree`] does not hold the source; whoever asks for a text passes the source along. Nothing
//! here is checked: any opcode is an instruction, any name a name.

pub(crate) mod declaration;
pub(crate) mod mnemonic;
pub(crate) mod name;
pub(crate) mod operand;

pub use crate::tree::declaration::{
    Alignment, Attribute, Declaration, DeclarationSpace, Declarator, DeclaredType, Dimension,
    Directive, DirectiveKind, FunctionHeader, FunctionSort, InitValue, InitValueKind, Linkage,
    Pointer,
};
pub use crate::tree::mnemonic::{Mnemonic, MnemonicId, Mnemonics, Word};
pub use crate::tree::name::{Name, Symbol, Symbols};
pub use crate::tree::operand::{Component, Operand, OperandKind, Operands, Written};

use warpgrid_program::Span;

/// A run of entries in one of the tree's vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Range {
    pub start: u32,
    pub end: u32,
}

impl Range {
    /// The entries of `all` in this range; empty when it does not fit.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        all.get(self.start as usize..self.end as usize)
            .unwrap_or(&[])
    }

    /// Number of entries.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Whether there are no entries.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// What a text turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SourceKind {
    /// It has a header (`.version`, `.target`) or a function.
    #[default]
    Module,
    /// Only instruction lines, as manuals print them: the body of a function that is not written.
    Snippet,
}

/// A whole source, in text order.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub kind: SourceKind,
    /// Everything, in text order; functions and blocks are bracketed by start and end entries.
    pub statements: Vec<Statement>,
    /// Guards of instructions, see [`Instruction::guard`].
    pub guards: Vec<Guard>,
    /// Operands of instructions and directives, children right after their parent.
    pub operands: Vec<Operand>,
    /// Each distinct spelling of an opcode with its modifiers.
    pub mnemonics: Mnemonics,
    /// Each distinct name (without its number).
    pub symbols: Symbols,
    pub functions: Vec<FunctionHeader>,
    /// Variables, registers and parameters.
    pub declarations: Vec<Declaration>,
    pub declarators: Vec<Declarator>,
    pub dimensions: Vec<Dimension>,
    /// Initialisers, nested ones right after their parent.
    pub init_values: Vec<InitValue>,
    pub attributes: Vec<Attribute>,
    pub directives: Vec<Directive>,
}

/// One statement with all of its text, its `;` included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statement {
    pub span: Span,
    pub kind: StatementKind,
}

/// What a statement is. Numbers are indices into the tree's vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatementKind {
    Instruction(Instruction),
    /// `name:`; the span covers the colon.
    Label(Name),
    /// Index into [`Tree::declarations`].
    Declaration(u32),
    /// Index into [`Tree::directives`].
    Directive(u32),
    /// `.entry` or `.func` with a body, which follows until the matching end. The span is that
    /// of the header up to and with the `{`. Index into [`Tree::functions`].
    FunctionStart(u32),
    /// The `}` of that function (empty at the end of an unclosed one).
    FunctionEnd(u32),
    /// `.entry` or `.func` without a body. Index into [`Tree::functions`].
    Prototype(u32),
    /// `{` of a scope within a function.
    BlockOpen,
    /// Its `}`.
    BlockClose,
    /// A lone `;`.
    Empty,
    /// Text that is no statement; a diagnostic says why.
    Error,
}

/// An instruction line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction {
    pub mnemonic: MnemonicId,
    /// Where the opcode starts in the source; the words of the mnemonic are relative to it.
    pub mnemonic_start: u32,
    /// All operand entries, nested ones included; read them with [`Tree::operands_of`].
    pub operands: Range,
    /// Index into [`Tree::guards`] plus one; 0 for none. Read it with [`Tree::guard`].
    pub guard: u32,
}

/// `@%p` or `@!%p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// From the `@` to the end of the name.
    pub span: Span,
    pub name: Name,
    pub name_span: Span,
    pub negated: bool,
}

impl Tree {
    /// The guard of an instruction.
    pub fn guard(&self, instruction: &Instruction) -> Option<&Guard> {
        self.guards.get(instruction.guard.checked_sub(1)? as usize)
    }

    /// The operands of an instruction, each with its children.
    pub fn operands_of(&self, instruction: &Instruction) -> Operands<'_> {
        Operands::new(instruction.operands.of(&self.operands))
    }

    /// The arguments of a directive.
    pub fn arguments_of(&self, directive: &Directive) -> Operands<'_> {
        Operands::new(directive.arguments.of(&self.operands))
    }

    /// The span of an instruction's opcode with its modifiers.
    pub fn mnemonic_span(&self, instruction: &Instruction) -> Span {
        let len = self.mnemonics.get(instruction.mnemonic).span_len();
        Span::new(
            instruction.mnemonic_start,
            instruction.mnemonic_start.saturating_add(len),
        )
    }

    /// The span of one word (opcode 0, modifiers from 1) of an instruction, without its dot.
    pub fn word_span(&self, instruction: &Instruction, word: usize) -> Span {
        match self.mnemonics.words(instruction.mnemonic).get(word) {
            Some(word) => word.span_at(instruction.mnemonic_start),
            None => self.mnemonic_span(instruction),
        }
    }

    /// The declarators of a declaration: names with their array sizes and initialisers.
    pub fn declarators_of(&self, declaration: &Declaration) -> &[Declarator] {
        declaration.declarators.of(&self.declarators)
    }

    /// The array sizes of a declarator.
    pub fn dimensions_of(&self, declarator: &Declarator) -> &[Dimension] {
        declarator.dimensions.of(&self.dimensions)
    }

    /// The initialiser of a declarator; nested lists come right after their opening entry.
    pub fn init_values_of(&self, declarator: &Declarator) -> &[InitValue] {
        declarator.initializer.of(&self.init_values)
    }

    /// The first directive of this kind anywhere in the text.
    pub fn directive(&self, kind: DirectiveKind) -> Option<&Directive> {
        self.directives.iter().find(|d| d.kind == kind)
    }
}
