//! Scheduling information in the encoding of an instruction or in the control code before the instruction: stall cycles, yield hint,
//! scoreboard barriers and reuse flags. Scheduling information has no effect on results.

use crate::syntax::{ControlText, StatementKind, Tree};
use std::fmt;
use warpgrid_isa::sass::control::{IN_INSTRUCTION, ScheduleFields};
use warpgrid_isa::{Target, TargetRequirement};

/// Scheduling information of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Scheduling fields, which exist from `sm_50` on.
    Fields(ScheduleFields),
    /// Byte of the instruction in the control word of a group of seven instructions, on architectures before `sm_50`. The meaning of the
    /// byte is not documented.
    Byte(u8),
}

/// Architectures with one control word for each group of three instructions.
const CONTROL_WORD_PER_3: TargetRequirement = TargetRequirement::Between(50, 62);
/// Architectures with one control word for each group of seven instructions. The control word contains one byte per instruction.
const CONTROL_WORD_PER_7: TargetRequirement = TargetRequirement::Between(35, 37);
/// Bit offset of the first scheduling byte in a Kepler control word.
const FIRST_BYTE_BIT: usize = 2;
/// Number of instructions that share a Kepler control word.
const INSTRUCTIONS_PER_KEPLER_WORD: usize = 7;
/// Bit offset of the scheduling fields in a 128-bit instruction.
const CONTROL_BIT_OFFSET: u32 = 105;
/// Number of scheduling bits per instruction in a Maxwell control word.
const CONTROL_BITS: u32 = 21;
/// Number of instructions that share a Maxwell control word.
const INSTRUCTIONS_PER_MAXWELL_WORD: usize = 3;

/// Returns the scheduling information in the encoding of a 128-bit instruction.
pub fn schedule_of(target: &Target, encoding: u128) -> Option<Schedule> {
    let bits = (encoding >> CONTROL_BIT_OFFSET) as u32;
    IN_INSTRUCTION
        .met_by(target)
        .then(|| Schedule::Fields(ScheduleFields::of_bits(bits)))
}

