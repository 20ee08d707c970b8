//! Syntax of the statements of function bodies, and edits of them.
//!
//! An analysis finds a statement by the span of an [`Instruction`](crate::Instruction), changes its parts, and passes the edit to
//! [`Document::edit`](crate::Document::edit). The front end converts the edit to a text replacement that preserves the text
//! around the statement.

use crate::span::Span;
use std::collections::BTreeMap;
use std::fmt;

/// Label or instruction of a function body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Span from the guard to the semicolon, or of a label with its colon.
    pub span: Span,
    pub kind: StatementKind,
}

/// Kind of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Name of a label.
    Label(String),
    Instruction(InstructionSyntax),
}

/// Returns the instructions among `statements`, by the start of their spans.
pub fn instructions_of(statements: &[Statement]) -> BTreeMap<u32, InstructionSyntax> {
    let all = statements.iter();
    let instructions = all.filter_map(|own| match &own.kind {
        StatementKind::Instruction(syntax) => Some((own.span.start, syntax.clone())),
        StatementKind::Label(_) => None,
    });
    instructions.collect()
}

/// Parts of an instruction in their source spelling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionSyntax {
    /// Guard with its `@`.
    pub guard: Option<String>,
    /// Opcode and modifiers, without dots.
    pub words: Vec<String>,
    /// Operands that are separated by commas.
    pub operands: Vec<OperandSyntax>,
}

/// Operand in its source spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandSyntax {
    /// Span of the operand; empty if the operand is not part of the source.
    pub span: Span,
    pub text: String,
}

impl From<String> for OperandSyntax {
    fn from(text: String) -> OperandSyntax {
        OperandSyntax {
            span: Span::default(),
            text,
        }
    }
}

impl InstructionSyntax {
    /// Returns the instruction without its guard.
    #[must_use]
    pub fn unguarded(&self) -> InstructionSyntax {
        InstructionSyntax {
            guard: None,
            ..self.clone()
        }
    }

    /// Returns the instruction with another guard.
    #[must_use]
    pub fn guarded(&self, guard: String) -> InstructionSyntax {
        InstructionSyntax {
            guard: Some(guard),
            ..self.clone()
        }
    }

    /// Returns the instruction with `new` in place of the first modifier `modifier`, or `None` if the instruction has no such
    /// modifier.
    #[must_use]
    pub fn with_modifier(&self, modifier: &str, new: &[&str]) -> Option<InstructionSyntax> {
        let at = 1 + self
            .words
            .iter()
            .skip(1)
            .position(|word| word == modifier)?;
        let mut changed = self.clone();
        let new = new.iter().map(|word| (*word).to_owned());
        changed.words.splice(at..=at, new);
        Some(changed)
    }

    /// Returns the instruction with another operand at `index`, or `None` if the instruction has no such operand.
    #[must_use]
    pub fn with_operand(&self, index: usize, text: String) -> Option<InstructionSyntax> {
        let mut changed = self.clone();
        changed.operands.get_mut(index)?.text = text;
        Some(changed)
    }

    /// Returns the index of the operand that contains the span of an operand of the program.
    pub fn operand_at(&self, span: Span) -> Option<usize> {
        let contains = |own: Span| own.start <= span.start && span.end <= own.end;
        let mut operands = self.operands.iter();
        operands.position(|operand| contains(operand.span))
    }
}

impl fmt::Display for InstructionSyntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "{guard} ")?;
        }
        write!(f, "{}", self.words.join("."))?;
        for (index, operand) in self.operands.iter().enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(f, "{separator}{}", operand.text)?;
        }
        write!(f, ";")
    }
}

/// Edit of one statement that a repair makes. [`Document::edit`](crate::front_end::Document::edit) converts the edit to a text replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementEdit {
    /// Span of the statement.
    pub statement: Span,
    pub change: Change,
}

/// Change of a statement. Inserted text contains one statement per line, without indentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    InsertBefore(String),
    InsertAfter(String),
    Replace(String),
    Delete,
}
