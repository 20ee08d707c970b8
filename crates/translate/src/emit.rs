//! Writes the code of a strip: from an entry to a barrier or the end, four lanes at a time. In: decoded code, block by block;
//! out: instructions of WebAssembly. Every register is one local of 128 bits, or two; a predicate is all ones or zeros a lane.

pub(crate) mod approximate;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod cross;
pub(crate) mod detour;
pub(crate) mod float;
pub(crate) mod fused;
pub(crate) mod gang;
pub(crate) mod half;
pub(crate) mod lower;
pub(crate) mod memory;
pub(crate) mod notes;
pub(crate) mod primitive;
pub(crate) mod quick;
pub(crate) mod routine;
pub(crate) mod scalar;
pub(crate) mod warp;

pub(crate) use crate::emit::routine::Routine;

use crate::changed::Changed;
use crate::code::Code;
use crate::code::Source;
use crate::detour::Detours;
use crate::engine::Products;
use crate::flow::Flow;
use crate::helpers;
use crate::instructions::{at, halves, low_words, splat32, splat64};
use crate::place::stop;
use crate::place::{BLOCK_REGISTERS, GANG, Places, Site, record};
use crate::primitive::Operands;
use crate::refusal::Refusal;
use crate::registers::{Definitions, Register, Touched, Writes, parts};
use crate::stride::Strides;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::plain::{Bank, Element, Instr, Op, Plain, Slot, SlotPlace};
use wasm_encoder::{BlockType, Instruction as I, MemArg, ValType};

/// Where a register is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    /// The first of its locals.
    local: u32,
    /// In a record, after the header.
    offset: u32,
}

/// Where the bytes of an access are: a number of bytes after the address in a local.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer {
    local: u32,
    beyond: u32,
}

impl Pointer {
    /// At the address in a local.
    const fn to(local: u32) -> Pointer {
        Pointer { local, beyond: 0 }
    }

    /// The bytes `offset` after it, whose address is on the stack.
    const fn at(self, offset: u32) -> MemArg {
        at(self.beyond + offset)
    }
}

/// Locals of the strip beside the registers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Names {
    pub(crate) pc: u32,
    /// Where the gang began, and what it waits for.
    pub(crate) began: u32,
    pub(crate) waits_for: u32,
    pub(crate) mask: u32,
    pub(crate) me: u32,
    pub(crate) phase: u32,
    /// The first names of the warp in this phase, and since its lanes last met.
    pub(crate) warp_start: u32,
    pub(crate) since: u32,
    /// Of the call: the records that had run before, a bit each, and the number of its first one.
    pub(crate) ran: u32,
    pub(crate) started: u32,
    /// The record of the gang before, whether the last gang went its way, and the lanes of all of them.
    pub(crate) before: u32,
    pub(crate) alike: u32,
    pub(crate) live: u32,
    pub(crate) path: u32,
    pub(crate) steps: u32,
    pub(crate) stores: u32,
    /// 1 plus the highest number of an executed block: see [`cell::FURTHEST`].
    pub(crate) furthest: u32,
    /// Lane-instructions that the call has executed.
    pub(crate) lane_instructions: u32,
    pub(crate) guard: u32,
    /// The lanes that are on a detour, and those that are to go the other way.
    pub(crate) detour: u32,
    pub(crate) others: u32,
    pub(crate) active: u32,
    /// Where something is too rare to be translated, by lane.
    pub(crate) rare: u32,
    pub(crate) pointer: u32,
    /// A place for each lane.
    pub(crate) pointers: u32,
    pub(crate) first: u32,
    pub(crate) offset: u32,
    pub(crate) vectors: [u32; 6],
    pub(crate) addresses: [u32; 2],
    /// The upper one of two 16-bit floats while the other one is computed.
    pub(crate) upper_half: u32,
    /// What `fma` is computed with where the engine has no fused product.
    pub(crate) fused: [u32; 9],
}

