//! Inline assembly block: the assembly and the operands of a statement in C++ or of a call in Python, as plain data.

use crate::constraint::{Dialect, OperandKind, Role};
use warpgrid_isa::TypeKind;
use warpgrid_program::{Diagnostic, Given, Origin, Span};

/// Whether a call in Triton specifies that the assembly has no side effects (`is_pure=True`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purity {
    Pure,
    Impure,
}

/// Inline assembly block. All spans refer to the host source.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Name of the enclosing function, followed by a number if the function contains several asm blocks.
    pub name: String,
    /// Span of the whole statement.
    pub span: Span,
    /// Span of the first word.
    pub word: Span,
    /// Assembly with operand names in place of operand numbers.
    pub snippet: Origin,
    pub operands: Vec<BlockOperand>,
    /// Whether the compiler must neither delete nor move the statement.
    pub is_volatile: bool,
    /// Purity of assembly that Triton applies to each element of a tensor.
    pub elementwise: Option<Purity>,
    pub dialect: Dialect,
    /// Whether the statement declares that it modifies memory.
    pub clobbers_memory: bool,
    /// Unresolved parts of the assembly, such as macros and parameters.
    pub unknown: Vec<Unknown>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Operand of an asm block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockOperand {
    /// Name in the snippet, or the number of a known constant.
    pub name: String,
    pub kind: OperandKind,
    pub role: Role,
    /// Constraint as written, without quotation marks: `=r`.
    pub constraint: String,
    /// Span of the constraint.
    pub place: Span,
    /// Expression in C++ or Python.
    pub expression: String,
    /// Whether the source defines the value of the constant.
    pub is_known: bool,
    /// Uses in the assembly.
    pub uses: Vec<Span>,
}

/// Unresolved part of the assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub name: String,
    pub span: Span,
    pub what: Missing,
}

impl Unknown {
    /// Creates an unresolved part for an expression at `span` that inserts assembly.
    pub(crate) fn assembly(source: &str, span: Span) -> Unknown {
        Unknown {
            name: span.text(source).to_owned(),
            span,
            what: Missing::Assembly,
        }
    }
}

/// Kind of an unresolved part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Part of the assembly.
    Assembly,
    /// Value of a constant, for which a value is assumed.
    Number,
}

impl Block {
    /// Checks whether all of the assembly is known.
    pub fn is_whole(&self) -> bool {
        let mut unknown = self.unknown.iter();
        !unknown.any(|unknown| unknown.what == Missing::Assembly)
    }

    /// Returns the number of constants with an assumed value.
    pub fn n_choices(&self) -> usize {
        let unknown = self.unknown.iter();
        unknown
            .filter(|unknown| unknown.what == Missing::Number)
            .count()
    }

    /// Returns the registers of the operands as the compiler declares them: integers as bit types, so that `"h"` also accepts `.f16`.
    /// `stated` contains the names of operands or expressions that annotations define.
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
