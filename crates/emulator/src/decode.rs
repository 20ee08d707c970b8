//! Decoder: converts a program to decoded code. The decoder resolves names to operand slots or addresses, and selects
//! the operations that implement each instruction.

pub(crate) mod arithmetic;
pub(crate) mod asynchronous;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod data_movement;
pub(crate) mod dispatch;
pub(crate) mod extended_precision;
pub(crate) mod functional_unit;
pub(crate) mod hint;
pub(crate) mod in_flight_registers;
pub(crate) mod legalization;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
#[cfg(debug_assertions)]
mod operand_check;
pub(crate) mod operands;
pub(crate) mod sass;
pub(crate) mod stack;
pub(crate) mod support;
pub(crate) mod sync;
pub(crate) mod tensor_copy;
pub(crate) mod tensor_memory;
pub(crate) mod texture;
pub(crate) mod unit_ops;
pub(crate) mod unsupported;
pub(crate) mod video;
pub(crate) mod warp;
pub(crate) mod warpgroup_mma;

use crate::code::held::InFlightRegisters;
use crate::code::plan_table::PlanId;
use crate::code::*;
use crate::contract::pending::AsyncGroupKind;
use crate::semantics::registers::{LANES, OperandSlot, RegisterFile, RegisterFileSizes};
use crate::state::memory_layout::{MemoryLayout, VariableLocation};
use std::collections::BTreeMap;
use warpgrid_isa::{Modifiers, ScalarType, StateSpace};
use warpgrid_program::{
    Function, FunctionId, Instruction, Operand, Program, RegisterTuple, Source, SourceModifiers,
    StepGrouping, VariableId,
};

/// Decodes all functions that are reachable from the entry function.
pub(crate) fn decode(program: &Program, layout: &MemoryLayout) -> DecodedCode {
    let mut code = DecodedCode::default();
    let mut shared = DecoderState {
        sizes: Vec::new(),
        indices: vec![None; program.functions.len()],
        constants: SlotMap::new(),
    };
    for (index, id) in layout.reachable.iter().enumerate() {
        let Some(function) = program.functions.get(id.0 as usize) else {
            continue;
        };
        let (registers, sizes) = place_registers(function);
        code.functions.push(FunctionCode {
            id: *id,
            start: 0,
            frame_bytes: layout.frame_bytes.get(id.0 as usize).copied().unwrap_or(0),
            frame_addresses: Vec::new(),
            registers,
        });
        shared.sizes.push(sizes);
        if let Some(place) = shared.indices.get_mut(id.0 as usize) {
            *place = Some(index as u32);
        }
    }
    for (index, id) in layout.reachable.iter().enumerate() {
        let Some(function) = program.functions.get(id.0 as usize) else {
            continue;
        };
        let start = code.instructions.len() as u32;
        if let Some(place) = code.functions.get_mut(index) {
            place.start = start;
        }
        Decoder::new(program, layout, function, index, &mut code, &mut shared).function();
    }
    code.entry_sizes = shared.sizes.first().copied().unwrap_or_default();
    for sizes in shared.sizes.iter().skip(1) {
        code.frame_sizes = code.frame_sizes.max(*sizes);
    }
    // Include the frame size of the kernel itself, because a recursive kernel requires a stack frame like any other
    // called function.
    code.frame_sizes = code.frame_sizes.max(code.entry_sizes);
    code
}

/// State that is shared by the decoders of all functions, in addition to the decoded code.
struct DecoderState {
    sizes: Vec<RegisterFileSizes>,
    /// Index of each function in [`DecodedCode::functions`], by function ID, or `None` for unreachable functions.
    indices: Vec<Option<u32>>,
    constants: SlotMap,
}

/// Map from a register bank and a value to the slot that contains the value. All slot maps have this type, because each
/// additional monomorphization adds 4 KB to the WebAssembly module.
type SlotMap = BTreeMap<(RegisterBank, u64), OperandSlot>;

fn bank_of(bits: u32) -> RegisterBank {
    match bits {
        0 | 1 => RegisterBank::Predicate,
        2..=32 => RegisterBank::B32,
        33..=64 => RegisterBank::B64,
        _ => RegisterBank::B128,
    }
}

/// Assigns a slot to each register of a function. The registers of each bank are numbered separately.
fn place_registers(function: &Function) -> (Vec<RegisterOperand>, RegisterFileSizes) {
    let mut sizes = RegisterFileSizes::default();
    let registers = function
        .registers
        .iter()
        .map(|register| {
            let bits = if register.ty == ScalarType::Pred {
                1
            } else {
                register.ty.width_bits().max(8)
            };
            let bank = bank_of(bits);
            RegisterOperand {
                slot: next_slot(&mut sizes, bank),
                bank,
                bits,
            }
        })
        .collect();
    (registers, sizes)
}