impl Names {
    /// Returns the local variable with the result of a comparison of floats.
    pub(crate) fn float_comparison(&self) -> u32 {
        self.vectors[4]
    }
}

/// The mask of all lanes of a gang.
pub(crate) const ALL: i32 = (1 << GANG) - 1;

/// The strip's parameters: the record, and its number among those of the warp.
pub(crate) const RECORD: u32 = 0;
pub(crate) const NUMBER: u32 = 1;

/// Writes one strip, or the operations of warps.
pub(crate) struct Emitter<'p> {
    pub(crate) plain: Plain<'p>,
    pub(crate) code: &'p Code<'p>,
    pub(crate) products: Products,
    pub(crate) places: &'p Places,
    pub(crate) flow: &'p Flow,
    pub(crate) writes: Writes,
    /// In a draft: instructions that are not translated.
    pub(crate) refused: Vec<Refusal>,
    /// Registers that atomic operations do not give the old value, each with the place of the operation; and all that are read.
    pub(crate) unread: Vec<(Register, u32)>,
    pub(crate) all_read: BTreeSet<Register>,
    /// Registers that hold one number wherever they are read.
    pub(crate) constants: BTreeMap<Register, u32>,
    /// Registers that hold addresses in local memory.
    local_addresses: BTreeMap<Register, u64>,
    /// Whether atomic operations may access global memory.
    pub(crate) has_global_atomics: bool,
    /// What operations call, in the order of the functions.
    pub(crate) routines: Vec<Routine>,
    pub(crate) out: Vec<I<'static>>,
    /// By group: the code of its strip.
    pub(crate) strips: Vec<Vec<I<'static>>>,
    pub(crate) locals: Vec<ValType>,
    pub(crate) registers: BTreeMap<Register, Home>,
    pub(crate) register_bytes: u32,
    /// By block of the code.
    pub(crate) touched: Vec<Touched>,
    /// By block: what is read before an operation of a warp at its end.
    pub(crate) reads: Vec<BTreeSet<Register>>,
    pub(crate) definitions: Definitions,
    /// By block: what is read from its start on, once known.
    pub(crate) live: &'p [BTreeSet<Register>],
    pub(crate) sites: Vec<Site>,
    /// By number of what is waited for: the registers that records hold there, each with its offset among them.
    pub(crate) waits: BTreeMap<u32, Vec<(Register, u32)>>,
    /// By block: what records lack of its registers.
    pub(crate) changed: Changed,
    /// By register: how its lanes lie to each other, where that is known.
    pub(crate) strides: Strides,
    /// Registers in which any NaN may be kept.
    pub(crate) any_nan: BTreeSet<Register>,
    /// Registers that are kept as the value of the first lane.
    scalars: BTreeMap<Register, scalar::Scalar>,
    /// By place in the code: the registers that the instruction writes.
    pub(crate) writes_at: BTreeMap<u32, BTreeSet<Register>>,
    /// By place in the code: how an access shares a range out among threads.
    pub(crate) sharing: BTreeMap<u32, u32>,
    pub(crate) names: Names,
    /// Temporary variables by type and number.
    temporaries: BTreeMap<(ValType, usize), u32>,
    /// In the block at hand, by base and width: how the lanes' bases lie.
    pub(crate) lies: BTreeMap<(Register, u32), memory::Lie>,
    /// The two ways of the block at hand, where it has two.
    ways: Option<quick::Ways>,
    /// The construct that is left where an access is not what was hoped for, by how many are open within; none for the innermost.
    leaves_to: Option<u32>,
    /// Where the access at hand moves bytes.
    pub(crate) pointer: Pointer,
    /// The local with the guard of the instruction at hand.
    pub(crate) guard: Option<u32>,
    /// By block that ends with a branch: the short ways that some of its lanes take while others wait.
    pub(crate) detours: Detours,
    /// In an if-converted side of a branch: the registers that must keep their values in the inactive lanes.
    on_detour: Option<BTreeSet<Register>>,
    /// Lowest number of a block that ends with a warp-level operation that does not wait for all lanes.
    pub(crate) first_without_wait: Option<u32>,
    /// The block at hand, and how many constructs are open within it.
    pub(crate) block: usize,
    pub(crate) nest: u32,
    /// By block: its group.
    groups: Vec<usize>,
    /// Of the group at hand: which of its entries and blocks each target is, how many these are, and the place of the code at hand among them.
    place_of_target: Vec<Option<usize>>,
    n_targets: usize,
    place: usize,
    /// Blocks of it that ways back lead to.
    returned_to: BTreeSet<usize>,
    /// Locals with the rows of a warp, once they are needed.
    pub(crate) rows: Vec<u32>,
    /// Of what is between operations of a warp: locals that say whether a guarded store was done, and what is counted then.
    pub(crate) did_store: Vec<(u32, u64)>,
    /// Count of stores without a guard between two warp-level operations.
    pub(crate) stores: u64,
    /// The place of the instruction at hand, and whose registers it names.
    pub(crate) at: u32,
    pub(crate) frame: usize,
}

