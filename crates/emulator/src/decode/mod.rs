//! Program to code: every name becomes a slot or an address, every operation the variant that runs it.

mod arithmetic;
pub(crate) mod code;
mod control;
mod data;
mod memory;
mod operation;

use crate::decode::code::*;
use crate::state::layout::{Layout, VariablePlace};
use crate::state::registers::{BankSizes, LANES, Slot};
use std::collections::HashMap;
use warpgrid_isa::{ScalarType, SpecialRegister, StateSpace};
use warpgrid_program::{
    Address, AddressBase, Function, FunctionId, Instruction, Program, RegisterId, Source,
    VariableId,
};

/// Decodes all that the entry can reach.
pub(crate) fn decode(program: &Program, layout: &Layout) -> Code {
    let mut code = Code::default();
    let mut shared = Shared::default();
    let mut start = 0;
    for (index, id) in layout.reachable.iter().enumerate() {
        let Some(function) = program.functions.get(id.0 as usize) else {
            continue;
        };
        let (registers, sizes) = place_registers(function);
        code.functions.push(FunctionCode {
            id: *id,
            start,
            frame_bytes: layout.frame_bytes.get(id.0 as usize).copied().unwrap_or(0),
            frame_addresses: Vec::new(),
            registers,
        });
        shared.sizes.push(sizes);
        shared.indices.insert(*id, index as u32);
        start += function.instructions.len() as u32 + 1;
    }
    for (index, id) in layout.reachable.iter().enumerate() {
        let Some(function) = program.functions.get(id.0 as usize) else {
            continue;
        };
        let mut decoder = Decoder {
            program,
            layout,
            function,
            index,
            start: code.functions[index].start,
            code: &mut code,
            shared: &mut shared,
            frame_slots: HashMap::new(),
            reads_clock: false,
        };
        for instruction in &function.instructions {
            decoder.instruction(instruction);
        }
        // A function that ends without `ret` returns.
        decoder.push(Op::Return, None);
    }
    code.entry_sizes = shared.sizes.first().copied().unwrap_or_default();
    for sizes in shared.sizes.iter().skip(1) {
        code.frame_sizes = code.frame_sizes.max(*sizes);
    }
    // A kernel that calls itself has a frame like a function's.
    code.frame_sizes = code.frame_sizes.max(code.entry_sizes);
    code
}

/// What all functions' decoders share beside the code.
#[derive(Default)]
struct Shared {
    sizes: Vec<BankSizes>,
    indices: HashMap<FunctionId, u32>,
    constants32: HashMap<u32, Slot>,
    constants64: HashMap<u64, Slot>,
    constants128: HashMap<u64, Slot>,
    predicates: HashMap<bool, Slot>,
    specials32: HashMap<SpecialRegister, Slot>,
    specials64: HashMap<SpecialRegister, Slot>,
}

fn bank_of(bits: u32) -> Bank {
    match bits {
        0 | 1 => Bank::Predicate,
        2..=32 => Bank::B32,
        33..=64 => Bank::B64,
        _ => Bank::B128,
    }
}

/// One slot a register, counted bank by bank.
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

/// Why an operation has no decoded form: it is refused when it would be executed.
pub(crate) struct Unsupported;

pub(crate) type Decoded<T> = Result<T, Unsupported>;

pub(crate) struct Decoder<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    pub(crate) function: &'a Function,
    /// Into [`Code::functions`].
    pub(crate) index: usize,
    start: u32,
    pub(crate) code: &'a mut Code,
    shared: &'a mut Shared,
    /// Registers that hold stack addresses, by addend and bank.
    frame_slots: HashMap<(u64, bool), Slot>,
    reads_clock: bool,
}

