//! Signature help: the instruction form at an offset, and the active operand.

use crate::syntax::Tree;
use warpgrid_isa::sass::{find_opcode, find_store};
use warpgrid_program::{Overrides, SignatureHelp};

/// Returns the instruction form at `offset`.
pub(crate) fn signature(source: &str, tree: &Tree, offset: u32) -> Option<SignatureHelp> {
    // Trailing blanks and commas after the last operand belong to the preceding instruction.
    let line = source.get(..offset as usize)?;
    let trimmed = line.trim_end_matches([' ', '\t', ',']).len() as u32;
    let (instruction, _) = super::at(source, tree, &Overrides::default(), trimmed);
    let instruction = instruction?;
    let opcode = instruction.opcode.text(source);
    let before = source.get(instruction.opcode.end as usize..offset as usize)?;
    let operand = before
        .find(char::is_whitespace)
        .map(|start| before[start..].matches(',').count() as u32);
    match find_store(opcode) {
        Some(store) => Some(SignatureHelp {
            syntax: store.syntax.to_owned(),
            help: store.help.to_owned(),
            operands: vec!["a".to_owned(), "Rb".to_owned()],
            active: operand.filter(|&operand| operand < 2),
        }),
        None => find_opcode(opcode).map(|row| SignatureHelp {
            syntax: row.name.to_owned(),
            help: row.help.to_owned(),
            operands: Vec::new(),
            active: None,
        }),
    }
}
