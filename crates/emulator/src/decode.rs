//! Decoder: converts a program to decoded code. Names are resolved to slots or addresses, and instruction semantics to
//! the operations that execute them.

pub(crate) mod arithmetic;
pub(crate) mod asynchronous;
pub(crate) mod beside;
pub(crate) mod carry;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod expanded;
pub(crate) mod held;
pub(crate) mod hint;
pub(crate) mod machine;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod moves;
#[cfg(debug_assertions)]
mod operand_check;
pub(crate) mod operands;
pub(crate) mod operation;
pub(crate) mod refused;
pub(crate) mod stack;
pub(crate) mod support;
pub(crate) mod sync;
pub(crate) mod tensor_copy;
pub(crate) mod tensor_memory;
pub(crate) mod texture;
pub(crate) mod unit;
pub(crate) mod video;
pub(crate) mod warp;
pub(crate) mod warp_product;

use crate::code::held::HeldRegisters;
use crate::code::plans::PlanId;
use crate::code::*;
use crate::contract::pending::GroupKind;
use crate::semantics::registers::{BankSizes, Banks, LANES, Slot};
use crate::state::layout::{Layout, VariablePlace};
use std::collections::BTreeMap;
use warpgrid_isa::{Modifiers, ScalarType, StateSpace};
use warpgrid_program::{
    Function, FunctionId, Instruction, Operand, Program, RegisterRun, Source, SourceModifiers,
    StepPart, VariableId,
};

/// Decodes all functions that are reachable from the entry.
pub(crate) fn decode(program: &Program, layout: &Layout) -> Code {
    let mut code = Code::default();
    let mut shared = Shared {
        sizes: Vec::new(),
        indices: vec![None; program.functions.len()],
        constants: Slots::new(),
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
    // A recursive kernel needs a frame like any other called function.
    code.frame_sizes = code.frame_sizes.max(code.entry_sizes);
    code
}

/// State that the decoders of all functions share, in addition to the code.
struct Shared {
    sizes: Vec<BankSizes>,
    /// Index of each function in the functions of the code, by ID.
    indices: Vec<Option<u32>>,
    constants: Slots,
}

/// Slots by bank and value. A single map type for all purposes, because each monomorphization adds 4 KB to the
/// WebAssembly module.
type Slots = BTreeMap<(Bank, u64), Slot>;

fn bank_of(bits: u32) -> Bank {
    match bits {
        0 | 1 => Bank::Predicate,
        2..=32 => Bank::B32,
        33..=64 => Bank::B64,
        _ => Bank::B128,
    }
}

/// Assigns a slot to each register, numbered per bank.
fn place_registers(function: &Function) -> (Vec<Element>, BankSizes) {
    let mut sizes = BankSizes::default();
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
            Element {
                slot: next_slot(&mut sizes, bank),
                bank,
                bits,
            }
        })
        .collect();
    (registers, sizes)
}

fn next_slot(sizes: &mut BankSizes, bank: Bank) -> Slot {
    let n = match bank {
        Bank::B32 => &mut sizes.r32,
        Bank::B64 => &mut sizes.r64,
        Bank::B128 => &mut sizes.r128,
        Bank::Predicate => &mut sizes.predicates,
    };
    *n += 1;
    Slot::register(*n - 1)
}

/// Reason why an instruction cannot be decoded. Its execution faults.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// The instruction is not supported yet. The name, if any, is more specific than the opcode.
    NotYet(Option<String>),
    /// The front end and the decoder disagree.
    Internal(String),
}

impl Refusal {
    pub(crate) fn internal(what: String) -> Refusal {
        Refusal::Internal(what)
    }

    /// Returns the refusal for a missing modifier or part that the semantics of the instruction require.
    pub(crate) fn missing(what: &str) -> Refusal {
        Refusal::Internal(format!("missing {what} in the modifiers"))
    }
}

pub(crate) type Decoded<T> = Result<T, Refusal>;

pub(crate) struct Decoder<'a> {
    program: &'a Program,
    layout: &'a Layout,
    function: &'a Function,
    /// Index into [`Code::functions`].
    index: usize,
    code: &'a mut Code,
    shared: &'a mut Shared,
    /// Registers with stack addresses, by addend and bank.
    frame_slots: Slots,
    /// Program counter of the first operation of each instruction of the function.
    starts: Vec<u32>,
    /// Modifiers of the current instruction.
    modifiers: &'a Modifiers,
    operands: &'a [Operand],
    /// Index of the first operand of the current instruction in the operands of the function.
    first_operand: u32,
    /// Whether the instruction is part of the source. Instructions that initialize a code snippet are not.
    is_of_text: bool,
    reads_clock: bool,
    /// For each register, whether it belongs to an asynchronous `wgmma`.
    is_held: Vec<bool>,
    /// Operations that execute before the instruction in the same step, and compute sources that it cannot read
    /// directly.
    before: Vec<Op>,
    /// Operations that execute after the instruction in the same step.
    after: Vec<Op>,
}

