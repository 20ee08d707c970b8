//! Control codes of SASS instructions: the 21 scheduling bits of encodings since `sm_50`, and the two notations that precede an instruction
//! in the source: `[B--2---:R-:W0:-:S04]` in CuAssembler, and `08:-:2:Y:4` in maxas and turingas. Control codes have no effect on the
//! results of a program.

use crate::target::{Target, TargetRequirement};
use std::fmt;

/// Number of scoreboard barriers per warp.
const N_BARRIERS: usize = 6;
/// Number of source operands with a reuse flag.
const N_SOURCES: usize = 4;
/// Maximum number of stall cycles.
const MAX_STALL: u8 = 15;

/// Architectures with 128-bit instruction encodings, which contain the control code.
pub const IN_INSTRUCTION: TargetRequirement = TargetRequirement::From(70);

/// Fields of a control code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScheduleFields {
    /// Minimum number of cycles until the warp issues its next instruction.
    pub stall_cycles: u8,
    /// Whether the scheduler may switch to another warp.
    pub yields: bool,
    /// Number of the scoreboard barrier (0 to 5) that is released when the result has been written.
    pub write_barrier: Option<u8>,
    /// Number of the scoreboard barrier that is released when the sources have been read.
    pub read_barrier: Option<u8>,
    /// Wait mask: bit i indicates that the instruction waits for scoreboard barrier i.
    pub waits_for: u8,
    /// Reuse mask: bit i retains source operand i in the reuse cache for the next instruction.
    pub reuse: u8,
}

/// Control code that precedes an instruction in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Fields of the control code, with the barrier numbers of the source notation.
    written: ScheduleFields,
    numbering: Numbering,
}

/// Number of the first scoreboard barrier in a notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    FromZero,
    FromOne,
    /// The first barrier is 1 in maxas, which supports `sm_50` to `sm_62`, and 0 in turingas, which supports `sm_70` and later.
    OfTarget,
}

impl Control {
    /// Parses the control code at the start of a line. Returns the control code and its length in bytes.
    pub fn read(line: &str) -> Option<(Control, usize)> {
        match line.strip_prefix('[') {
            Some(inside) => {
                let (fields, _) = inside.split_once(']')?;
                Some((bracketed(fields)?, fields.len() + 2))
            }
            None => {
                let end = line.find([' ', '\t']).unwrap_or(line.len());
                Some((colons(&line[..end])?, end))
            }
        }
    }

    /// Returns the fields with barriers numbered from 0. Without a target, the numbering of current architectures is assumed.
    pub fn fields(&self, target: Option<&Target>) -> ScheduleFields {
        let first = match self.numbering {
            Numbering::FromZero => 0,
            Numbering::FromOne => 1,
            Numbering::OfTarget => {
                u8::from(target.is_some_and(|target| !IN_INSTRUCTION.met_by(target)))
            }
        };
        let barrier = |number: Option<u8>| number.map(|number| number.saturating_sub(first));
        ScheduleFields {
            write_barrier: barrier(self.written.write_barrier),
            read_barrier: barrier(self.written.read_barrier),
            ..self.written
        }
    }
}

/// Parses the CuAssembler notation, such as `B--2---:R-:W0:-:S04`. Some CuAssembler releases print the reuse mask first:
/// `R---:B--2---:R-:W0:-:S04`.
fn bracketed(fields: &str) -> Option<Control> {
    let mut fields = fields.split(':').map(str::trim).peekable();
    let mut written = ScheduleFields::default();
    if fields.peek().is_some_and(|first| !first.starts_with('B')) {
        written.reuse = mask(fields.next()?, N_SOURCES)?;
    }
    written.waits_for = mask(fields.next()?.strip_prefix('B')?, N_BARRIERS)?;
    written.read_barrier = barrier(fields.next()?.strip_prefix('R')?, 0)?;
    written.write_barrier = barrier(fields.next()?.strip_prefix('W')?, 0)?;
    written.yields = yields(fields.next()?)?;
    let stall = fields.next()?.strip_prefix('S')?;
    written.stall_cycles = stall.parse().ok().filter(|n| *n <= MAX_STALL)?;
    let numbering = Numbering::FromZero;
    fields
        .next()
        .is_none()
        .then_some(Control { written, numbering })
}

