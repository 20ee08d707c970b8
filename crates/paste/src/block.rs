//! Inline assembly block as plain data: the assembly and the operands of a C++ statement, or of a call in another host language.

use crate::constraint::{AsmDialect, ConstraintAccess, OperandKind};
use crate::initializer::Initializer;
use warpgrid_isa::TypeKind;
use warpgrid_program::{Diagnostic, ExternalRegister, ExternalValue, MappedSource, Span};

/// Whether an inline assembly call in Triton specifies that the assembly has no side effects (`is_pure=True`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purity {
    Pure,
    Impure,
}

/// Inline assembly block of a host source: its assembly as a snippet, its operands and its declared side effects. All spans of the block
/// refer to the host source.
#[derive(Clone, Debug, PartialEq)]
pub struct AsmBlock {
    /// Unique name of the block, which is the name of the enclosing function, followed by a number if the function contains several asm
    /// blocks.
    pub name: String,
    /// Span of the whole statement.
    pub span: Span,
    /// Span of the first word of the statement.
    pub word: Span,
    /// Assembly in which operand names replace operand numbers.
    pub snippet: MappedSource,
    pub operands: Vec<AsmOperand>,
    /// Whether the statement is volatile, so that the compiler must neither delete nor move it.
    pub is_volatile: bool,
    /// Purity of assembly that Triton applies to each element of a tensor.
    pub elementwise: Option<Purity>,
    pub dialect: AsmDialect,
    /// Whether the statement declares that it modifies memory.
    pub clobbers_memory: bool,
    /// Unresolved parts of the assembly, such as macros and parameters.
    pub unknown: Vec<Unresolved>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Operand of an [`AsmBlock`] with its name, its constraint and the expression of the host language.
#[derive(Clone, Debug, PartialEq)]
pub struct AsmOperand {
    /// Name of the operand in the snippet, or the value of a known constant.
    pub name: String,
    pub kind: OperandKind,
    pub role: ConstraintAccess,
    /// Constraint in the notation of the source without quotation marks, such as `=r`.
    pub constraint: String,
    /// Span of the constraint in the host source.
    pub place: Span,
    /// Expression of the host language that is passed to the operand.
    pub expression: String,
    /// Initializer of the operand, if the host source states the initial value of the operand.
    pub initializer: Option<Initializer>,
    /// Whether the source defines the value of a constant operand.
    pub is_known: bool,
    /// Spans of the uses of the operand in the assembly.
    pub uses: Vec<Span>,
}

/// Part of the assembly of an [`AsmBlock`] whose text or value the source does not define, such as a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    pub name: String,
    pub span: Span,
    pub what: UnresolvedKind,
}

impl Unresolved {
    /// Creates an unresolved part for the expression at `span`, whose value the host language inserts into the assembly.
    pub(crate) fn assembly(source: &str, span: Span) -> Unresolved {
        Unresolved {
            name: span.text(source).to_owned(),
            span,
            what: UnresolvedKind::Assembly,
        }
    }
}

/// Kind of an [`Unresolved`] part of the assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnresolvedKind {
    /// The unresolved part is a part of the assembly text.
    Assembly,
    /// The unresolved part is the value of a constant. The check assumes a value.
    Number,
}

impl AsmBlock {
    /// Checks whether the text of the assembly is completely known.
    pub fn is_whole(&self) -> bool {
        let mut unknown = self.unknown.iter();
        !unknown.any(|unknown| unknown.what == UnresolvedKind::Assembly)
    }

    /// Returns the number of constants whose value is assumed.
    pub fn n_candidate_constants(&self) -> usize {
        let unknown = self.unknown.iter();
        unknown
            .filter(|unknown| unknown.what == UnresolvedKind::Number)
            .count()
    }

    /// Returns the registers of the operands with the types that the compiler declares. Integer registers have untyped bit types, so that
    /// `"h"` also accepts `.f16`. `stated` contains the names of operands or expressions that annotations define.
    pub fn given(&self, stated: &[String]) -> Vec<ExternalRegister> {
        let registers = self
            .operands
            .iter()
            .filter_map(|operand| match operand.kind {
                OperandKind::Register(ty) => Some(ExternalRegister {
                    name: operand.name.clone(),
                    is_stated: stated.contains(&operand.name)
                        || stated.contains(&operand.expression),
                    initial: operand.initializer.as_ref().and_then(|initializer| {
                        Some(ExternalValue {
                            bits: initializer.value.bits(ty)?,
                            text: initializer.text.clone(),
                        })
                    }),
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