/// Returns the scheduling information of the instruction at `start`, from the control code before it or from the surrounding encodings.
/// Returns `None` if the listing contains neither a control code nor an encoding.
pub fn schedule_at(tree: &Tree, start: u32, target: &Target) -> Option<Schedule> {
    let mut group = None;
    let mut n_since = 0;
    let mut statements = tree.statements.iter();
    while let Some(statement) = statements.next() {
        match statement.kind {
            StatementKind::Encoding(encoding) => (group, n_since) = (Some(encoding), 0),
            StatementKind::Instruction(index) => {
                let instruction = tree.instructions.get(index as usize)?;
                if instruction.span.start < start {
                    n_since += 1;
                    continue;
                }
                if instruction.span.start > start {
                    return None;
                }
                if let Some(ControlText { control, .. }) = &instruction.control {
                    return Some(Schedule::Fields(control.fields(Some(target))));
                }
                if CONTROL_WORD_PER_3.met_by(target) {
                    let word = group
                        .filter(|_| n_since < INSTRUCTIONS_PER_MAXWELL_WORD)?
                        .value;
                    let bits = (word >> (CONTROL_BITS * n_since as u32)) as u32;
                    return Some(Schedule::Fields(ScheduleFields::of_bits(bits)));
                }
                if CONTROL_WORD_PER_7.met_by(target) {
                    let word = group
                        .filter(|_| n_since < INSTRUCTIONS_PER_KEPLER_WORD)?
                        .value;
                    let byte = (word >> (FIRST_BYTE_BIT + 8 * n_since)) as u8;
                    return Some(Schedule::Byte(byte));
                }
                let low = instruction.encoding?.value;
                let high = match statements.next()?.kind {
                    StatementKind::Encoding(encoding) => encoding.value,
                    _ if low >> 64 != 0 => 0,
                    _ => return None,
                };
                return schedule_of(target, low | high << 64);
            }
            StatementKind::Label(_)
            | StatementKind::Directive { .. }
            | StatementKind::Header { .. }
            | StatementKind::Unknown => {}
        }
    }
    None
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Fields(fields) => fields.fmt(f),
            Schedule::Byte(byte) => write!(
                f,
                "undocumented byte {byte:#04x} of the control word that precedes this group of seven instructions"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    /// Returns the description of the scheduling information of `instruction`, which must occur exactly once in the source.
    fn words(source: &str, instruction: &str, target: &str) -> Option<String> {
        let start = source.find(instruction).expect("the instruction") as u32;
        let target = Target::from_name(target).expect("a target");
        schedule_at(&parse(source), start, target).map(|schedule| schedule.to_string())
    }

    #[test]
    fn schedule_is_decoded_from_128_bit_encoding() {
        let source = "\
        /*0010*/  S2R R6, SR_CTAID.X ;  /* 0x0000000000067919 */
                                        /* 0x000e280000002500 */
        /*00c0*/  FADD R9, R4, R3 ;     /* 0x0000000304097221 */
                                        /* 0x004fd00000000000 */
        /*00d0*/  EXIT ;
";
        assert_eq!(
            words(source, "S2R", "sm_75").as_deref(),
            Some("stall 4 cycles, write barrier 0")
        );
        assert_eq!(
            words(source, "FADD", "sm_90").as_deref(),
            Some("stall 8 cycles, yields, waits for barrier 2")
        );
        assert_eq!(words(source, "EXIT", "sm_75"), None);
        assert_eq!(words(source, "S2R", "sm_35"), None);
    }

    #[test]
    fn control_code_before_instruction_is_decoded() {
        let source = "\
[B--2---:R-:W0:-:S04]       /*0000*/  S2R R6, SR_CTAID.X ;
[R-R-:B0----5:R1:W-:Y:S15]  /*0010*/  FADD R9, R4.reuse, R3 ;
28:6:1:Y:a              MOV R1, R2;
--:-:2:-:1  @P0 LDG R3, [R4];
";
        for (instruction, target, found) in [
            (
                "S2R",
                "sm_75",
                "stall 4 cycles, write barrier 0, waits for barrier 2",
            ),
            (
                "FADD",
                "sm_90",
                "stall 15 cycles, yields, read barrier 1, waits for barriers 0 and 5, reuses sources 0 and 2",
            ),
            (
                "MOV",
                "sm_75",
                "stall 10 cycles, yields, write barrier 0, read barrier 5, waits for barriers 3 and 5",
            ),
            ("@P0 LDG", "sm_61", "stall 1 cycle, write barrier 1"),
            ("@P0 LDG", "sm_70", "stall 1 cycle, write barrier 2"),
        ] {
            let words = words(source, instruction, target);
            assert_eq!(words.as_deref(), Some(found), "{instruction}");
        }
    }

    #[test]
    fn malformed_control_code_is_rejected() {
        for text in [
            "[B------:R-:W9:-:S04] NOP ;",
            "[B------:R-:W2:-:S16] NOP ;",
            "[B-----:R-:W2:-:S01] NOP ;",
            "ff:-:-:-:1 NOP ;",
            "01:-:-:-:11 NOP ;",
            "01:-:-:1 NOP ;",
            "[",
            "::::",
        ] {
            let tree = parse(text);
            assert!(!tree.errors.is_empty(), "{text}");
        }
    }

    #[test]
    fn kepler_control_word_covers_seven_instructions() {
        let source = "\
                                                     /* 0x08b0b8a0b8a0a304 */
        /*0008*/  MOV R1, c[0x0][0x44] ;             /* 0x64c03c00089c0006 */
        /*0010*/  S2R R0, SR_CTAID.X ;               /* 0x86400000129c0002 */
        /*0018*/  S2R R3, SR_TID.X ;                 /* 0x86400000109c000e */
        /*0020*/  IMAD R0, R0, c[0x0][0x28], R3 ;    /* 0x51080c00051c0002 */
        /*0028*/  ISETP.GE.AND P0, PT, R0, R1, PT ;  /* 0x5b681c002a1c001e */
        /*0030*/  @P0 EXIT ;                         /* 0x180000000000003c */
        /*0038*/  MOV32I R3, 0x4 ;                   /* 0x74000000021fc00e */
        /*0040*/  NOP ;                              /* 0x0000000000000000 */
";
        let byte = |n: u8| {
            format!(
                "undocumented byte {n:#04x} of the control word that precedes this group of seven instructions"
            )
        };
        for (instruction, found) in [("MOV R1", 0xc1), ("S2R R0", 0x28), ("MOV32I", 0x2c)] {
            let found = Some(byte(found));
            assert_eq!(words(source, instruction, "sm_35"), found, "{instruction}");
        }
        assert_eq!(words(source, "NOP", "sm_37"), None);
    }

    #[test]
    fn pascal_control_word_covers_three_instructions() {
        // The three instructions stall for 6, 13 and 15 cycles. The second instruction sets write barrier 1. The third instruction yields,
        // and waits for barriers 0 and 1.
        let of = |stall: u64, stays: u64, write: u64, waits: u64| {
            stall | stays << 4 | write << 5 | 7 << 8 | waits << 11
        };
        let word = of(6, 1, 7, 0) | of(13, 1, 1, 0) << 21 | of(15, 0, 7, 3) << 42;
        let source = format!(
            "  /* {word:#018x} */\n/*0008*/ MOV R1, R2 ; /* 0x5c98078000270001 */\n\
             /*0010*/ LDG R3, [R4] ; /* 0xeed4200000070403 */\n/*0018*/ EXIT ; /* 0xe30000000007000f */\n"
        );
        let found = ["MOV", "LDG", "EXIT"].map(|name| words(&source, name, "sm_61"));
        assert_eq!(
            found.each_ref().map(Option::as_deref),
            [
                Some("stall 6 cycles"),
                Some("stall 13 cycles, write barrier 1"),
                Some("stall 15 cycles, yields, waits for barriers 0 and 1")
            ]
        );
    }
}
