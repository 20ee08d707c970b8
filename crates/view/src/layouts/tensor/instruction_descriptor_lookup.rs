//! Detection of the instruction descriptors in a source that are operands of `tcgen05.mma`. For a position in the source, the module
//! returns the fields of the constant at this position. For an instruction, it returns the descriptor operand.

use crate::expression::tree::read_unsigned;
use crate::layouts::tensor::DescriptorField;
use crate::layouts::tensor::instruction_descriptor::fields_of;

/// Constant that a `tcgen05.mma` instruction uses as its instruction descriptor, or register that contains this constant. An editor shows
/// its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstructionDescriptorLiteral {
    /// Byte range of the constant or of the register in the source.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) bits: u32,
    /// MMA kind of the instruction: `f16` for `.kind::f16`.
    pub(crate) kind: String,
    pub(crate) fields: Vec<DescriptorField>,
}

/// Operand of a `tcgen05.mma` instruction that contains its instruction descriptor, with the MMA kind of the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorOperand<'t> {
    pub operand: &'t str,
    pub kind: &'t str,
}

/// Returns the instruction descriptor operand of an instruction, or `None` if the instruction is not a `tcgen05.mma`.
pub fn descriptor_operand(instruction: &str) -> Option<DescriptorOperand<'_>> {
    let opcode = instruction.find("tcgen05.mma")?;
    let instruction = instruction.get(opcode..)?;
    let (opcode, operands) = instruction.split_once(char::is_whitespace)?;
    let (_, kind) = opcode.split_once(".kind::")?;
    let kind = kind.split('.').next()?;
    let operands = operands.split(';').next()?;
    let is_sparse = opcode.split('.').any(|word| word == "sp");
    // The operands are `[d], a, b, idesc`. If operand A is sparse, the metadata operand precedes `idesc`.
    let at = if is_sparse { 4 } else { 3 };
    let operand = operands.split(',').nth(at)?.trim();
    Some(DescriptorOperand { operand, kind })
}

/// Returns the instruction descriptor at a position of the source: a constant operand of an MMA instruction, or a register that contains
/// the constant.
pub(crate) fn instruction_descriptor_at(
    source: &str,
    at: usize,
) -> Option<InstructionDescriptorLiteral> {
    // Skip the search for sources without `tcgen05.mma`, because most sources do not contain this instruction.
    if !source.contains("tcgen05.mma") {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_%$".contains(c);
    let start = source.get(..at)?.rfind(|c| !is_part(c));
    let start = start.map_or(0, |found| found + 1);
    let length = source.get(start..)?.find(|c| !is_part(c));
    let end = length.map_or(source.len(), |length| start + length);
    let token = source.get(start..end).filter(|token| !token.is_empty())?;
    let statement = statement_at(source, start);
    let kind_of = |name: &str| {
        let uses = statements(source).filter_map(descriptor_operand);
        let mut uses = uses.filter(|found| found.operand == name);
        uses.next().map(|found| found.kind)
    };
    let (kind, bits) = match (number(token), constant_moved(statement)) {
        (Some(bits), Some((register, _))) => (kind_of(register)?, bits),
        (Some(bits), None) => {
            let found = descriptor_operand(statement)?;
            (found.operand == token).then_some((found.kind, bits))?
        }
        (None, _) => {
            let mut moved = statements(source).filter_map(constant_moved);
            let (_, bits) = moved.find(|(register, _)| *register == token)?;
            (kind_of(token)?, bits)
        }
    };
    Some(InstructionDescriptorLiteral {
        start,
        end,
        bits,
        kind: kind.to_owned(),
        fields: fields_of(bits, kind)?,
    })
}

/// Splits a source into its statements. Comments before a statement are not part of the statement.
fn statements(source: &str) -> impl Iterator<Item = &str> {
    source.split(';').map(without_comments)
}

fn without_comments(statement: &str) -> &str {
    let mut rest = statement.trim_start();
    while let Some((_, after)) = rest
        .strip_prefix("//")
        .map(|rest| rest.split_once('\n').unwrap_or((rest, "")))
    {
        rest = after.trim_start();
    }
    rest
}

fn statement_at(source: &str, at: usize) -> &str {
    let before = source.get(..at).unwrap_or("");
    let start = before.rfind(';').map_or(0, |found| found + 1);
    let rest = source.get(start..).unwrap_or("");
    without_comments(rest.split(';').next().unwrap_or(""))
}

/// Returns the destination register and the constant of a move such as `mov.b32 %r1, 136314896`.
fn constant_moved(statement: &str) -> Option<(&str, u32)> {
    let at = statement.find("mov.")?;
    let (opcode, operands) = statement.get(at..)?.split_once(char::is_whitespace)?;
    if !matches!(opcode, "mov.b32" | "mov.u32" | "mov.s32") {
        return None;
    }
    let (register, value) = operands.split_once(',')?;
    Some((register.trim(), number(value.trim())?))
}

fn number(token: &str) -> Option<u32> {
    let value = read_unsigned(token.trim_end_matches('U'))?;
    u32::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// mov.b32 %i, 7;\nmov.b32 %i, 136314896; // of the product\nmov.b32 %j, 136314896;\n\
        tcgen05.mma.cta_group::1.kind::f16 [%t], %a, %b, %i, %p;\n\
        tcgen05.mma.sp.cta_group::1.kind::i8 [%t], %a, %b, [%m], 0x8410420, %p;\n";

    fn found(word: &str) -> Option<(String, u32, String)> {
        let at = TEXT.find(word).expect("the word") + 1;
        let found = instruction_descriptor_at(TEXT, at)?;
        let token = TEXT[found.start..found.end].to_owned();
        Some((token, found.bits, found.kind))
    }

    #[test]
    fn constant_is_descriptor_only_as_mma_descriptor_operand() {
        let of = |token: &str, bits, kind: &str| Some((token.to_owned(), bits, kind.to_owned()));
        assert_eq!(
            found("136314896; // of"),
            of("136314896", 136_314_896, "f16")
        );
        assert_eq!(found("%i, %p"), of("%i", 136_314_896, "f16"));
        assert_eq!(found("0x8410420"), of("0x8410420", 0x841_0420, "i8"));
        for other in ["%j, 1", "136314896;\ntcgen05", "%a, %b, %i", "tcgen05"] {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn malformed_source_has_no_descriptor() {
        for text in [
            "tcgen05.mma",
            "tcgen05.mma x",
            "tcgen05.mma.kind:: ,,,",
            "tcgen05.mma.kind::f16 [d],a,b",
            "é;tcgen05.mma.kind::f16 [é],é,é,é;",
        ] {
            for at in 0..=text.len() {
                assert_eq!(instruction_descriptor_at(text, at), None, "{text} {at}");
            }
        }
    }
}
