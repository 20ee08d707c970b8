//! Code of a kernel with all calls inlined: each call site has a copy of the called function with separate registers.
//! The module takes decoded code, and returns instructions in which calls and returns are branches, and the frames of
//! the inlined functions.
//!
//! The interpreter prioritizes lanes in deeper calls, then lanes at lower positions in the code.
//! [`InlinedCode::scheduler_priority`] returns the corresponding sort key.

use crate::bailout::BailoutReason;
use crate::engine::MaddRounding;
use crate::registers::RegisterKey;
use std::cmp::Reverse;
use warpgrid_emulator::translation_view::{
    Call, CallValueLocation, DecodedInstruction, DecodedOp, TranslationView,
};

/// Maximum number of instructions of a translated kernel, which bounds the compilation time.
const MAX_INSTRUCTIONS: usize = 1 << 14;

/// Maximum call depth of a translated kernel. The interpreter executes kernels with deeper calls.
const MAX_INLINE_DEPTH: u32 = 32;

/// Alignment of stack frames in the interpreter.
const STACK_ALIGN: u64 = 32;

/// Instruction of the inlined code with its origin.
#[derive(Clone, Debug)]
pub(crate) struct InlinedInstruction<'m> {
    pub(crate) instr: DecodedInstruction,
    /// Index of the original instruction in the decoded code.
    pub(crate) origin: u32,
    /// Index of the frame whose registers the instruction accesses.
    pub(crate) frame: usize,
    /// Arguments or results that are moved before the branch, if the instruction is a call or a return.
    pub(crate) moves: CallMoves<'m>,
}

/// Arguments or results of a call that are moved from one frame to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallMoves<'m> {
    pub(crate) values: &'m [(CallValueLocation, CallValueLocation)],
    pub(crate) from: usize,
    pub(crate) to: usize,
}

const NO_MOVES: CallMoves<'static> = CallMoves {
    values: &[],
    from: 0,
    to: 0,
};

/// Frame of the kernel or of an inlined function, with its own copy of the function's registers.
#[derive(Clone, Copy, Debug)]
struct InlinedFrame {
    function: u32,
    depth: u32,
    /// Offset of the function's local variables on the stack of each thread.
    stack: u64,
    /// Position of the branch that passes the arguments to the first instruction of the function.
    entry: usize,
    call: usize,
}

/// Code of a kernel with inlined calls. Branch targets are indices into this code.
#[derive(Clone)]
pub(crate) struct InlinedCode<'m> {
    plain: TranslationView<'m>,
    placed: Vec<InlinedInstruction<'m>>,
    frames: Vec<InlinedFrame>,
    /// Stack size of each thread in bytes.
    pub(crate) local_bytes: u64,
}

impl<'m> InlinedCode<'m> {
    pub(crate) fn new(plain: TranslationView<'m>) -> Result<InlinedCode<'m>, BailoutReason> {
        let mut code = InlinedCode {
            plain,
            placed: Vec::new(),
            frames: vec![InlinedFrame {
                function: 0,
                depth: 0,
                stack: 0,
                entry: 0,
                call: 0,
            }],
            local_bytes: plain.local_bytes(),
        };
        code.append_function(0, None)?;
        let mut next = 0;
        while let Some(placed) = code.placed.get(next) {
            if let DecodedOp::Call(plan) = placed.instr.op
                && let Some(call) = plain.call(plan)
            {
                code.inline_call(next, call)?;
            }
            next += 1;
        }
        match code.placed.is_empty() {
            true => Err(BailoutReason::TooLarge),
            false => Ok(code),
        }
    }

    /// Appends the instructions of the function in a frame. Return instructions become branches to `returns_to`.
    fn append_function(
        &mut self,
        frame: usize,
        returns_to: Option<usize>,
    ) -> Result<(), BailoutReason> {
        let function = self.frames.get(frame).map_or(0, |frame| frame.function);
        let range = self.plain.function(function);
        let start = self.placed.len();
        let body = self.plain.all_instructions().get(range.clone());
        let body = body.unwrap_or(&[]);
        if start + body.len() > MAX_INSTRUCTIONS {
            return Err(BailoutReason::TooLarge);
        }
        for (origin, instr) in range.clone().zip(body) {
            let op = match (instr.op, returns_to) {
                (DecodedOp::Branch { target }, _) => DecodedOp::Branch {
                    target: (target as usize)
                        .wrapping_sub(range.start)
                        .wrapping_add(start) as u32,
                },
                (DecodedOp::Return, Some(place)) => DecodedOp::Branch {
                    target: place as u32,
                },
                (op, _) => op,
            };
            self.placed.push(InlinedInstruction {
                instr: DecodedInstruction { op, ..*instr },
                origin: origin as u32,
                frame,
                moves: NO_MOVES,
            });
        }
        Ok(())
    }

    /// Inlines a call: appends a branch that passes the arguments, the instructions of the called function, and a
    /// branch that passes the results.
    fn inline_call(&mut self, at: usize, call: Call<'m>) -> Result<(), BailoutReason> {
        let Some(caller) = self.placed.get(at).cloned() else {
            return Ok(());
        };
        let Some(outer) = self.frames.get(caller.frame).copied() else {
            return Ok(());
        };
        let (entry, back) = (self.placed.len(), self.placed.len() + 1);
        let stack = outer.stack + self.plain.frame_bytes(outer.function);
        let frame = InlinedFrame {
            function: call.function,
            depth: outer.depth + 1,
            stack: stack.next_multiple_of(16),
            entry,
            call: at,
        };
        if frame.depth > MAX_INLINE_DEPTH {
            return Err(BailoutReason::TooLarge);
        }
        let end = frame.stack + self.plain.frame_bytes(call.function);
        self.local_bytes = self.local_bytes.max(end.next_multiple_of(STACK_ALIGN));
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
            self.placed.push(InlinedInstruction {
                instr: DecodedInstruction::same_step_branch(target as u32),
                origin: origin as u32,
                frame: to,
                moves: CallMoves { values, from, to },
            });
        }
        if let Some(placed) = self.placed.get_mut(at) {
            placed.instr.op = DecodedOp::Branch {
                target: entry as u32,
            };
        }
        self.append_function(inner, Some(back))
    }

