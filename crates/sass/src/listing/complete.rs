//! Completes a listing with data from the PTX of its kernel: `cuobjdump -sass` and `nvdisasm -c` do not print constant banks, and the
//! output of disassemblers contains the bits of a NaN only in encodings.

use super::{Listing, read};
use crate::syntax::{Operand, OperandKind, Tree, parse};
use std::fmt::Write as _;
use warpgrid_program::CounterpartFacts;

/// Number of bytes per `.byte` directive.
const BYTES_PER_LINE: usize = 16;
/// The only instruction that moves the upper word of a 64-bit float as a 32-bit float (observed in code of assembler 13.5).
const SELECT: &str = "FSEL";

/// Returns the source with the missing data: replaces NaN literals by their bits, and appends a section with constant bank 3.
pub(crate) fn complete(source: &str, facts: &CounterpartFacts) -> Option<String> {
    let tree = parse(source);
    let listing = read(&tree, source);
    let literals = with_nan_bits(source, &tree, &listing, facts.nan_words);
    let text = literals.as_deref().unwrap_or(source);
    let bank = facts.constant_bank.as_deref();
    bank.filter(|_| lacks_constant_bank(source, &listing))
        .map(|bytes| with_constant_bank(text, bytes))
        .or(literals)
}

fn with_nan_bits(
    source: &str,
    tree: &Tree,
    listing: &Listing,
    words: [Option<u32>; 2],
) -> Option<String> {
    let functions = listing.parts.iter().flat_map(|part| &part.functions);
    let placed = functions.flat_map(|function| &function.instructions);
    let without_encoding = placed.filter(|placed| placed.encoding.is_none());
    let instructions = without_encoding.filter_map(|one| tree.instructions.get(one.index as usize));
    let selects = instructions.filter(|one| one.opcode.text(source) == SELECT);
    let is_nan = |operand: &&Operand| {
        matches!(operand.value, OperandKind::Float(value) if value.is_nan())
            && !operand.signs.absolute
    };
    let literals = selects.flat_map(|one| tree.operands(one).iter().filter(is_nan));
    let mut text = String::new();
    let mut end = 0;
    for literal in literals {
        let Some(word) = words[usize::from(literal.signs.negated)] else {
            continue;
        };
        let [from, to] = [literal.span.start, literal.span.end].map(|offset| offset as usize);
        let _ = write!(text, "{}{word:#010x}", &source[end..from]);
        end = to;
    }
    (end > 0).then(|| text + &source[end..])
}

/// Returns whether the source reads constant bank 3 but has no section with its contents.
fn lacks_constant_bank(source: &str, listing: &Listing) -> bool {
    let mut parts = listing.parts.iter();
    source.contains("c[0x3]") && !parts.any(|part| part.section(".nv.constant3").is_some())
}

fn with_constant_bank(source: &str, bytes: &[u8]) -> String {
    let mut text = format!("{source}\n\t.section\t.nv.constant3,\"a\",@progbits\n\t.align\t8\n");
    for line in bytes.chunks(BYTES_PER_LINE) {
        let values: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
        let _ = writeln!(text, "\t.byte\t{}", values.join(", "));
    }
    text
}
