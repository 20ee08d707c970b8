//! The code that is translated: a kernel's, and after it each function as often as it is called, with registers of its own. In: decoded code;
//! out: instructions whose calls and returns are branches, and frames.
//!
//! The interpreter lets lanes of deeper calls go on first, then those furthest back in the code: [`Code::order`] says that of two places.

use crate::engine::Products;
use crate::refusal::Refusal;
use crate::registers::Register;
use std::cmp::Reverse;
use warpgrid_emulator::plain::{Call, Instr, Op, Place, Plain};

/// Maximum number of instructions of a translated kernel. The limit bounds the compilation time.
const MOST_INSTRUCTIONS: usize = 1 << 14;

/// Calls within calls, at most. The interpreter has room for more.
const MOST_DEPTH: u32 = 32;

/// What each lane of the interpreter's stack is a multiple of.
const STACK_STEP: u64 = 32;

/// An instruction, and where it is from.
#[derive(Clone, Debug)]
pub(crate) struct Placed<'m> {
    pub(crate) instr: Instr,
    /// Its place in the decoded code.
    pub(crate) origin: u32,
    /// By number: whose registers it names.
    pub(crate) frame: usize,
    /// What goes to a function or comes from it, before the branch.
    pub(crate) moves: Moves<'m>,
}

/// Values that cross a call: from places of one frame to places of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves<'m> {
    pub(crate) values: &'m [(Place, Place)],
    pub(crate) from: usize,
    pub(crate) to: usize,
}

const NO_MOVES: Moves<'static> = Moves {
    values: &[],
    from: 0,
    to: 0,
};

/// The kernel, or a function in the place of one call.
#[derive(Clone, Copy, Debug)]
struct Frame {
    function: u32,
    depth: u32,
    /// Where its variables begin on each thread's stack.
    stack: u64,
    /// Where the branch to its first instruction is that brings the arguments, and the call.
    entry: usize,
    call: usize,
}

/// Instructions and frames; branches name places here.
#[derive(Clone)]
pub(crate) struct Code<'m> {
    plain: Plain<'m>,
    placed: Vec<Placed<'m>>,
    frames: Vec<Frame>,
    /// Bytes of the stack of each thread.
    pub(crate) local_bytes: u64,
}