impl<'p> Emitter<'p> {
    pub(crate) fn new(
        Source {
            plain,
            code,
            products,
        }: Source<'p>,
        places: &'p Places,
        flow: &'p Flow,
        live: &'p [BTreeSet<Register>],
        writes: Writes,
    ) -> Emitter<'p> {
        let mut emitter = Emitter {
            plain,
            code,
            products,
            places,
            flow,
            writes,
            refused: Vec::new(),
            unread: Vec::new(),
            all_read: BTreeSet::new(),
            constants: BTreeMap::new(),
            local_addresses: code.local_addresses().collect(),
            has_global_atomics: false,
            routines: Vec::new(),
            out: Vec::new(),
            strips: Vec::new(),
            locals: Vec::new(),
            registers: BTreeMap::new(),
            register_bytes: 0,
            touched: vec![Touched::default(); flow.blocks.len()],
            reads: vec![BTreeSet::new(); flow.blocks.len()],
            definitions: Definitions::new(),
            live,
            waits: BTreeMap::new(),
            changed: Changed::default(),
            sites: Vec::new(),
            any_nan: BTreeSet::new(),
            scalars: BTreeMap::new(),
            writes_at: BTreeMap::new(),
            sharing: BTreeMap::new(),
            strides: Strides::new(),
            lies: BTreeMap::new(),
            ways: None,
            leaves_to: None,
            pointer: Pointer::to(0),
            names: Names::default(),
            temporaries: BTreeMap::new(),
            guard: None,
            detours: Detours::new(),
            on_detour: None,
            first_without_wait: None,
            block: 0,
            nest: 0,
            groups: Vec::new(),
            place_of_target: Vec::new(),
            n_targets: 0,
            place: 0,
            returned_to: BTreeSet::new(),
            rows: Vec::new(),
            did_store: Vec::new(),
            stores: 0,
            at: 0,
            frame: 0,
        };
        emitter.name_locals();
        emitter
    }

    fn name_locals(&mut self) {
        use ValType::{I32, I64, V128};
        self.names = Names {
            pc: self.local(I32),
            began: self.local(I32),
            waits_for: self.local(I32),
            mask: self.local(I32),
            me: self.local(V128),
            phase: self.local(V128),
            warp_start: self.local(V128),
            since: self.local(V128),
            ran: self.local(I32),
            started: self.local(I32),
            before: self.local(I32),
            alike: self.local(I32),
            live: self.local(I32),
            path: self.local(I32),
            steps: self.local(I64),
            stores: self.local(I64),
            furthest: self.local(I32),
            lane_instructions: self.local(I64),
            guard: self.local(V128),
            detour: self.local(V128),
            others: self.local(V128),
            active: self.local(I32),
            rare: self.local(V128),
            pointer: self.local(I32),
            pointers: self.local(V128),
            first: self.local(I32),
            offset: self.local(I64),
            vectors: std::array::from_fn(|_| self.local(V128)),
            addresses: std::array::from_fn(|_| self.local(V128)),
            upper_half: self.local(V128),
            fused: match self.products {
                Products::Fused => [0; 9],
                Products::Separate => std::array::from_fn(|_| self.local(V128)),
            },
        };
        self.pointer = Pointer::to(self.names.pointer);
    }

    /// A new local, after the parameters.
    pub(crate) fn local(&mut self, ty: ValType) -> u32 {
        self.locals.push(ty);
        NUMBER + self.locals.len() as u32
    }

    pub(crate) fn op(&mut self, instruction: I<'static>) {
        self.out.push(instruction);
    }

    pub(crate) fn ops<const N: usize>(&mut self, instructions: [I<'static>; N]) {
        self.out.extend(instructions);
    }

    pub(crate) fn get(&mut self, local: u32) {
        self.op(I::LocalGet(local));
    }

    /// Pushes the values of locals, the first one first.
    pub(crate) fn get_all<const N: usize>(&mut self, locals: [u32; N]) {
        self.out.extend(locals.map(I::LocalGet));
    }

    /// Opens a block, at whose end those go on who leave it.
    fn open_block(&mut self) {
        self.op(I::Block(BlockType::Empty));
        self.nest += 1;
    }

    /// Closes the innermost construct that is open.
    fn close(&mut self) {
        self.op(I::End);
        self.nest -= 1;
    }

    /// Pushes the address from which on [`Pointer::at`] of the access at hand counts.
    pub(crate) fn get_pointer(&mut self) {
        self.get(self.pointer.local);
    }

    pub(crate) fn set(&mut self, local: u32) {
        self.op(I::LocalSet(local));
    }

    pub(crate) fn tee(&mut self, local: u32) {
        self.op(I::LocalTee(local));
    }

    /// What is refused at the instruction at hand.
    pub(crate) fn refuse<T>(&self, what: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal::Instruction {
            at: self.at,
            what: what.into(),
        })
    }

    pub(crate) fn home(&mut self, register: Register) -> Home {
        if let Some(home) = self.registers.get(&register) {
            return *home;
        }
        let local = self.local(ValType::V128);
        let mut bytes = 16;
        if register.0 == Bank::B64 {
            self.local(ValType::V128);
            bytes = 32;
        }
        let home = Home {
            local,
            offset: self.register_bytes,
        };
        self.register_bytes += bytes;
        self.registers.insert(register, home);
        home
    }

    /// Where a register that is known lies in a record, after the header.
    pub(crate) fn offset_of(&self, register: Register) -> Option<u32> {
        self.registers.get(&register).map(|home| home.offset)
    }

    /// Comes to an instruction.
    fn come_to(&mut self, at: usize) {
        self.at = at as u32;
        self.frame = self.code.frame_at(at);
    }

    /// The register of the frame at hand.
    pub(crate) fn own(&self, bank: Bank, index: u32) -> Register {
        self.code.register(self.frame, (bank, index))
    }

    /// The address in local memory that a register holds all the time.
    fn local_address(&self, register: Register) -> Option<u64> {
        self.local_addresses.get(&register).copied()
    }

    /// Notes a read, and gives the first local.
    fn read_register(&mut self, register: Register) -> u32 {
        self.all_read.insert(register);
        let touched = &mut self.touched[self.block];
        if !touched.written.contains(&register) {
            touched.read.insert(register);
        }
        self.home(register).local
    }

    /// Pushes a row of 32 bits.
    pub(crate) fn read32(&mut self, slot: Slot) -> Result<(), Refusal> {
        if let Some(scalar) = self.scalar(Bank::B32, slot) {
            self.spread(Bank::B32, scalar, 0);
            return Ok(());
        }
        match slot.place() {
            SlotPlace::Register(index) => match self.local_address(self.own(Bank::B32, index)) {
                Some(address) => self.op(splat32(address as u32)),
                None => {
                    let register = self.own(Bank::B32, index);
                    let local = self.read_register(register);
                    self.get_canonical(register, local);
                }
            },
            SlotPlace::Constant(index) => self.op(splat32(self.plain.constant32(index))),
            SlotPlace::Special(index) => self.read_special(index)?,
            SlotPlace::None => self.op(splat32(0)),
        }
        Ok(())
    }

    /// As [`Emitter::read32`], where all NaNs are one.
    fn read_any_nan(&mut self, slot: Slot) -> Result<(), Refusal> {
        if let SlotPlace::Register(index) = slot.place() {
            let register = self.own(Bank::B32, index);
            if self.any_nan.contains(&register) && !self.scalars.contains_key(&register) {
                let local = self.read_register(register);
                self.get(local);
                return Ok(());
            }
        }
        self.read32(slot)
    }

    /// Pushes the row in the local of a register, with the NaN that the machine makes.
    fn get_canonical(&mut self, register: Register, local: u32) {
        match self.any_nan.contains(&register) {
            true => self.push_canonical(local),
            false => self.get(local),
        }
    }

    fn read_special(&mut self, index: u32) -> Result<(), Refusal> {
        let Some(special) = self.plain.special32(index) else {
            return self.refuse("this special register");
        };
        let by_block = self.places.by_block.iter().position(|s| *s == special);
        let by_thread = self.places.by_thread.iter().position(|s| *s == special);
        match (by_block, by_thread) {
            (Some(place), _) => self.ops([
                I::I32Const(0),
                I::V128Load(at(BLOCK_REGISTERS + 16 * place as u32)),
            ]),
            (None, Some(place)) => {
                self.get_table();
                self.op(I::V128Load(at(16 * place as u32)));
            }
            (None, None) => return self.refuse("a clock register"),
        }
        Ok(())
    }

    /// Pushes the place of the gang's special registers.
    fn get_table(&mut self) {
        self.get(RECORD);
        self.op(I::I32Load(at(record::TABLE)));
    }

    /// Pushes half of a row of 64 bits: lanes 0 and 1, or 2 and 3.
    pub(crate) fn read64(&mut self, slot: Slot, half: u32) -> Result<(), Refusal> {
        if let Some(scalar) = self.scalar(Bank::B64, slot) {
            self.spread(Bank::B64, scalar, half);
            return Ok(());
        }
        match slot.place() {
            SlotPlace::Register(index) => match self.local_address(self.own(Bank::B64, index)) {
                Some(address) => self.op(splat64(address)),
                None => {
                    let local = self.read_register(self.own(Bank::B64, index));
                    self.get(local + half);
                }
            },
            SlotPlace::Constant(index) => self.op(splat64(self.plain.constant64(index))),
            SlotPlace::Special(_) => return self.refuse("a 64-bit special register"),
            SlotPlace::None => self.op(splat64(0)),
        }
        Ok(())
    }

    /// Pushes a predicate.
    pub(crate) fn read_predicate(&mut self, slot: Slot) -> Result<(), Refusal> {
        if let Some(scalar) = self.scalar(Bank::Predicate, slot) {
            self.spread(Bank::Predicate, scalar, 0);
            return Ok(());
        }
        match slot.place() {
            SlotPlace::Register(index) => {
                let local = self.read_register(self.own(Bank::Predicate, index));
                self.get(local);
            }
            SlotPlace::Constant(index) => {
                let value = self.plain.constant_predicate(index);
                self.op(splat32(if value { u32::MAX } else { 0 }));
            }
            SlotPlace::Special(_) => return self.refuse("a special register of predicate type"),
            SlotPlace::None => self.op(splat32(0)),
        }
        Ok(())
    }

    /// Returns the number that a 32-bit operand has in all lanes, if the code names the number.
    pub(crate) fn known32(&self, slot: Slot) -> Option<u32> {
        match slot.place() {
            SlotPlace::Constant(index) => Some(self.plain.constant32(index)),
            SlotPlace::None => Some(0),
            SlotPlace::Register(index) => {
                let number = self.known_register(Bank::B32, index);
                number.map(|number| number as u32)
            }
            SlotPlace::Special(_) => None,
        }
    }

    /// Returns temporary variable `n` of a type. Its value does not outlive an operation.
    pub(crate) fn temporary(&mut self, ty: ValType, n: usize) -> u32 {
        if let Some(local) = self.temporaries.get(&(ty, n)) {
            return *local;
        }
        let local = self.local(ty);
        self.temporaries.insert((ty, n), local);
        local
    }

    /// Writes what is on the stack to a register, where the guard lets it.
    fn write(&mut self, register: Register, part: u32) {
        if let Some(scalar) = self.scalars.get(&register).copied() {
            return self.write_scalar(scalar, register, part);
        }
        // Others keep only what they will read.
        let is_read = |kept: &BTreeSet<Register>| kept.contains(&register);
        let guard = self
            .guard
            .filter(|_| self.is_guarded() || self.on_detour.as_ref().is_none_or(is_read));
        if guard.is_some() {
            self.read_register(register);
        }
        let local = self.home(register).local + part;
        if let Some(guard) = guard {
            self.get_all([local, guard]);
            if register.0 == Bank::B64 {
                self.op(halves(part));
            }
            self.op(I::V128Bitselect);
        }
        self.touched[self.block].written.insert(register);
        self.definitions
            .entry(register)
            .or_default()
            .insert(self.at);
        self.lies.retain(|(base, _), _| *base != register);
        self.set(local);
    }

    pub(crate) fn write32(&mut self, slot: Slot) {
        match slot.place() {
            SlotPlace::Register(index) => self.write(self.own(Bank::B32, index), 0),
            _ => self.op(I::Drop),
        }
    }

    pub(crate) fn write64(&mut self, slot: Slot, half: u32) {
        match slot.place() {
            SlotPlace::Register(index) => self.write(self.own(Bank::B64, index), half),
            _ => self.op(I::Drop),
        }
    }

    pub(crate) fn write_predicate(&mut self, slot: Slot) {
        match slot.place() {
            SlotPlace::Register(index) => self.write(self.own(Bank::Predicate, index), 0),
            _ => self.op(I::Drop),
        }
    }

    /// Does something for each lane that takes four numbers of 32 bits from `from` and leaves one: the lanes are put together in
    /// a row on the stack.
    pub(crate) fn each_lane(&mut self, mut one: impl FnMut(&mut Self, u8)) {
        self.op(splat32(0));
        for lane in 0..GANG as u8 {
            one(self, lane);
            self.op(I::I32x4ReplaceLane(lane));
        }
    }

    /// As [`Emitter::each_lane`], for the two lanes of a half.
    pub(crate) fn each_wide_lane(&mut self, mut one: impl FnMut(&mut Self, u8)) {
        self.op(splat64(0));
        for lane in 0..2 {
            one(self, lane);
            self.op(I::I64x2ReplaceLane(lane));
        }
    }

    /// Saves or loads registers of a record whose address is in a local.
    pub(crate) fn save(&mut self, to: u32, registers: &BTreeSet<Register>) {
        for register in registers {
            let home = self.home(*register);
            let scalar = self.scalars.get(register).copied();
            for part in 0..parts(*register) {
                self.get(to);
                match scalar {
                    Some(scalar) => self.spread(register.0, scalar, part),
                    None => self.get_canonical(*register, home.local + part),
                }
                let offset = record::REGISTERS + home.offset + 16 * part;
                self.op(I::V128Store(at(offset)));
            }
        }
    }

    pub(crate) fn load(&mut self, registers: &BTreeSet<Register>) {
        self.load_scalars(registers);
        for register in registers {
            if self.scalars.contains_key(register) {
                continue;
            }
            let home = self.home(*register);
            for part in 0..parts(*register) {
                self.get(RECORD);
                let offset = record::REGISTERS + home.offset + 16 * part;
                self.op(I::V128Load(at(offset)));
                self.set(home.local + part);
            }
        }
    }

    /// One instruction that goes on to the next.
    pub(crate) fn straight(&mut self, instr: &Instr) -> Result<(), Refusal> {
        let is_on_detour = self.on_detour.is_some();
        self.guard = is_on_detour.then_some(self.names.detour);
        if instr.guard.place() != SlotPlace::None {
            self.read_guard(instr)?;
            if is_on_detour {
                self.get(self.names.detour);
                self.op(I::V128And);
            }
            self.set(self.names.guard);
            self.guard = Some(self.names.guard);
        }
        let done = self.operation(&instr.op);
        self.guard = None;
        match done {
            // All of them are learnt at once.
            Err(refusal) if self.writes == Writes::Draft => {
                self.refused.push(refusal);
                Ok(())
            }
            done => done,
        }
    }

    /// Pushes the lanes whose guard holds.
    fn read_guard(&mut self, instr: &Instr) -> Result<(), Refusal> {
        self.read_predicate(instr.guard)?;
        if instr.negated {
            self.op(I::V128Not);
        }
        Ok(())
    }

    /// Pushes the lanes of a mask in a local as a row.
    fn spread_lanes(&mut self, mask: u32) {
        self.get(mask);
        self.ops(helpers::spread_lanes());
    }

    /// Whether the instruction at hand has a guard itself.
    fn is_guarded(&self) -> bool {
        self.guard == Some(self.names.guard)
    }

    fn operation(&mut self, op: &Op) -> Result<(), Refusal> {
        if self.primitive_operation(op)? {
            return Ok(());
        }
        match *op {
            Op::Float32 { f, mode, slots } => self.float32(f, mode, slots),
            Op::Float64 { f, mode, slots } => self.float64(f, mode, slots),
            Op::Float32x2 { f, mode, slots } => self.float32x2(f, mode, slots),
            Op::Half { f, ty, mode, slots } => self.half(f, ty, mode, slots),
            Op::ConvertPacked {
                ref conversion,
                d,
                a,
                b,
            } => self.convert_packed(conversion, [d, a, b]),
            Op::Convert {
                ref conversion,
                d,
                a,
            } => self.convert(conversion, d, a),
            Op::Load(plan) => self.load_or_store(plan, memory::Way::Load),
            Op::Store(plan) => self.load_or_store(plan, memory::Way::Store),
            Op::Atomic(plan) => self.atomic(plan),
            Op::StartAsync(plan) => self.copy(plan),
            Op::Nop | Op::Fence => Ok(()),
            Op::Trap => {
                self.give_up_here(stop::FAULT);
                Ok(())
            }
            // It prints, or it ends the launch.
            Op::SystemCall { .. } => {
                self.give_up_here(stop::RARE);
                Ok(())
            }
            Op::Int16 { .. }
            | Op::Int32 { .. }
            | Op::Int64 { .. }
            | Op::Shift64 { .. }
            | Op::Count64 { .. }
            | Op::Extract64 { .. }
            | Op::Insert32(_)
            | Op::Insert64(_)
            | Op::Wide16 { .. }
            | Op::Wide32 { .. }
            | Op::Carry32 { .. }
            | Op::Carry64 { .. }
            | Op::Int16x2 { .. }
            | Op::Int8x4 { .. }
            | Op::Mov32 { .. }
            | Op::Mov64 { .. }
            | Op::MovPredicate { .. }
            | Op::Extend32 { .. }
            | Op::Truncate64 { .. }
            | Op::Offset { .. }
            | Op::AlignDown { .. }
            | Op::Select32 { .. }
            | Op::Select64 { .. }
            | Op::PredicateLogic { .. }
            | Op::SetPredicate { .. }
            | Op::Set { .. }
            | Op::Policy { .. } => self.refuse(format!("{op:?}")),
            Op::Pack { .. } | Op::Unpack { .. } => self.refuse("a 128-bit register"),
            Op::Video { .. }
            | Op::ConvertBy { .. }
            | Op::TestFloat { .. }
            | Op::SelectSign { .. }
            | Op::Modify { .. } => {
                self.refuse("an operation that has no form with SIMD instructions")
            }
            Op::Mov128 { .. } => self.refuse("a 128-bit register"),
            Op::Collective { .. }
            | Op::Matrix { .. }
            | Op::WarpBarrier { .. }
            | Op::ActiveMask { .. }
            | Op::AsyncCommit { .. }
            | Op::AsyncWait { .. } => self.refuse("a warp-level operation under a guard"),
            Op::Barrier { .. } => self.refuse("a barrier under a guard"),
            Op::Branch { .. } | Op::Return | Op::Exit => self.refuse("a branch within a block"),
            Op::Call { .. } | Op::BranchIndexed { .. } | Op::BranchIndirect { .. } => {
                self.refuse("a branch or call whose target depends on a register")
            }
            Op::Machine { .. }
            | Op::AddressSum { .. }
            | Op::BranchDivergent { .. }
            | Op::Reconverge { .. }
            | Op::ReconvergeUnlessYielded { .. }
            | Op::LeaveReconvergence { .. }
            | Op::GiveWay
            | Op::Yield => self.refuse("a SASS-only operation"),
            Op::ClusterArrive | Op::ClusterWait | Op::MapToRank { .. } | Op::RankOf { .. } => {
                self.refuse("an operation on a cluster")
            }
            Op::Mbarrier { .. } | Op::PendingCount { .. } => {
                self.refuse("an operation on an mbarrier")
            }
            Op::TensorCopy { .. } | Op::TensorMap { .. } => self.refuse("a tensor copy"),
            Op::Warpgroup { .. } | Op::Touch { .. } => {
                self.refuse("a warpgroup-level matrix multiplication")
            }
            Op::TensorMemory { .. } => self.refuse("an operation on tensor memory"),
            Op::Image { .. } => self.refuse("a texture or surface operation"),
            Op::Multimem { .. } => self.refuse("an operation on multicast memory"),
            Op::Fill { .. } => self.refuse("a bulk fill"),
            Op::IsSpace { .. } => self.refuse("an address space test (`isspacep`)"),
            Op::Stack { .. } => self.refuse("a stack allocation (`alloca`)"),
            Op::Launch { .. } => self.refuse("a cluster launch control operation"),
            Op::Refused { .. } => self.refuse("an instruction that the emulator does not support"),
        }
    }

    /// Leaves the function with the number on the stack, why the run stops, unless it is zero. It stays in a local.
    fn return_if(&mut self, kept: u32) {
        self.ops(helpers::returns_if(kept));
    }

    /// Ends the run where lanes come to the instruction at hand.
    fn give_up_here(&mut self, why: u32) {
        self.note_active();
        self.get(self.names.active);
        self.give_up(why);
    }

    /// A row of 32 bits of an element that is at most so wide.
    pub(crate) fn read_element32(&mut self, element: Element) -> Result<(), Refusal> {
        match element.bank {
            Bank::B32 => self.read32(element.slot),
            Bank::B64 => {
                self.read64(element.slot, 0)?;
                self.read64(element.slot, 1)?;
                self.op(low_words());
                Ok(())
            }
            Bank::B128 | Bank::Predicate => self.refuse("a source with a different width"),
        }
    }
}
