//! The section of constant bank 3 for listings that lack it: `cuobjdump -sass` and `nvdisasm -c` print code alone.

use crate::syntax::parse;
use std::fmt::Write as _;

/// Bytes of one `.byte` directive.
const BYTES_PER_LINE: usize = 16;

/// Returns the text with a section `.nv.constant3` of these bytes after it, if the text reads bank 3 and has no such section. Lines keep
/// their numbers.
pub(crate) fn with_constant_bank(source: &str, bytes: &[u8]) -> Option<String> {
    let listing = super::read(&parse(source), source);
    let has_bank = listing
        .parts
        .iter()
        .any(|part| part.section(".nv.constant3").is_some());
    if has_bank || !source.contains("c[0x3]") {
        return None;
    }
    let mut text = format!("{source}\n\t.section\t.nv.constant3,\"a\",@progbits\n\t.align\t8\n");
    for line in bytes.chunks(BYTES_PER_LINE) {
        let values: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
        let _ = writeln!(text, "\t.byte\t{}", values.join(", "));
    }
    Some(text)
}
