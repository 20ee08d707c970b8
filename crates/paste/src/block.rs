//! A block of inline assembly: what a statement in C++ or a call in Python hands to the assembler, with its operands. Plain data.

use crate::constraint::{Dialect, OperandKind, Role};
use warpgrid_isa::TypeKind;
use warpgrid_program::{Diagnostic, Given, Origin, Span};

/// Whether a call of Triton states that the assembly has no side effects (`is_pure=True`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purity {
    Pure,
    Impure,
}

/// A block, as it is in the text around it; all spans are places of that text.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The function that it is in, with a number where that has several.
    pub name: String,
    /// Span of the whole statement.
    pub span: Span,
    /// The word that begins it.
    pub word: Span,
    /// The assembly, with the names of operands in the places of their numbers.
    pub snippet: Origin,
    pub operands: Vec<BlockOperand>,
    /// Whether the compiler may neither delete nor move it.
    pub is_volatile: bool,
    /// For assembly that Triton applies to each element of a tensor.
    pub elementwise: Option<Purity>,
    pub dialect: Dialect,
    /// Whether it says that it changes memory.
    pub clobbers_memory: bool,
    /// What the text alone does not say of the assembly: macros, parameters.
    pub unknown: Vec<Unknown>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Operand of an asm block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockOperand {
    /// What it is called in the snippet; the number of a constant that is known.
    pub name: String,
    pub kind: OperandKind,
    pub role: Role,
    /// Constraint as written, without quotation marks: `=r`.
    pub constraint: String,
    /// The place of the constraint.
    pub place: Span,
    /// The expression of C++ or Python.
    pub expression: String,
    /// Whether the text says its value, where it is a constant.
    pub is_known: bool,
    /// Where the assembly names it.
    pub uses: Vec<Span>,
}

/// What the text alone does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub name: String,
    pub span: Span,
    pub what: Missing,
}

impl Unknown {
    /// A piece of the assembly that an expression at `span` inserts.
    pub(crate) fn assembly(source: &str, span: Span) -> Unknown {
        Unknown {
            name: span.text(source).to_owned(),
            span,
            what: Missing::Assembly,
        }
    }
}

/// What is missing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A piece of the assembly.
    Assembly,
    /// The number of a constant, which is chosen.
    Number,
}

impl Block {
    /// Whether all of the assembly is there.
    pub fn is_whole(&self) -> bool {
        let mut unknown = self.unknown.iter();
        !unknown.any(|unknown| unknown.what == Missing::Assembly)
    }

    /// How many constants have a number that is chosen.
    pub fn n_choices(&self) -> usize {
        let unknown = self.unknown.iter();
        unknown
            .filter(|unknown| unknown.what == Missing::Number)
            .count()
    }

    /// The registers that the operands are, as the compiler declares them: integers as bits, so that `"h"` takes `.f16`, too.
    /// `stated` are names of operands or expressions to which annotations give values.
    pub fn given(&self, stated: &[String]) -> Vec<Given> {
        let registers = self
            .operands
            .iter()
            .filter_map(|operand| match operand.kind {
                OperandKind::Register(ty) => Some(Given {
                    name: operand.name.clone(),
                    is_stated: stated.contains(&operand.name)
                        || stated.contains(&operand.expression),
                    ty: match ty.kind() {
                        TypeKind::Unsigned => ty.to_bits(),
                        TypeKind::Bits
                        | TypeKind::Signed
                        | TypeKind::Float
                        | TypeKind::Predicate => ty,
                    },
                }),
                OperandKind::Constant | OperandKind::Text => None,
            });
        registers.collect()
    }
}
