//! What a host shows of source code with inline assembly: its blocks, with their operands.

use crate::check::Places;
use serde::{Deserialize, Serialize};
use warpgrid_program::{Part, PartOperand};

/// A block of inline assembly. Lines and columns are those of the source code, from 1, columns in UTF-16 units; the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PartView {
    /// The function that it is in, with a number where that has several: what `entry` of a scenario names.
    pub name: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// The instructions as they are checked and run, with the names of operands in the places of their numbers.
    pub text: String,
    /// True exactly when nothing in it is an error.
    pub accept: bool,
    /// The target and the PTX version that it is checked for.
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub operands: Vec<PartOperandView>,
    /// What a compiler may do with the statement, and what it needs.
    pub note: Option<String>,
}

/// An operand of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PartOperandView {
    /// Its name in the block.
    pub name: String,
    /// `.u32`, `constant` or `text`.
    #[serde(rename = "type")]
    pub ty: String,
    /// As it is written, without quotes: `=r`.
    pub constraint: String,
    /// The expression that is handed in.
    pub expression: String,
}

impl PartView {
    pub(crate) fn of(part: Part, places: &Places) -> PartView {
        let range = places.range(part.span);
        PartView {
            name: part.name,
            line: range.line,
            column: range.column,
            end_line: range.end_line,
            end_column: range.end_column,
            text: part.text,
            accept: part.accept,
            target: part.target.map(str::to_owned),
            ptx_version: part.version.map(|version| version.to_string()),
            operands: part
                .operands
                .into_iter()
                .map(PartOperandView::from)
                .collect(),
            note: part.note,
        }
    }
}

impl From<PartOperand> for PartOperandView {
    fn from(operand: PartOperand) -> PartOperandView {
        PartOperandView {
            name: operand.name,
            ty: operand.ty,
            constraint: operand.constraint,
            expression: operand.expression,
        }
    }
}
