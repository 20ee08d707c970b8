//! Infers the parameters of a kernel without attributes, as in listings of `cuobjdump -sass`, from the accesses of its instructions to
//! constant bank 0. Address ranges that no instruction reads also become parameters, so that each parameter has the correct offset.

use crate::listing::{FunctionCode, ParameterInfo};
use crate::syntax::{Instruction, MemoryOperand, OperandKind, TermValue, Tree};
use std::collections::BTreeMap;

/// Size of the analyzed parameter area in bytes, which is the maximum parameter size of a kernel before PTX 8.1.
const MAX_BYTES: u64 = 4352;
/// Constant bank whose contents the launch provides.
const LAUNCH_BANK: u64 = 0;

/// Kinds of accesses to a word of the constant bank, from which the size of a parameter is inferred.
#[derive(Clone, Copy, Debug, Default)]
struct ConstantRead {
    /// An instruction reads the word as the lower half of a 64-bit value.
    is_wide: bool,
    /// An instruction reads the word as a separate 32-bit value.
    is_single: bool,
    /// The word may be the upper half of a 64-bit value, because a move reads the word, or an instruction combines the word with the carry
    /// of the lower half.
    may_be_upper: bool,
}

/// Infers the parameters that start at offset `start` in constant bank 0.
pub(super) fn read_parameters(
    tree: &Tree,
    source: &str,
    text: &FunctionCode,
    start: u32,
) -> Vec<ParameterInfo> {
    let mut reads: BTreeMap<u64, ConstantRead> = BTreeMap::new();
    for placed in &text.instructions {
        if let Some(instruction) = tree.instructions.get(placed.index as usize) {
            add_reads(tree, source, instruction, start.into(), &mut reads);
        }
    }
    let end = reads.keys().next_back().map_or(0, |last| last + 4);
    let mut parameters = Vec::new();
    let mut at = 0;
    while at < end {
        let (own, next) = (reads.get(&at), reads.get(&(at + 4)));
        let is_wide = at % 8 == 0
            && match (own, next) {
                // A 64-bit load may load two 32-bit parameters at once. Other instructions may read such parameters separately, but never
                // the halves of a pointer.
                (Some(own), _) if own.is_wide => !own.is_single,
                (Some(_), Some(next)) => next.may_be_upper,
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
        let size = if is_wide { 8 } else { 4 };
        parameters.push(ParameterInfo {
            ordinal: parameters.len() as u32,
            byte_offset: at as u32,
            size_bytes: size as u32,
        });
        at += size;
    }
    parameters
}

fn add_reads(
    tree: &Tree,
    source: &str,
    instruction: &Instruction,
    start: u64,
    reads: &mut BTreeMap<u64, ConstantRead>,
) {
    let opcode = instruction.opcode.text(source);
    let modifiers = tree.modifiers(instruction);
    let has = |word: &str| modifiers.iter().any(|own| own.text(source) == word);
    let operands = tree.operands(instruction);
    let is_move = matches!(opcode, "MOV" | "UMOV" | "LDC" | "ULDC" | "LDCU") || has("MOV");
    for (index, operand) in operands.iter().enumerate() {
        let OperandKind::Memory(memory) = &operand.value else {
            continue;
        };
        let place = offset_of(tree, source, memory).and_then(|offset| offset.checked_sub(start));
        let Some(place) = place.filter(|place| *place < MAX_BYTES && place % 4 == 0) else {
            continue;
        };
        let is_addend = index + 1 == operands.len();
        let n_words = match () {
            () if has("128") => 4,
            () if has("64") || has("WIDE") && is_addend => 2,
            () => 1,
        };
        for word in 0..n_words {
            let read = reads.entry(place + 4 * word).or_default();
            read.is_single |= n_words == 1;
            read.is_wide |= n_words > 1 && word % 2 == 0;
            read.may_be_upper |= is_move || has("X") || has("HI_X") || word % 2 == 1;
        }
    }
}

/// Returns the offsets in constant bank 0 that instructions read.
pub(crate) fn offsets_read(tree: &Tree, source: &str) -> impl Iterator<Item = u64> {
    let instructions = tree.instructions.iter();
    let operands = instructions.flat_map(|instruction| tree.operands(instruction));
    operands.filter_map(|operand| match &operand.value {
        OperandKind::Memory(memory) => offset_of(tree, source, memory),
        _ => None,
    })
}

/// Returns the offset of an access to constant bank 0, such as `c[0x0][0x160]`.
fn offset_of(tree: &Tree, source: &str, memory: &MemoryOperand) -> Option<u64> {
    let is_constant = memory
        .prefix
        .is_some_and(|prefix| prefix.text(source) == "c");
    let [bank, inside] = tree.brackets(memory) else {
        return None;
    };
    let ([bank], [offset]) = (tree.terms(bank), tree.terms(inside)) else {
        return None;
    };
    match (&bank.value, &offset.value) {
        (TermValue::Integer(LAUNCH_BANK), TermValue::Integer(offset)) if is_constant => {
            Some(*offset)
        }
        _ => None,
    }
}