fn next_slot(sizes: &mut RegisterFileSizes, bank: RegisterBank) -> OperandSlot {
    let n = match bank {
        RegisterBank::B32 => &mut sizes.r32,
        RegisterBank::B64 => &mut sizes.r64,
        RegisterBank::B128 => &mut sizes.r128,
        RegisterBank::Predicate => &mut sizes.predicates,
    };
    *n += 1;
    OperandSlot::register(*n - 1)
}

/// Reason why an instruction cannot be decoded. The execution of an instruction that cannot be decoded faults.
#[derive(Clone, Debug)]
pub(crate) enum DecodeError {
    /// The emulator does not support the instruction. The string is a description that is more specific than the
    /// opcode.
    NotYet(Option<String>),
    /// The instruction does not have the form that the decoder expects from the front end.
    Internal(String),
}

impl DecodeError {
    pub(crate) fn internal(what: String) -> DecodeError {
        DecodeError::Internal(what)
    }

    /// Returns the error for a modifier or operand that the semantics of the instruction require, but that is missing.
    pub(crate) fn missing(what: &str) -> DecodeError {
        DecodeError::Internal(format!("missing {what} in the modifiers"))
    }
}

pub(crate) type DecodeResult<T> = Result<T, DecodeError>;

pub(crate) struct Decoder<'a> {
    program: &'a Program,
    layout: &'a MemoryLayout,
    function: &'a Function,
    /// Index of the decoded function in [`DecodedCode::functions`].
    index: usize,
    code: &'a mut DecodedCode,
    shared: &'a mut DecoderState,
    /// Hidden registers that contain stack addresses, by register bank and addend.
    frame_slots: SlotMap,
    /// Program counter of the first operation of each instruction of the function.
    starts: Vec<u32>,
    /// Modifiers of the current instruction.
    modifiers: &'a Modifiers,
    operands: &'a [Operand],
    /// Index of the current instruction's first operand among the operands of the function.
    first_operand: u32,
    /// Whether the current instruction is part of the source. Instructions that initialize the registers of a code
    /// snippet are not part of the source.
    is_of_text: bool,
    reads_clock: bool,
    /// For each register, whether any asynchronous `wgmma` uses it.
    is_held: Vec<bool>,
    /// Operations that execute in the same step before the instruction and compute sources that the instruction cannot
    /// read directly.
    before: Vec<DecodedOp>,
    /// Operations that execute in the same step after the instruction.
    after: Vec<DecodedOp>,
}

static NO_MODIFIERS: std::sync::LazyLock<Modifiers> = std::sync::LazyLock::new(Modifiers::default);

