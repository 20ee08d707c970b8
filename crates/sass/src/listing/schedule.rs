//! The scheduling information that the encoding of an instruction carries: how long the next one waits, which barriers it
//! sets and waits for. It has no effect on results.

use std::fmt;
use warpgrid_isa::Target;

/// What an encoding says about scheduling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Cycles until the next instruction of the warp may issue.
    pub stall_cycles: u8,
    /// Another warp may go first.
    pub yields: bool,
    /// The barrier that is open until the result is written, 0 to 5.
    pub write_barrier: Option<u8>,
    /// The barrier that is open until the sources are read.
    pub read_barrier: Option<u8>,
    /// Bit i: waits for barrier i.
    pub waits_for: u8,
    /// Bit i: source i is kept for the next instruction.
    pub reuse: u8,
}

/// What the encoding of an instruction says; none for architectures whose instructions carry nothing: up to `sm_62` a word
/// of its own comes before several instructions.
pub fn schedule_of(target: &Target, encoding: u128) -> Option<Schedule> {
    if target.sm < FIRST_WITH_OWN {
        return None;
    }
    let field = |start: u32, bits: u32| (encoding >> start) as u8 & ((1u16 << bits) - 1) as u8;
    let barrier = |start: u32| Some(field(start, 3)).filter(|number| *number != 7);
    Some(Schedule {
        stall_cycles: field(105, 4),
        // The bit says to stay with this warp.
        yields: field(109, 1) == 0,
        write_barrier: barrier(110),
        read_barrier: barrier(113),
        waits_for: field(116, 6),
        reuse: field(122, 4),
    })
}

/// From here on an instruction has 128 bits, its scheduling among them.
const FIRST_WITH_OWN: u16 = 70;

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stall {}", self.stall_cycles)?;
        if self.yields {
            write!(f, ", yields")?;
        }
        if let Some(barrier) = self.write_barrier {
            write!(f, ", sets barrier {barrier} when written")?;
        }
        if let Some(barrier) = self.read_barrier {
            write!(f, ", sets barrier {barrier} when read")?;
        }
        let waits = (0..6).filter(|i| self.waits_for >> i & 1 != 0);
        for (index, barrier) in waits.enumerate() {
            let separator = if index == 0 { ", waits for" } else { "," };
            write!(f, "{separator} {barrier}")?;
        }
        Ok(())
    }
}