    pub(crate) fn len(&self) -> usize {
        self.placed.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&InlinedInstruction<'m>> {
        self.placed.get(at)
    }

    pub(crate) fn range(&self, range: std::ops::Range<usize>) -> &[InlinedInstruction<'m>] {
        self.placed.get(range).unwrap_or(&[])
    }

    pub(crate) fn all(&self) -> &[InlinedInstruction<'m>] {
        &self.placed
    }

    /// Returns the index in the decoded code of an instruction in the inlined code.
    pub(crate) fn origin(&self, at: u32) -> u32 {
        self.get(at as usize).map_or(at, |placed| placed.origin)
    }

    /// Returns the index of the frame in which the instruction at a position executes.
    pub(crate) fn frame_at(&self, at: usize) -> usize {
        self.get(at).map_or(0, |placed| placed.frame)
    }

    /// Returns the scheduling key of a position in the inlined code. The interpreter executes the lanes with the lowest
    /// key first.
    pub(crate) fn scheduler_priority(&self, at: usize) -> (Reverse<u32>, u32, bool, usize) {
        let Some(placed) = self.get(at) else {
            return (Reverse(0), u32::MAX, true, 0);
        };
        let depth = self.frames.get(placed.frame).map_or(0, |frame| frame.depth);
        // Schedule a branch that moves arguments or results before the instruction with the same origin.
        let is_own = placed.moves.from == placed.moves.to;
        (Reverse(depth), placed.origin, is_own, placed.frame)
    }

    /// Returns the register of the inlined code that a register of the decoded code denotes in a frame.
    pub(crate) fn register(&self, frame: usize, (bank, index): RegisterKey) -> RegisterKey {
        let [kernel, function] = self.plain.most_registers(bank);
        let first = match frame {
            0 => 0,
            frame => kernel + (frame as u32 - 1) * function,
        };
        (bank, first + index)
    }

    /// Returns the registers of all frames that always contain an address in local memory.
    pub(crate) fn local_addresses(&self) -> impl Iterator<Item = (RegisterKey, u64)> + '_ {
        self.frames
            .iter()
            .enumerate()
            .flat_map(move |(number, frame)| {
                let all = self.plain.frame_addresses(frame.function);
                let address = move |(register, addend): (RegisterKey, u64)| {
                    let address = frame.stack.wrapping_add(addend);
                    (self.register(number, register), address)
                };
                all.map(address)
            })
    }

    /// Returns the stack offset of the local variables in a frame.
    pub(crate) fn stack(&self, frame: usize) -> u64 {
        self.frames.get(frame).map_or(0, |frame| frame.stack)
    }

    /// Returns the minimum number of stack bytes that the interpreter has allocated while lanes execute a frame.
    pub(crate) fn stack_bytes(&self, frame: usize) -> u64 {
        let end = self.frames.get(frame).map_or(0, |frame| {
            frame.stack + self.plain.frame_bytes(frame.function)
        });
        let end = end.next_multiple_of(STACK_ALIGN);
        end.max(self.plain.local_bytes())
    }

    /// Returns the inlined functions, each with the branch to the function, its call and its registers.
    pub(crate) fn entries(&self) -> impl Iterator<Item = InlinedCallee<'_, 'm>> {
        (0..self.frames.len()).skip(1).filter_map(|frame| {
            let InlinedFrame { entry, call, .. } = *self.frames.get(frame)?;
            Some(InlinedCallee {
                at: entry,
                call: call as u32,
                code: self,
                frame,
            })
        })
    }
}

/// Inlined function, with the branch that enters it, its call and the ranges of its registers.
pub(crate) struct InlinedCallee<'c, 'm> {
    pub(crate) at: usize,
    pub(crate) call: u32,
    code: &'c InlinedCode<'m>,
    frame: usize,
}

impl InlinedCallee<'_, '_> {
    /// Checks whether a register belongs to this inlined copy of the function.
    pub(crate) fn owns(&self, (bank, index): RegisterKey) -> bool {
        let (_, first) = self.code.register(self.frame, (bank, 0));
        let [_, most] = self.code.plain.most_registers(bank);
        (first..first + most).contains(&index)
    }
}

/// Kernel to translate, and the rounding of `relaxed_madd` in the target engine.
#[derive(Clone, Copy)]
pub(crate) struct TranslationInput<'p> {
    pub(crate) plain: TranslationView<'p>,
    pub(crate) code: &'p InlinedCode<'p>,
    pub(crate) products: MaddRounding,
}