impl<'a> Decoder<'a> {
    fn new(
        program: &'a Program,
        layout: &'a MemoryLayout,
        function: &'a Function,
        index: usize,
        code: &'a mut DecodedCode,
        shared: &'a mut DecoderState,
    ) -> Decoder<'a> {
        Decoder {
            program,
            layout,
            function,
            index,
            code,
            shared,
            frame_slots: SlotMap::new(),
            starts: Vec::with_capacity(function.instructions.len() + 1),
            modifiers: &NO_MODIFIERS,
            operands: &[],
            first_operand: 0,
            is_of_text: true,
            reads_clock: false,
            is_held: in_flight_registers::held_by_any(program, function),
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    fn function(mut self) {
        let first_table = self.code.branch_tables.len();
        for (origin, instruction) in self.function.instructions.iter().enumerate() {
            self.instruction(origin as u32, instruction);
        }
        // Append a return, because a function returns at its end even if its last instruction is not `ret`.
        self.reads_clock = false;
        let origin = self.starts.len() as u32;
        self.starts.push(self.code.instructions.len() as u32);
        self.push(DecodedOp::Return, None, origin, StepGrouping::Whole);
        self.place_targets(first_table);
    }

    fn instruction(&mut self, origin: u32, instruction: &'a Instruction) {
        self.starts.push(self.code.instructions.len() as u32);
        self.reads_clock = false;
        self.before.clear();
        self.after.clear();
        self.operands = self.function.operands_of(instruction.operands);
        self.first_operand = instruction.operands.start;
        let span = instruction.span;
        self.is_of_text = instruction.step == StepGrouping::Whole || span.start < span.end;
        let op = match self.program.opcode(instruction) {
            Some(action) => {
                self.modifiers = &action.modifiers;
                dispatch::operation(self, action)
                    .unwrap_or_else(|refusal| self.refuse(refusal, &action.opcode))
            }
            None => self.refuse(DecodeError::missing("action"), "an instruction"),
        };
        let mut op = op;
        let mut guard = None;
        if let Some(found) = instruction.guard {
            let source = Source::Register(RegisterTuple::one(found.predicate));
            match self.read(source, SourceModifiers::NONE, 1) {
                Ok(element) => guard = Some((element.slot, found.negated)),
                Err(refusal) => op = self.refuse(refusal, "a guard"),
            }
        }
        self.push_touch(guard, origin);
        self.push_all(op, guard, origin, instruction.step);
        #[cfg(debug_assertions)]
        assert_eq!(self.operand_mismatch(instruction), None);
    }

    /// Inserts a check in the same step that detects registers of a pending `wgmma` among the registers of the
    /// instruction.
    fn push_touch(&mut self, guard: Option<(OperandSlot, bool)>, origin: u32) {
        if !self.is_held.contains(&true) {
            return;
        }
        let place = origin as usize;
        let touched =
            in_flight_registers::touched(self.program, self.function, place, &self.is_held);
        if !touched.is_empty() {
            let op = DecodedOp::CheckInFlight(self.code.touched.add(touched));
            self.push(op, guard, origin, StepGrouping::WithNext);
        }
    }

    /// Appends an instruction, together with the operations before and after it in the same step. The operations before
    /// it need no guard, because they modify only hidden registers.
    fn push_all(
        &mut self,
        op: DecodedOp,
        guard: Option<(OperandSlot, bool)>,
        origin: u32,
        step: StepGrouping,
    ) {
        for op in std::mem::take(&mut self.before) {
            self.push(op, None, origin, StepGrouping::WithNext);
        }
        let after = std::mem::take(&mut self.after);
        let n_after = after.len();
        let part = |is_last: bool| {
            if is_last {
                step
            } else {
                StepGrouping::WithNext
            }
        };
        self.push(op, guard, origin, part(n_after == 0));
        for (i, op) in after.into_iter().enumerate() {
            self.push(op, guard, origin, part(i + 1 == n_after));
        }
    }

    fn push(
        &mut self,
        op: DecodedOp,
        guard: Option<(OperandSlot, bool)>,
        origin: u32,
        step: StepGrouping,
    ) {
        self.code.instructions.push(DecodedInstruction {
            op,
            guard: guard.map_or(OperandSlot::NONE, |(slot, _)| slot),
            negated: guard.is_some_and(|(_, negated)| negated),
            is_plain: guard.is_none() && !self.reads_clock,
            reads_clock: self.reads_clock,
            continues_bundle: step == StepGrouping::WithNext,
        });
        self.code.origins.push(origin);
    }

    /// Resolves branch targets to program counters. During decoding, branches contain instruction indices within the
    /// function.
    fn place_targets(&mut self, first_table: usize) {
        let starts = &self.starts;
        let end = starts.last().copied().unwrap_or(0);
        let place =
            |target: &mut u32| *target = starts.get(*target as usize).copied().unwrap_or(end);
        let first = starts.first().map_or(0, |start| *start as usize);
        for instr in self.code.instructions.iter_mut().skip(first) {
            if let DecodedOp::Branch { target } | DecodedOp::BranchDivergent { target, .. } =
                &mut instr.op
            {
                place(target);
            }
        }
        if let Some(machine) = &self.function.machine {
            let code = machine.addresses.iter().zip(starts);
            let places = code.map(|(address, start)| (*address, *start));
            self.code.addresses.extend(places);
            // Remove duplicates, because several program instructions that were lowered from one SASS instruction have
            // the same address.
            self.code.addresses.dedup_by_key(|(address, _)| *address);
        }
        for table in self.code.branch_tables.after_mut(first_table) {
            table.iter_mut().for_each(place);
        }
    }

    fn refuse(&mut self, refusal: DecodeError, opcode: &str) -> DecodedOp {
        self.before.clear();
        self.after.clear();
        let origin = self.starts.len().saturating_sub(1) as u32;
        let machine = self.function.machine.as_deref();
        let mut not_run = machine.into_iter().flat_map(|machine| &machine.not_run);
        let reason = not_run.find(|(at, _)| *at == origin);
        DecodedOp::Unsupported(self.code.refused.add(match refusal {
            DecodeError::NotYet(name) => UnsupportedReason::NotEmulated {
                opcode: name.unwrap_or_else(|| opcode.to_owned()),
                why: reason.map(|(_, reason)| reason.clone()),
            },
            DecodeError::Internal(what) => UnsupportedReason::Internal {
                what: format!("`{opcode}`: {what}"),
            },
        }))
    }

    /// Decodes the commit of an async-group, and records the kind of the group.
    fn commit(&mut self, kind: AsyncGroupKind) -> DecodedOp {
        if !self.code.made_groups.contains(&kind) {
            self.code.made_groups.push(kind);
        }
        DecodedOp::AsyncCommit(kind)
    }

    /// Returns the registers that the current `wgmma` uses while it is pending.
    fn held(&self) -> InFlightRegisters {
        let origin = self.starts.len() - 1;
        let instruction = self.function.instructions.get(origin);
        instruction.map_or_else(Default::default, |instruction| {
            in_flight_registers::held(self.program, self.function, instruction)
        })
    }

    /// Returns the index of a function in [`DecodedCode::functions`].
    fn function_index(&self, id: FunctionId) -> Option<u32> {
        self.shared.indices.get(id.0 as usize).copied().flatten()
    }

    /// Allocates a hidden register, which the source cannot name.
    fn hidden(&mut self, bits: u32) -> RegisterOperand {
        let bank = bank_of(bits);
        let slot = match self.shared.sizes.get_mut(self.index) {
            Some(sizes) => next_slot(sizes, bank),
            None => OperandSlot::NONE,
        };
        RegisterOperand { slot, bank, bits }
    }

    /// Returns the location and the state space of a variable.
    fn variable(&self, id: VariableId) -> DecodeResult<(VariableLocation, StateSpace)> {
        match id {
            VariableId::Module(index) => {
                let index = index as usize;
                let missing = || DecodeError::missing("variable");
                let variable = self.program.variables.get(index).ok_or_else(missing)?;
                let address = self.layout.module.get(index).ok_or_else(missing)?;
                Ok((VariableLocation::Fixed(*address), variable.space))
            }
            VariableId::Function(index) => {
                let variable = self
                    .function
                    .variables
                    .get(index as usize)
                    .ok_or_else(|| DecodeError::missing("variable"))?;
                let places = self
                    .code
                    .functions
                    .get(self.index)
                    .and_then(|f| self.layout.functions.get(f.id.0 as usize));
                let place = places
                    .and_then(|places| places.get(index as usize))
                    .ok_or_else(|| DecodeError::missing("variable"))?;
                Ok((*place, variable.space))
            }
        }
    }

    /// Returns a hidden register that contains the stack address at an offset in the stack frame.
    fn frame_address(&mut self, addend: u64, bank: RegisterBank) -> OperandSlot {
        if let Some(slot) = self.frame_slots.get(&(bank, addend)) {
            return *slot;
        }
        let slot = self
            .hidden(if bank == RegisterBank::B64 { 64 } else { 32 })
            .slot;
        self.frame_slots.insert((bank, addend), slot);
        if let Some(function) = self.code.functions.get_mut(self.index) {
            function
                .frame_addresses
                .push(StackAddressRegister { slot, bank, addend });
        }
        slot
    }

    /// Returns the slot of a constant in the register bank of the given width. Constants narrower than 32 bits are
    /// zero-extended.
    fn constant(&mut self, value: u64, bits: u32) -> OperandSlot {
        let bank = bank_of(bits);
        let value = match bank {
            RegisterBank::Predicate => value & 1,
            RegisterBank::B32 => value & u64::from(u32::MAX >> (32 - bits)),
            RegisterBank::B64 | RegisterBank::B128 => value,
        };
        if let Some(slot) = self.shared.constants.get(&(bank, value)) {
            return *slot;
        }
        let RegisterFile {
            r32,
            r64,
            r128,
            predicates,
        } = &mut self.code.constants;
        let index = match bank {
            RegisterBank::Predicate => {
                predicates.push(if value == 0 { 0 } else { u32::MAX });
                predicates.len() - 1
            }
            RegisterBank::B32 => {
                r32.push([value as u32; LANES]);
                r32.len() - 1
            }
            RegisterBank::B64 => {
                r64.push([value; LANES]);
                r64.len() - 1
            }
            RegisterBank::B128 => {
                r128.push([u128::from(value); LANES]);
                r128.len() - 1
            }
        };
        let slot = OperandSlot::constant(index as u32);
        self.shared.constants.insert((bank, value), slot);
        slot
    }

    /// Adds an element list for [`DecodedOp::Pack`] or [`DecodedOp::Unpack`].
    fn pack(&mut self, elements: Vec<RegisterOperand>) -> PlanId<Vec<RegisterOperand>> {
        self.code.packs.add(elements)
    }
}