static NO_MODIFIERS: std::sync::LazyLock<Modifiers> = std::sync::LazyLock::new(Modifiers::default);

impl<'a> Decoder<'a> {
    fn new(
        program: &'a Program,
        layout: &'a Layout,
        function: &'a Function,
        index: usize,
        code: &'a mut Code,
        shared: &'a mut Shared,
    ) -> Decoder<'a> {
        Decoder {
            program,
            layout,
            function,
            index,
            code,
            shared,
            frame_slots: Slots::new(),
            starts: Vec::with_capacity(function.instructions.len() + 1),
            modifiers: &NO_MODIFIERS,
            operands: &[],
            first_operand: 0,
            is_of_text: true,
            reads_clock: false,
            is_held: held::held_by_any(program, function),
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    fn function(mut self) {
        let first_table = self.code.branch_tables.len();
        for (origin, instruction) in self.function.instructions.iter().enumerate() {
            self.instruction(origin as u32, instruction);
        }
        // A function without a final `ret` returns.
        self.reads_clock = false;
        let origin = self.starts.len() as u32;
        self.starts.push(self.code.instructions.len() as u32);
        self.push(Op::Return, None, origin, StepPart::Whole);
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
        self.is_of_text = instruction.step == StepPart::Whole || span.start < span.end;
        let op = match self.program.action(instruction) {
            Some(action) => {
                self.modifiers = &action.modifiers;
                operation::operation(self, action)
                    .unwrap_or_else(|refusal| self.refuse(refusal, &action.opcode))
            }
            None => self.refuse(Refusal::missing("action"), "an instruction"),
        };
        let mut op = op;
        let mut guard = None;
        if let Some(found) = instruction.guard {
            let source = Source::Register(RegisterRun::one(found.predicate));
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

    /// Inserts a check, in the same step, whether registers of the instruction belong to a pending `wgmma`.
    fn push_touch(&mut self, guard: Option<(Slot, bool)>, origin: u32) {
        if !self.is_held.contains(&true) {
            return;
        }
        let place = origin as usize;
        let touched = held::touched(self.program, self.function, place, &self.is_held);
        if !touched.is_empty() {
            let op = Op::Touch(self.code.touched.add(touched));
            self.push(op, guard, origin, StepPart::WithNext);
        }
    }

    /// Appends an instruction with the operations before and after it in the same step. The operations before it modify
    /// only hidden registers, so they need no guard.
    fn push_all(&mut self, op: Op, guard: Option<(Slot, bool)>, origin: u32, step: StepPart) {
        for op in std::mem::take(&mut self.before) {
            self.push(op, None, origin, StepPart::WithNext);
        }
        let after = std::mem::take(&mut self.after);
        let n_after = after.len();
        let part = |is_last: bool| if is_last { step } else { StepPart::WithNext };
        self.push(op, guard, origin, part(n_after == 0));
        for (i, op) in after.into_iter().enumerate() {
            self.push(op, guard, origin, part(i + 1 == n_after));
        }
    }

    fn push(&mut self, op: Op, guard: Option<(Slot, bool)>, origin: u32, step: StepPart) {
        self.code.instructions.push(Instr {
            op,
            guard: guard.map_or(Slot::NONE, |(slot, _)| slot),
            negated: guard.is_some_and(|(_, negated)| negated),
            is_plain: guard.is_none() && !self.reads_clock,
            reads_clock: self.reads_clock,
            with_next: step == StepPart::WithNext,
        });
        self.code.origins.push(origin);
    }

    /// Resolves branch targets. During decoding, branches contain instruction indices of the function.
    fn place_targets(&mut self, first_table: usize) {
        let starts = &self.starts;
        let end = starts.last().copied().unwrap_or(0);
        let place =
            |target: &mut u32| *target = starts.get(*target as usize).copied().unwrap_or(end);
        let first = starts.first().map_or(0, |start| *start as usize);
        for instr in self.code.instructions.iter_mut().skip(first) {
            if let Op::Branch { target } | Op::BranchDivergent { target, .. } = &mut instr.op {
                place(target);
            }
        }
        if let Some(machine) = &self.function.machine {
            let code = machine.addresses.iter().zip(starts);
            let places = code.map(|(address, start)| (*address, *start));
            self.code.addresses.extend(places);
            // Program instructions that were lowered from the same SASS instruction share its address.
            self.code.addresses.dedup_by_key(|(address, _)| *address);
        }
        for table in self.code.branch_tables.after_mut(first_table) {
            table.iter_mut().for_each(place);
        }
    }

    fn refuse(&mut self, refusal: Refusal, opcode: &str) -> Op {
        self.before.clear();
        self.after.clear();
        let origin = self.starts.len().saturating_sub(1) as u32;
        let machine = self.function.machine.as_deref();
        let mut not_run = machine.into_iter().flat_map(|machine| &machine.not_run);
        let why = not_run.find(|(at, _)| *at == origin);
        Op::Refused(self.code.refused.add(match refusal {
            Refusal::NotYet(name) => Refused::NotEmulated {
                opcode: name.unwrap_or_else(|| opcode.to_owned()),
                why: why.map(|(_, why)| why.clone()),
            },
            Refusal::Internal(what) => Refused::Internal {
                what: format!("`{opcode}`: {what}"),
            },
        }))
    }

    /// Decodes the commit of an asynchronous group, and records its kind.
    fn commit(&mut self, kind: GroupKind) -> Op {
        if !self.code.made_groups.contains(&kind) {
            self.code.made_groups.push(kind);
        }
        Op::AsyncCommit(kind)
    }

    /// Returns the registers that the current `wgmma` accesses while it is pending.
    fn held(&self) -> HeldRegisters {
        let origin = self.starts.len() - 1;
        let instruction = self.function.instructions.get(origin);
        instruction.map_or_else(Default::default, |instruction| {
            held::held(self.program, self.function, instruction)
        })
    }

    /// Returns the index of a function in the functions of the code.
    fn function_index(&self, id: FunctionId) -> Option<u32> {
        self.shared.indices.get(id.0 as usize).copied().flatten()
    }

    /// Allocates a hidden register, which the source cannot name.
    fn hidden(&mut self, bits: u32) -> Element {
        let bank = bank_of(bits);
        let slot = match self.shared.sizes.get_mut(self.index) {
            Some(sizes) => next_slot(sizes, bank),
            None => Slot::NONE,
        };
        Element { slot, bank, bits }
    }

    /// Returns the location and the state space of a variable.
    fn variable(&self, id: VariableId) -> Decoded<(VariablePlace, StateSpace)> {
        match id {
            VariableId::Module(index) => {
                let index = index as usize;
                let missing = || Refusal::missing("variable");
                let variable = self.program.variables.get(index).ok_or_else(missing)?;
                let address = self.layout.module.get(index).ok_or_else(missing)?;
                Ok((VariablePlace::Fixed(*address), variable.space))
            }
            VariableId::Function(index) => {
                let variable = self
                    .function
                    .variables
                    .get(index as usize)
                    .ok_or_else(|| Refusal::missing("variable"))?;
                let places = self
                    .code
                    .functions
                    .get(self.index)
                    .and_then(|f| self.layout.functions.get(f.id.0 as usize));
                let place = places
                    .and_then(|places| places.get(index as usize))
                    .ok_or_else(|| Refusal::missing("variable"))?;
                Ok((*place, variable.space))
            }
        }
    }

    /// Returns a hidden register that contains a stack address of the frame.
    fn frame_address(&mut self, addend: u64, bank: Bank) -> Slot {
        if let Some(slot) = self.frame_slots.get(&(bank, addend)) {
            return *slot;
        }
        let slot = self.hidden(if bank == Bank::B64 { 64 } else { 32 }).slot;
        self.frame_slots.insert((bank, addend), slot);
        if let Some(function) = self.code.functions.get_mut(self.index) {
            function
                .frame_addresses
                .push(FrameAddress { slot, bank, addend });
        }
        slot
    }

    /// Returns a constant slot in the bank of this width. Constants narrower than 32 bits are zero-extended.
    fn constant(&mut self, value: u64, bits: u32) -> Slot {
        let bank = bank_of(bits);
        let value = match bank {
            Bank::Predicate => value & 1,
            Bank::B32 => value & u64::from(u32::MAX >> (32 - bits)),
            Bank::B64 | Bank::B128 => value,
        };
        if let Some(slot) = self.shared.constants.get(&(bank, value)) {
            return *slot;
        }
        let Banks {
            r32,
            r64,
            r128,
            predicates,
        } = &mut self.code.constants;
        let index = match bank {
            Bank::Predicate => {
                predicates.push(if value == 0 { 0 } else { u32::MAX });
                predicates.len() - 1
            }
            Bank::B32 => {
                r32.push([value as u32; LANES]);
                r32.len() - 1
            }
            Bank::B64 => {
                r64.push([value; LANES]);
                r64.len() - 1
            }
            Bank::B128 => {
                r128.push([u128::from(value); LANES]);
                r128.len() - 1
            }
        };
        let slot = Slot::constant(index as u32);
        self.shared.constants.insert((bank, value), slot);
        slot
    }

    /// Adds an element list for [`Op::Pack`] or [`Op::Unpack`].
    fn pack(&mut self, elements: Vec<Element>) -> PlanId<Vec<Element>> {
        self.code.packs.add(elements)
    }
}