impl<'m> Code<'m> {
    pub(crate) fn new(plain: Plain<'m>) -> Result<Code<'m>, Refusal> {
        let mut code = Code {
            plain,
            placed: Vec::new(),
            frames: vec![Frame {
                function: 0,
                depth: 0,
                stack: 0,
                entry: 0,
                call: 0,
            }],
            local_bytes: plain.local_bytes(),
        };
        code.lay(0, None)?;
        let mut next = 0;
        while let Some(placed) = code.placed.get(next) {
            if let Op::Call(plan) = placed.instr.op
                && let Some(call) = plain.call(plan)
            {
                code.put_in_place(next, call)?;
            }
            next += 1;
        }
        match code.placed.is_empty() {
            true => Err(Refusal::TooLarge),
            false => Ok(code),
        }
    }

    /// Adds the instructions of a frame's function, which returns to a place.
    fn lay(&mut self, frame: usize, returns_to: Option<usize>) -> Result<(), Refusal> {
        let function = self.frames.get(frame).map_or(0, |frame| frame.function);
        let range = self.plain.function(function);
        let start = self.placed.len();
        let body = self.plain.all_instructions().get(range.clone());
        let body = body.unwrap_or(&[]);
        if start + body.len() > MOST_INSTRUCTIONS {
            return Err(Refusal::TooLarge);
        }
        for (origin, instr) in range.clone().zip(body) {
            let op = match (instr.op, returns_to) {
                (Op::Branch { target }, _) => Op::Branch {
                    target: (target as usize)
                        .wrapping_sub(range.start)
                        .wrapping_add(start) as u32,
                },
                (Op::Return, Some(place)) => Op::Branch {
                    target: place as u32,
                },
                (op, _) => op,
            };
            self.placed.push(Placed {
                instr: Instr { op, ..*instr },
                origin: origin as u32,
                frame,
                moves: NO_MOVES,
            });
        }
        Ok(())
    }

    /// Puts a function in the place of a call: a branch with what goes there, its instructions, and a branch with what comes back.
    fn put_in_place(&mut self, at: usize, call: Call<'m>) -> Result<(), Refusal> {
        let Some(caller) = self.placed.get(at).cloned() else {
            return Ok(());
        };
        let Some(outer) = self.frames.get(caller.frame).copied() else {
            return Ok(());
        };
        let (entry, back) = (self.placed.len(), self.placed.len() + 1);
        let stack = outer.stack + self.plain.frame_bytes(outer.function);
        let frame = Frame {
            function: call.function,
            depth: outer.depth + 1,
            stack: stack.next_multiple_of(16),
            entry,
            call: at,
        };
        if frame.depth > MOST_DEPTH {
            return Err(Refusal::TooLarge);
        }
        let end = frame.stack + self.plain.frame_bytes(call.function);
        self.local_bytes = self.local_bytes.max(end.next_multiple_of(STACK_STEP));
        let inner = self.frames.len();
        self.frames.push(frame);
        let first = self.plain.function(call.function).start;
        for (values, from, to, target, origin) in [
            (call.arguments, caller.frame, inner, back + 1, first),
            (
                call.returns,
                inner,
                caller.frame,
                at + 1,
                caller.origin as usize + 1,
            ),
        ] {
            self.placed.push(Placed {
                instr: Instr::within_step(target as u32),
                origin: origin as u32,
                frame: to,
                moves: Moves { values, from, to },
            });
        }
        if let Some(placed) = self.placed.get_mut(at) {
            placed.instr.op = Op::Branch {
                target: entry as u32,
            };
        }
        self.lay(inner, Some(back))
    }

    pub(crate) fn len(&self) -> usize {
        self.placed.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Placed<'m>> {
        self.placed.get(at)
    }

    pub(crate) fn range(&self, range: std::ops::Range<usize>) -> &[Placed<'m>] {
        self.placed.get(range).unwrap_or(&[])
    }

    pub(crate) fn all(&self) -> &[Placed<'m>] {
        &self.placed
    }

    /// Where an instruction is in the decoded code.
    pub(crate) fn origin(&self, at: u32) -> u32 {
        self.get(at as usize).map_or(at, |placed| placed.origin)
    }

    /// The frame that the instruction at a place belongs to.
    pub(crate) fn frame_at(&self, at: usize) -> usize {
        self.get(at).map_or(0, |placed| placed.frame)
    }

    /// Which of two places the interpreter lets lanes go on from first: the one with the lesser key.
    pub(crate) fn order(&self, at: usize) -> (Reverse<u32>, u32, bool, usize) {
        let Some(placed) = self.get(at) else {
            return (Reverse(0), u32::MAX, true, 0);
        };
        let depth = self.frames.get(placed.frame).map_or(0, |frame| frame.depth);
        // What crosses a call does so before the instruction that is gone to.
        let is_own = placed.moves.from == placed.moves.to;
        (Reverse(depth), placed.origin, is_own, placed.frame)
    }

    /// The register that a frame's instructions mean.
    pub(crate) fn register(&self, frame: usize, (bank, index): Register) -> Register {
        let [kernel, function] = self.plain.most_registers(bank);
        let first = match frame {
            0 => 0,
            frame => kernel + (frame as u32 - 1) * function,
        };
        (bank, first + index)
    }

    /// The registers of all frames that hold addresses in local memory all the time.
    pub(crate) fn local_addresses(&self) -> impl Iterator<Item = (Register, u64)> + '_ {
        self.frames
            .iter()
            .enumerate()
            .flat_map(move |(number, frame)| {
                let all = self.plain.frame_addresses(frame.function);
                let address = move |(register, addend): (Register, u64)| {
                    let address = frame.stack.wrapping_add(addend);
                    (self.register(number, register), address)
                };
                all.map(address)
            })
    }

    /// Where a frame's variables begin on the stack.
    pub(crate) fn stack(&self, frame: usize) -> u64 {
        self.frames.get(frame).map_or(0, |frame| frame.stack)
    }

    /// Bytes that the interpreter's stack has at least while lanes are in a frame.
    pub(crate) fn stack_bytes(&self, frame: usize) -> u64 {
        let end = self.frames.get(frame).map_or(0, |frame| {
            frame.stack + self.plain.frame_bytes(frame.function)
        });
        let end = end.next_multiple_of(STACK_STEP);
        end.max(self.plain.local_bytes())
    }

    /// The functions: the branch that leads to each, the call, and whether a register is its own.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_, 'm>> {
        (0..self.frames.len()).skip(1).filter_map(|frame| {
            let Frame { entry, call, .. } = *self.frames.get(frame)?;
            Some(Entry {
                at: entry,
                call: call as u32,
                code: self,
                frame,
            })
        })
    }
}

/// Where a function is gone to.
pub(crate) struct Entry<'c, 'm> {
    pub(crate) at: usize,
    pub(crate) call: u32,
    code: &'c Code<'m>,
    frame: usize,
}

impl Entry<'_, '_> {
    /// Whether a register is one of the function's in this place.
    pub(crate) fn owns(&self, (bank, index): Register) -> bool {
        let (_, first) = self.code.register(self.frame, (bank, 0));
        let [_, most] = self.code.plain.most_registers(bank);
        (first..first + most).contains(&index)
    }
}

/// The kernel to translate, and the instructions of the target engine.
#[derive(Clone, Copy)]
pub(crate) struct Source<'p> {
    pub(crate) plain: Plain<'p>,
    pub(crate) code: &'p Code<'p>,
    pub(crate) products: Products,
}