impl Decoder<'_> {
    fn instruction(&mut self, instruction: &Instruction) {
        self.reads_clock = false;
        let op = operation::operation(self, &instruction.operation);
        let op =
            op.unwrap_or_else(|Unsupported| self.refuse("operands of these widths".to_owned()));
        let guard = match instruction.guard {
            None => None,
            Some(guard) => match self.predicate(Source::Register(guard.predicate)) {
                Ok(slot) => Some((slot, guard.negated)),
                Err(Unsupported) => None,
            },
        };
        self.push(op, guard);
    }

    fn push(&mut self, op: Op, guard: Option<(Slot, bool)>) {
        self.code.instructions.push(Instr {
            op,
            guard: guard.map_or(Slot::NONE, |(slot, _)| slot),
            negated: guard.is_some_and(|(_, negated)| negated),
            reads_clock: self.reads_clock,
            with_next: false,
        });
    }

    pub(crate) fn refuse(&mut self, opcode: String) -> Op {
        self.code.refused.push(opcode);
        Op::Refused(self.code.refused.len() as u32 - 1)
    }

    /// The place in the code of an instruction of this function.
    pub(crate) fn pc(&self, instruction: u32) -> u32 {
        self.start + instruction.min(self.function.instructions.len() as u32)
    }

    /// Index into the code's functions.
    pub(crate) fn function_index(&self, id: FunctionId) -> Option<u32> {
        self.shared.indices.get(&id).copied()
    }

    /// A register with its bank.
    pub(crate) fn register(&self, id: RegisterId) -> Decoded<Element> {
        self.code
            .functions
            .get(self.index)
            .and_then(|f| f.registers.get(id.0 as usize))
            .copied()
            .ok_or(Unsupported)
    }

    /// Registers, and sinks.
    fn elements(&self, ids: &[Option<RegisterId>]) -> Decoded<Vec<Element>> {
        let element =
            |id: &Option<RegisterId>| id.map_or(Ok(Element::SINK), |id| self.register(id));
        ids.iter().map(element).collect()
    }

    /// A destination in the bank of this width.
    pub(crate) fn target(&self, id: RegisterId, bits: u32) -> Decoded<Slot> {
        let element = self.register(id)?;
        if element.bank == bank_of(bits) {
            Ok(element.slot)
        } else {
            Err(Unsupported)
        }
    }

    /// A destination that may be missing.
    pub(crate) fn target_or_none(&self, id: Option<RegisterId>, bits: u32) -> Decoded<Slot> {
        id.map_or(Ok(Slot::NONE), |id| self.target(id, bits))
    }

    pub(crate) fn predicate(&mut self, source: Source) -> Decoded<Slot> {
        self.source(source, 1)
    }

    /// A source in the bank of this width.
    pub(crate) fn source(&mut self, source: Source, bits: u32) -> Decoded<Slot> {
        let element = self.element(source, bits)?;
        if element.bank == bank_of(bits) {
            Ok(element.slot)
        } else {
            Err(Unsupported)
        }
    }

    /// A source in whatever bank its register is; other sources take this width.
    pub(crate) fn element(&mut self, source: Source, bits: u32) -> Decoded<Element> {
        let value = match source {
            Source::Register(id) => return self.register(id),
            Source::Sink => return Ok(Element::SINK),
            Source::Immediate(value) => value,
            Source::Special(special) => return Ok(self.special(special, bits)),
            Source::FunctionAddress(id) => self.layout.function_address(id),
            Source::VariableAddress {
                variable,
                offset,
                generic,
            } => match self.variable(variable)? {
                (VariablePlace::Fixed(address), space) => {
                    let address = address.wrapping_add_signed(offset);
                    if generic {
                        self.layout.generic(space, address)
                    } else {
                        address
                    }
                }
                (VariablePlace::Frame(start), _) => {
                    let addend = u64::from(start).wrapping_add_signed(offset);
                    let window = if generic { self.layout.map.local } else { 0 };
                    let slot = self.frame_address(addend.wrapping_add(window), bits > 32);
                    return Ok(Element {
                        slot,
                        bank: bank_of(bits),
                        bits,
                    });
                }
            },
        };
        Ok(Element {
            slot: self.constant(value, bits),
            bank: bank_of(bits),
            bits,
        })
    }

    /// Where a variable is, and in which space.
    pub(crate) fn variable(&self, id: VariableId) -> Decoded<(VariablePlace, StateSpace)> {
        match id {
            VariableId::Module(index) => {
                let index = index as usize;
                let variable = self.program.variables.get(index).ok_or(Unsupported)?;
                let address = self.layout.module.get(index).ok_or(Unsupported)?;
                Ok((VariablePlace::Fixed(*address), variable.space))
            }
            VariableId::Function(index) => {
                let variable = self
                    .function
                    .variables
                    .get(index as usize)
                    .ok_or(Unsupported)?;
                let places = self
                    .code
                    .functions
                    .get(self.index)
                    .and_then(|f| self.layout.functions.get(f.id.0 as usize));
                let place = places
                    .and_then(|places| places.get(index as usize))
                    .ok_or(Unsupported)?;
                Ok((*place, variable.space))
            }
        }
    }

    /// A hidden register that holds a stack address of the frame.
    pub(crate) fn frame_address(&mut self, addend: u64, wide: bool) -> Slot {
        if let Some(slot) = self.frame_slots.get(&(addend, wide)) {
            return *slot;
        }
        let bank = if wide { Bank::B64 } else { Bank::B32 };
        let slot = next_slot(&mut self.shared.sizes[self.index], bank);
        self.frame_slots.insert((addend, wide), slot);
        self.code.functions[self.index]
            .frame_addresses
            .push(FrameAddress { slot, bank, addend });
        slot
    }

    /// A constant in the bank of this width; 16-bit ones have zeros above.
    pub(crate) fn constant(&mut self, value: u64, bits: u32) -> Slot {
        let constants = &mut self.code.constants;
        match bank_of(bits) {
            Bank::Predicate => *self
                .shared
                .predicates
                .entry(value & 1 != 0)
                .or_insert_with(|| {
                    constants
                        .predicates
                        .push(if value & 1 != 0 { u32::MAX } else { 0 });
                    Slot::constant(constants.predicates.len() as u32 - 1)
                }),
            Bank::B32 => {
                let value = (value as u32) & (u32::MAX >> (32 - bits));
                *self.shared.constants32.entry(value).or_insert_with(|| {
                    constants.r32.push([value; LANES]);
                    Slot::constant(constants.r32.len() as u32 - 1)
                })
            }
            Bank::B64 => *self.shared.constants64.entry(value).or_insert_with(|| {
                constants.r64.push([value; LANES]);
                Slot::constant(constants.r64.len() as u32 - 1)
            }),
            Bank::B128 => *self.shared.constants128.entry(value).or_insert_with(|| {
                constants.r128.push([u128::from(value); LANES]);
                Slot::constant(constants.r128.len() as u32 - 1)
            }),
        }
    }

    fn special(&mut self, special: SpecialRegister, bits: u32) -> Element {
        use SpecialRegister as S;
        if matches!(
            special,
            S::Clock
                | S::ClockHi
                | S::Clock64
                | S::Globaltimer
                | S::GlobaltimerLo
                | S::GlobaltimerHi
        ) {
            self.reads_clock = true;
        }
        if bits > 32 {
            let list = &mut self.code.specials64;
            let slot = *self.shared.specials64.entry(special).or_insert_with(|| {
                list.push(special);
                Slot::special(list.len() as u32 - 1)
            });
            Element {
                slot,
                bank: Bank::B64,
                bits: 64,
            }
        } else {
            let list = &mut self.code.specials32;
            let slot = *self.shared.specials32.entry(special).or_insert_with(|| {
                list.push(special);
                Slot::special(list.len() as u32 - 1)
            });
            Element {
                slot,
                bank: Bank::B32,
                bits: 32,
            }
        }
    }

    /// Base slot, whether it is wide, and offset of an address.
    pub(crate) fn address(&mut self, address: &Address) -> Decoded<(Slot, bool, i64)> {
        Ok(match address.base {
            AddressBase::Register(id) => {
                let element = self.register(id)?;
                match element.bank {
                    Bank::B32 => (element.slot, false, address.offset),
                    Bank::B64 => (element.slot, true, address.offset),
                    _ => return Err(Unsupported),
                }
            }
            AddressBase::None => (self.constant(address.offset as u64, 64), true, 0),
            AddressBase::Variable(id) => match self.variable(id)? {
                (VariablePlace::Fixed(start), _) => {
                    let start = start.wrapping_add_signed(address.offset);
                    (self.constant(start, 64), true, 0)
                }
                (VariablePlace::Frame(start), _) => (
                    self.frame_address(u64::from(start), true),
                    true,
                    address.offset,
                ),
            },
        })
    }

    /// A list of elements for [`Op::Pack`] and [`Op::Unpack`].
    pub(crate) fn pack(&mut self, elements: Vec<Element>) -> u32 {
        self.code.packs.push(elements);
        self.code.packs.len() as u32 - 1
    }
}