/// Parses the notation of maxas and turingas. The fields are wait mask, read barrier, write barrier, yield flag and hexadecimal number of
/// stall cycles.
fn colons(text: &str) -> Option<Control> {
    let mut fields = text.split(':');
    let waits_for = match fields.next()? {
        "--" => 0,
        digits if digits.len() == 2 => {
            let mask = u8::from_str_radix(digits, 16).ok()?;
            (mask >> N_BARRIERS == 0).then_some(mask)?
        }
        _ => return None,
    };
    let read_barrier = barrier(fields.next()?, 1)?;
    let write_barrier = barrier(fields.next()?, 1)?;
    let yields = yields(fields.next()?)?;
    let stall = fields.next().filter(|stall| stall.len() == 1)?;
    let written = ScheduleFields {
        stall_cycles: u8::from_str_radix(stall, 16).ok()?,
        yields,
        write_barrier,
        read_barrier,
        waits_for,
        reuse: 0,
    };
    let barriers = [read_barrier, write_barrier];
    let numbering = if barriers.contains(&Some(0)) {
        Numbering::FromZero
    } else if barriers.contains(&Some(N_BARRIERS as u8)) {
        Numbering::FromOne
    } else {
        Numbering::OfTarget
    };
    fields
        .next()
        .is_none()
        .then_some(Control { written, numbering })
}

/// Parses a mask with one character per bit: `-` for a clear bit, and any other character for a set bit.
fn mask(text: &str, n: usize) -> Option<u8> {
    let is_flag = |byte: u8| byte == b'-' || byte.is_ascii_alphanumeric();
    if text.len() != n || !text.bytes().all(is_flag) {
        return None;
    }
    let bits = text.bytes().enumerate();
    Some(bits.fold(0, |mask, (bit, byte)| mask | u8::from(byte != b'-') << bit))
}

/// Parses `-` for none, or a barrier number of at most 5 + `above`.
fn barrier(text: &str, above: u8) -> Option<Option<u8>> {
    match text {
        "-" => Some(None),
        _ if text.len() == 1 => {
            let number: u8 = text.parse().ok()?;
            (number < N_BARRIERS as u8 + above).then_some(Some(number))
        }
        _ => None,
    }
}

fn yields(text: &str) -> Option<bool> {
    match text {
        "Y" => Some(true),
        "-" => Some(false),
        _ => None,
    }
}

impl ScheduleFields {
    /// Decodes the 21 control bits of all architectures since `sm_50`.
    pub fn of_bits(bits: u32) -> ScheduleFields {
        let field = |start: u32, width: u32| (bits >> start & ((1 << width) - 1)) as u8;
        let barrier = |start: u32| Some(field(start, 3)).filter(|number| *number != 7);
        ScheduleFields {
            stall_cycles: field(0, 4),
            // The encoded bit is inverted: if the bit is set, the scheduler does not switch to another warp.
            yields: field(4, 1) == 0,
            write_barrier: barrier(5),
            read_barrier: barrier(8),
            waits_for: field(11, 6),
            reuse: field(17, 4),
        }
    }

    /// Returns one sentence for each field that has an effect.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![match self.stall_cycles {
            1 => "Stall count: the warp issues the next instruction at least 1 cycle later."
                .to_owned(),
            n => format!(
                "Stall count: the warp issues the next instruction at least {n} cycles later."
            ),
        }];
        if self.yields {
            sentences
                .push("Yield flag: the scheduler prefers to switch to another warp.".to_owned());
        }
        if let Some(barrier) = self.write_barrier {
            sentences.push(format!(
                "Write barrier: scheduling barrier {barrier} is released when the result has been written."
            ));
        }
        if let Some(barrier) = self.read_barrier {
            sentences.push(format!(
                "Read barrier: scheduling barrier {barrier} is released when the sources have been read."
            ));
        }
        if self.waits_for != 0 {
            sentences.push(format!(
                "Wait mask {:#04x}: the instruction waits for the release of {}.",
                self.waits_for,
                listed("barrier", self.waits_for)
            ));
        }
        if self.reuse != 0 {
            sentences.push(format!(
                "Reuse flags: the operand reuse cache keeps {} for the next instruction.",
                listed("source", self.reuse)
            ));
        }
        sentences
    }
}

impl fmt::Display for ScheduleFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stall_cycles {
            1 => write!(f, "stall 1 cycle")?,
            n => write!(f, "stall {n} cycles")?,
        }
        if self.yields {
            write!(f, ", yields")?;
        }
        if let Some(barrier) = self.write_barrier {
            write!(f, ", write barrier {barrier}")?;
        }
        if let Some(barrier) = self.read_barrier {
            write!(f, ", read barrier {barrier}")?;
        }
        if self.waits_for != 0 {
            write!(f, ", waits for {}", listed("barrier", self.waits_for))?;
        }
        if self.reuse != 0 {
            write!(f, ", reuses {}", listed("source", self.reuse))?;
        }
        Ok(())
    }
}

/// Formats the indices of the set bits of a mask after a noun, such as `barrier 2` or `barriers 0, 1 and 5`.
fn listed(noun: &str, mask: u8) -> String {
    let set = (0..8).filter(|bit| mask >> bit & 1 != 0);
    let set: Vec<String> = set.map(|bit: u8| bit.to_string()).collect();
    match set.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("{noun}s {} and {last}", rest.join(", "))
        }
        _ => format!("{noun} {}", set.join(", ")),
    }
}
