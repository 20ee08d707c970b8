//! Generates code for regions. A region is the code between two synchronization points, executed for a subwarp of four
//! lanes. The module takes the decoded code of the basic blocks, and generates WebAssembly instructions. A register
//! occupies one or two `v128` locals. A predicate has all ones or all zeros in each lane.

pub(crate) mod call_moves;
pub(crate) mod compare;
pub(crate) mod control_flow;
pub(crate) mod convert;
pub(crate) mod fast_path;
pub(crate) mod float;
pub(crate) mod fma_emulation;
pub(crate) mod half_float;
pub(crate) mod lower;
pub(crate) mod memory;
pub(crate) mod predicated_side;
pub(crate) mod primitive;
pub(crate) mod shadow_updates;
pub(crate) mod shared_routine;
pub(crate) mod special_function;
pub(crate) mod subwarp_loop;
pub(crate) mod uniform_registers;
pub(crate) mod warp;

pub(crate) use crate::emit::shared_routine::SharedRoutine;

use crate::bailout::BailoutReason;
use crate::control_flow_graph::ControlFlowGraph;
use crate::dirty_registers::DirtyRegisters;
use crate::engine::MaddRounding;
use crate::if_conversion::IfConversions;
use crate::inlined_code::InlinedCode;
use crate::inlined_code::TranslationInput;
use crate::instructions::{at, halves, low_words, splat32, splat64};
use crate::lane_stride::LaneStrides;
use crate::layout::stop;
use crate::layout::{AccessSite, BLOCK_REGISTERS, ModuleLayout, SUBWARP_LANES, record};
use crate::primitive::Operands;
use crate::registers::{BlockUseDef, DefSites, EmitMode, RegisterKey, parts};
use crate::runtime;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::translation_view::{
    DecodedInstruction, DecodedOp, OperandLocation, OperandSlot, RegisterBank, RegisterOperand,
    TranslationView,
};
use wasm_encoder::{BlockType, Instruction as I, MemArg, ValType};

/// Location of a register: its WebAssembly locals, and its offset in context records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterSlot {
    /// First WebAssembly local of the register.
    local: u32,
    /// Offset of the register in a context record, counted in bytes from the end of the header.
    offset: u32,
}

/// Address operand: a local that contains an address, and a constant offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressOperand {
    local: u32,
    beyond: u32,
}

impl AddressOperand {
    /// Returns the address operand for the address in a local, without a constant offset.
    const fn to(local: u32) -> AddressOperand {
        AddressOperand { local, beyond: 0 }
    }

    /// Returns the memory argument for `offset` bytes after the address operand, whose local is on the stack.
    const fn at(self, offset: u32) -> MemArg {
        at(self.beyond + offset)
    }
}

/// WebAssembly locals of a region that have a fixed purpose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FixedLocals {
    pub(crate) pc: u32,
    /// Number of the region entry at which the subwarp started.
    pub(crate) start_entry: u32,
    /// Number of the synchronization point at which the subwarp waits.
    pub(crate) waits_for: u32,
    pub(crate) mask: u32,
    pub(crate) current_epoch: u32,
    pub(crate) phase: u32,
    /// First epoch of the warp in this barrier interval.
    pub(crate) warp_start: u32,
    /// First epoch that the warp has used since the last reconvergence of its lanes.
    pub(crate) since: u32,
    /// Bit set of the context records of the warp that were executed before this call of the region function.
    pub(crate) ran_contexts: u32,
    /// Number of the context record with which the call of the region function started.
    pub(crate) started: u32,
    /// Context record of the previous subwarp. The next local contains whether all previous subwarps took the same
    /// path, and the local after it contains the live lanes of all subwarps.
    pub(crate) before: u32,
    pub(crate) is_converged: u32,
    pub(crate) live: u32,
    pub(crate) path: u32,
    pub(crate) steps: u32,
    pub(crate) stores: u32,
    /// Highest number of an executed basic block plus one, as defined by [`cell::FURTHEST_BLOCK`].
    pub(crate) furthest: u32,
    /// Number of lane-instructions that the region call has executed.
    pub(crate) lane_instructions: u32,
    pub(crate) guard: u32,
    /// Lanes that execute the current side of an if-converted branch.
    pub(crate) detour: u32,
    /// Lanes that are inactive on the current side of an if-converted branch, because they execute the other side.
    pub(crate) others: u32,
    pub(crate) active: u32,
    /// Lanes in which an operand has a value that the generated code does not handle.
    pub(crate) unsupported_lanes: u32,
    pub(crate) pointer: u32,
    /// Linear-memory address of each lane.
    pub(crate) pointers: u32,
    pub(crate) first: u32,
    pub(crate) offset: u32,
    pub(crate) vectors: [u32; 6],
    pub(crate) addresses: [u32; 2],
    /// Result for the upper 16-bit float of a pair, saved while the result for the lower float is computed.
    pub(crate) upper_half: u32,
    /// Operands and intermediate results of an `fma` emulation.
    pub(crate) fused: [u32; 9],
}

impl FixedLocals {
    /// Returns the local that temporarily contains the result of a float comparison.
    pub(crate) fn float_comparison(&self) -> u32 {
        self.vectors[4]
    }
}

/// Lane mask of all lanes of a subwarp.
pub(crate) const ALL: i32 = (1 << SUBWARP_LANES) - 1;

/// Parameter of a region function: address of the context record.
pub(crate) const RECORD: u32 = 0;
/// Parameter of a region function: number of the context record within the warp.
pub(crate) const NUMBER: u32 = 1;

/// Emitter for the code of one region, or of a sequence of warp-level operations.
pub(crate) struct Emitter<'p> {
    pub(crate) plain: TranslationView<'p>,
    pub(crate) code: &'p InlinedCode<'p>,
    pub(crate) products: MaddRounding,
    pub(crate) places: &'p ModuleLayout,
    pub(crate) flow: &'p ControlFlowGraph,
    pub(crate) writes: EmitMode,
    /// Untranslatable instructions of a draft: the reasons for which they have no translation.
    pub(crate) refused: Vec<BailoutReason>,
    /// Destination registers of atomics that are translated only if their results are unused, each with the position of
    /// the atomic in the code.
    pub(crate) unused_atomic_results: Vec<(RegisterKey, u32)>,
    /// Registers that at least one instruction of the kernel reads.
    pub(crate) all_read: BTreeSet<RegisterKey>,
    /// Registers that have the same constant value at all of their uses.
    pub(crate) constants: BTreeMap<RegisterKey, u32>,
    /// Registers that contain constant addresses in local memory.
    local_addresses: BTreeMap<RegisterKey, u64>,
    /// Whether any atomic operation may access global memory.
    pub(crate) has_global_atomics: bool,
    /// Outlined routines of the module, in the order of their function indices.
    pub(crate) routines: Vec<SharedRoutine>,
    pub(crate) out: Vec<I<'static>>,
    /// Code of the region function for each group of basic blocks.
    pub(crate) regions: Vec<Vec<I<'static>>>,
    pub(crate) locals: Vec<ValType>,
    pub(crate) registers: BTreeMap<RegisterKey, RegisterSlot>,
    pub(crate) register_bytes: u32,
    /// Registers that each basic block reads and writes.
    pub(crate) touched: Vec<BlockUseDef>,
    /// Registers that each basic block reads before the warp-level operation at its end.
    pub(crate) reads: Vec<BTreeSet<RegisterKey>>,
    pub(crate) definitions: DefSites,
    /// Live-in registers of each basic block. The vector is empty until the liveness analysis has run.
    pub(crate) live: &'p [BTreeSet<RegisterKey>],
    pub(crate) sites: Vec<AccessSite>,
    /// Registers that context records contain at each synchronization point, with their offsets in the records.
    pub(crate) waits: BTreeMap<u32, Vec<(RegisterKey, u32)>>,
    /// Dirty registers of each basic block.
    pub(crate) changed: DirtyRegisters,
    /// Known differences between the values of each register in neighboring lanes.
    pub(crate) strides: LaneStrides,
    /// Registers that may contain a noncanonical NaN.
    pub(crate) any_nan: BTreeSet<RegisterKey>,
    /// Registers that are represented by the value of their first lane, because all other lanes are computed from this
    /// value.
    scalars: BTreeMap<RegisterKey, uniform_registers::ScalarRegister>,
    /// Registers that each instruction writes, by position in the code.
    pub(crate) writes_at: BTreeMap<u32, BTreeSet<RegisterKey>>,
    /// Partition numbers of the accesses that are partitioned among threads, by position in the code.
    pub(crate) private_patterns: BTreeMap<u32, u32>,
    pub(crate) names: FixedLocals,
    /// Temporary locals by type and number.
    temporaries: BTreeMap<(ValType, usize), u32>,
    /// Address patterns of base registers in the current basic block, by base register and access width.
    pub(crate) address_patterns: BTreeMap<(RegisterKey, u32), memory::AddressPattern>,
    /// State of the current basic block, if it has a fast path and a slow path.
    ways: Option<fast_path::DualPathBlock>,
    /// Label to which a failing check on the fast path branches, represented by the number of WebAssembly constructs
    /// that are open at the start of the labeled construct. The value `None` refers to the innermost construct.
    fallback_label: Option<u32>,
    /// Address operand of the current memory access.
    pub(crate) pointer: AddressOperand,
    /// Local that contains the guard of the current instruction.
    pub(crate) guard: Option<u32>,
    /// If-converted branches, by the block that ends with the branch.
    pub(crate) detours: IfConversions,
    /// Registers whose values in inactive lanes must be preserved. The field is `None` outside of the sides of
    /// if-converted branches.
    predicated_side: Option<BTreeSet<RegisterKey>>,
    /// Lowest scheduling priority of a basic block whose warp-level operation does not wait for all lanes.
    pub(crate) first_without_wait: Option<u32>,
    /// Current basic block.
    pub(crate) block: usize,
    /// Number of WebAssembly constructs that are open within the current basic block.
    pub(crate) nest: u32,
    /// Group to which each basic block belongs.
    groups: Vec<usize>,
    /// Index of each branch target (entry or basic block) in the current group, or `None` for targets in other groups.
    /// The next fields contain the number of targets in the group, and the index of the current target.
    target_index: Vec<Option<usize>>,
    n_targets: usize,
    place: usize,
    /// Basic blocks of the current group that are targets of back edges.
    loop_headers: BTreeSet<usize>,
    /// Locals for the operand rows of all subwarps, which are created on demand.
    pub(crate) rows: Vec<u32>,
    /// Guarded stores between two warp-level operations: for each store, a local that is nonzero if the store was
    /// executed, and the increment of the store count.
    pub(crate) did_store: Vec<(u32, u64)>,
    /// Number of unguarded stores between two warp-level operations.
    pub(crate) stores: u64,
    /// Position of the current instruction in the code.
    pub(crate) at: u32,
    /// Frame of the current instruction.
    pub(crate) frame: usize,
}

impl<'p> Emitter<'p> {
    pub(crate) fn new(
        TranslationInput {
            plain,
            code,
            products,
        }: TranslationInput<'p>,
        places: &'p ModuleLayout,
        flow: &'p ControlFlowGraph,
        live: &'p [BTreeSet<RegisterKey>],
        writes: EmitMode,
    ) -> Emitter<'p> {
        let mut emitter = Emitter {
            plain,
            code,
            products,
            places,
            flow,
            writes,
            refused: Vec::new(),
            unused_atomic_results: Vec::new(),
            all_read: BTreeSet::new(),
            constants: BTreeMap::new(),
            local_addresses: code.local_addresses().collect(),
            has_global_atomics: false,
            routines: Vec::new(),
            out: Vec::new(),
            regions: Vec::new(),
            locals: Vec::new(),
            registers: BTreeMap::new(),
            register_bytes: 0,
            touched: vec![BlockUseDef::default(); flow.blocks.len()],
            reads: vec![BTreeSet::new(); flow.blocks.len()],
            definitions: DefSites::new(),
            live,
            waits: BTreeMap::new(),
            changed: DirtyRegisters::default(),
            sites: Vec::new(),
            any_nan: BTreeSet::new(),
            scalars: BTreeMap::new(),
            writes_at: BTreeMap::new(),
            private_patterns: BTreeMap::new(),
            strides: LaneStrides::new(),
            address_patterns: BTreeMap::new(),
            ways: None,
            fallback_label: None,
            pointer: AddressOperand::to(0),
            names: FixedLocals::default(),
            temporaries: BTreeMap::new(),
            guard: None,
            detours: IfConversions::new(),
            predicated_side: None,
            first_without_wait: None,
            block: 0,
            nest: 0,
            groups: Vec::new(),
            target_index: Vec::new(),
            n_targets: 0,
            place: 0,
            loop_headers: BTreeSet::new(),
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
        self.names = FixedLocals {
            pc: self.local(I32),
            start_entry: self.local(I32),
            waits_for: self.local(I32),
            mask: self.local(I32),
            current_epoch: self.local(V128),
            phase: self.local(V128),
            warp_start: self.local(V128),
            since: self.local(V128),
            ran_contexts: self.local(I32),
            started: self.local(I32),
            before: self.local(I32),
            is_converged: self.local(I32),
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
            unsupported_lanes: self.local(V128),
            pointer: self.local(I32),
            pointers: self.local(V128),
            first: self.local(I32),
            offset: self.local(I64),
            vectors: std::array::from_fn(|_| self.local(V128)),
            addresses: std::array::from_fn(|_| self.local(V128)),
            upper_half: self.local(V128),
            fused: match self.products {
                MaddRounding::Fused => [0; 9],
                MaddRounding::Unfused => std::array::from_fn(|_| self.local(V128)),
            },
        };
        self.pointer = AddressOperand::to(self.names.pointer);
    }

    /// Adds a local, which is numbered after the parameters.
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

    /// Pushes the values of several locals in order.
    pub(crate) fn get_all<const N: usize>(&mut self, locals: [u32; N]) {
        self.out.extend(locals.map(I::LocalGet));
    }

    /// Opens a WebAssembly block. A branch to the label of the block continues after the end of the block.
    fn open_block(&mut self) {
        self.op(I::Block(BlockType::Empty));
        self.nest += 1;
    }

    /// Closes the innermost WebAssembly construct.
    fn close(&mut self) {
        self.op(I::End);
        self.nest -= 1;
    }

    /// Pushes the base address of the current access, to which the memory argument of [`AddressOperand::at`] is
    /// relative.
    pub(crate) fn get_pointer(&mut self) {
        self.get(self.pointer.local);
    }

    pub(crate) fn set(&mut self, local: u32) {
        self.op(I::LocalSet(local));
    }

    pub(crate) fn tee(&mut self, local: u32) {
        self.op(I::LocalTee(local));
    }

    /// Returns the error that the current instruction has no translation.
    pub(crate) fn unsupported<T>(&self, what: impl Into<String>) -> Result<T, BailoutReason> {
        Err(BailoutReason::Instruction {
            at: self.at,
            what: what.into(),
        })
    }

    pub(crate) fn home(&mut self, register: RegisterKey) -> RegisterSlot {
        if let Some(home) = self.registers.get(&register) {
            return *home;
        }
        let local = self.local(ValType::V128);
        let mut bytes = 16;
        if register.0 == RegisterBank::B64 {
            self.local(ValType::V128);
            bytes = 32;
        }
        let home = RegisterSlot {
            local,
            offset: self.register_bytes,
        };
        self.register_bytes += bytes;
        self.registers.insert(register, home);
        home
    }

    /// Returns the offset of a register in a context record, counted from the end of the header. Returns `None` if the
    /// register has no location.
    pub(crate) fn offset_of(&self, register: RegisterKey) -> Option<u32> {
        self.registers.get(&register).map(|home| home.offset)
    }

    /// Sets the position of the current instruction.
    fn set_current_instruction(&mut self, at: usize) {
        self.at = at as u32;
        self.frame = self.code.frame_at(at);
    }

    /// Returns the key of a register in the current frame.
    pub(crate) fn frame_register(&self, bank: RegisterBank, index: u32) -> RegisterKey {
        self.code.register(self.frame, (bank, index))
    }

    /// Returns the constant local-memory address that a register contains, or `None` if the register contains no such
    /// address.
    fn local_address(&self, register: RegisterKey) -> Option<u64> {
        self.local_addresses.get(&register).copied()
    }

    /// Records that the code reads a register. Returns the first local of the register.
    fn read_register(&mut self, register: RegisterKey) -> u32 {
        self.all_read.insert(register);
        let touched = &mut self.touched[self.block];
        if !touched.written.contains(&register) {
            touched.read.insert(register);
        }
        self.home(register).local
    }

    /// Pushes the row of a 32-bit operand.
    pub(crate) fn read32(&mut self, slot: OperandSlot) -> Result<(), BailoutReason> {
        if let Some(scalar) = self.scalar(RegisterBank::B32, slot) {
            self.splat(RegisterBank::B32, scalar, 0);
            return Ok(());
        }
        match slot.place() {
            OperandLocation::Register(index) => {
                match self.local_address(self.frame_register(RegisterBank::B32, index)) {
                    Some(address) => self.op(splat32(address as u32)),
                    None => {
                        let register = self.frame_register(RegisterBank::B32, index);
                        let local = self.read_register(register);
                        self.get_canonical(register, local);
                    }
                }
            }
            OperandLocation::Constant(index) => self.op(splat32(self.plain.constant32(index))),
            OperandLocation::Special(index) => self.read_special(index)?,
            OperandLocation::None => self.op(splat32(0)),
        }
        Ok(())
    }

    /// Pushes the row of a 32-bit operand, in which NaNs may be noncanonical, for an operation whose result does not
    /// depend on NaN payloads.
    fn read_any_nan(&mut self, slot: OperandSlot) -> Result<(), BailoutReason> {
        if let OperandLocation::Register(index) = slot.place() {
            let register = self.frame_register(RegisterBank::B32, index);
            if self.any_nan.contains(&register) && !self.scalars.contains_key(&register) {
                let local = self.read_register(register);
                self.get(local);
                return Ok(());
            }
        }
        self.read32(slot)
    }

    /// Pushes the row in the local of a register after replacing every NaN with the canonical NaN.
    fn get_canonical(&mut self, register: RegisterKey, local: u32) {
        match self.any_nan.contains(&register) {
            true => self.push_canonical(local),
            false => self.get(local),
        }
    }

    fn read_special(&mut self, index: u32) -> Result<(), BailoutReason> {
        let Some(special) = self.plain.special32(index) else {
            return self.unsupported("this special register");
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
            (None, None) => return self.unsupported("a clock register"),
        }
        Ok(())
    }

    /// Pushes the address of the subwarp's special-register table.
    fn get_table(&mut self) {
        self.get(RECORD);
        self.op(I::I32Load(at(record::TABLE)));
    }

    /// Pushes half of the row of a 64-bit operand: lanes 0 and 1, or lanes 2 and 3.
    pub(crate) fn read64(&mut self, slot: OperandSlot, half: u32) -> Result<(), BailoutReason> {
        if let Some(scalar) = self.scalar(RegisterBank::B64, slot) {
            self.splat(RegisterBank::B64, scalar, half);
            return Ok(());
        }
        match slot.place() {
            OperandLocation::Register(index) => match self
                .local_address(self.frame_register(RegisterBank::B64, index))
            {
                Some(address) => self.op(splat64(address)),
                None => {
                    let local = self.read_register(self.frame_register(RegisterBank::B64, index));
                    self.get(local + half);
                }
            },
            OperandLocation::Constant(index) => self.op(splat64(self.plain.constant64(index))),
            OperandLocation::Special(_) => return self.unsupported("a 64-bit special register"),
            OperandLocation::None => self.op(splat64(0)),
        }
        Ok(())
    }

    /// Pushes a predicate operand as a row.
    pub(crate) fn read_predicate(&mut self, slot: OperandSlot) -> Result<(), BailoutReason> {
        if let Some(scalar) = self.scalar(RegisterBank::Predicate, slot) {
            self.splat(RegisterBank::Predicate, scalar, 0);
            return Ok(());
        }
        match slot.place() {
            OperandLocation::Register(index) => {
                let local = self.read_register(self.frame_register(RegisterBank::Predicate, index));
                self.get(local);
            }
            OperandLocation::Constant(index) => {
                let value = self.plain.constant_predicate(index);
                self.op(splat32(if value { u32::MAX } else { 0 }));
            }
            OperandLocation::Special(_) => {
                return self.unsupported("a special register of predicate type");
            }
            OperandLocation::None => self.op(splat32(0)),
        }
        Ok(())
    }

    /// Returns the constant value that a 32-bit operand has in all lanes, if it is known.
    pub(crate) fn known32(&self, slot: OperandSlot) -> Option<u32> {
        match slot.place() {
            OperandLocation::Constant(index) => Some(self.plain.constant32(index)),
            OperandLocation::None => Some(0),
            OperandLocation::Register(index) => {
                let number = self.known_register(RegisterBank::B32, index);
                number.map(|number| number as u32)
            }
            OperandLocation::Special(_) => None,
        }
    }

    /// Returns the temporary local with number `n` and the given type. The value of the local is valid only during the
    /// translation of one operation.
    pub(crate) fn temporary(&mut self, ty: ValType, n: usize) -> u32 {
        if let Some(local) = self.temporaries.get(&(ty, n)) {
            return *local;
        }
        let local = self.local(ty);
        self.temporaries.insert((ty, n), local);
        local
    }

    /// Writes the value on the stack to a part of a register, in the lanes that the guard enables.
    fn write(&mut self, register: RegisterKey, part: u32) {
        if let Some(scalar) = self.scalars.get(&register).copied() {
            return self.write_scalar(scalar, register, part);
        }
        // Inactive lanes must keep their values only in registers that these lanes read later.
        let is_read = |kept: &BTreeSet<RegisterKey>| kept.contains(&register);
        let guard = self
            .guard
            .filter(|_| self.is_guarded() || self.predicated_side.as_ref().is_none_or(is_read));
        if guard.is_some() {
            self.read_register(register);
        }
        let local = self.home(register).local + part;
        if let Some(guard) = guard {
            self.get_all([local, guard]);
            if register.0 == RegisterBank::B64 {
                self.op(halves(part));
            }
            self.op(I::V128Bitselect);
        }
        self.touched[self.block].written.insert(register);
        self.definitions
            .entry(register)
            .or_default()
            .insert(self.at);
        self.address_patterns
            .retain(|(base, _), _| *base != register);
        self.set(local);
    }

    pub(crate) fn write32(&mut self, slot: OperandSlot) {
        match slot.place() {
            OperandLocation::Register(index) => {
                self.write(self.frame_register(RegisterBank::B32, index), 0)
            }
            _ => self.op(I::Drop),
        }
    }

    pub(crate) fn write64(&mut self, slot: OperandSlot, half: u32) {
        match slot.place() {
            OperandLocation::Register(index) => {
                self.write(self.frame_register(RegisterBank::B64, index), half)
            }
            _ => self.op(I::Drop),
        }
    }

    pub(crate) fn write_predicate(&mut self, slot: OperandSlot) {
        match slot.place() {
            OperandLocation::Register(index) => {
                self.write(self.frame_register(RegisterBank::Predicate, index), 0)
            }
            _ => self.op(I::Drop),
        }
    }

    /// Calls `one` for each lane. `one` emits code that pushes the 32-bit result of the lane. The results form a row on
    /// the stack.
    pub(crate) fn each_lane(&mut self, mut one: impl FnMut(&mut Self, u8)) {
        self.op(splat32(0));
        for lane in 0..SUBWARP_LANES as u8 {
            one(self, lane);
            self.op(I::I32x4ReplaceLane(lane));
        }
    }

    /// Calls `one` for the two 64-bit lanes of a half row. `one` emits code that pushes the 64-bit result of the lane.
    pub(crate) fn each_wide_lane(&mut self, mut one: impl FnMut(&mut Self, u8)) {
        self.op(splat64(0));
        for lane in 0..2 {
            one(self, lane);
            self.op(I::I64x2ReplaceLane(lane));
        }
    }

    /// Saves registers to the context record whose address is in the local `to`.
    pub(crate) fn save(&mut self, to: u32, registers: &BTreeSet<RegisterKey>) {
        for register in registers {
            let home = self.home(*register);
            let scalar = self.scalars.get(register).copied();
            for part in 0..parts(*register) {
                self.get(to);
                match scalar {
                    Some(scalar) => self.splat(register.0, scalar, part),
                    None => self.get_canonical(*register, home.local + part),
                }
                let offset = record::REGISTERS + home.offset + 16 * part;
                self.op(I::V128Store(at(offset)));
            }
        }
    }

    pub(crate) fn load(&mut self, registers: &BTreeSet<RegisterKey>) {
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

    /// Emits an instruction that is not a control-flow instruction, so that its lanes continue with the next
    /// instruction.
    pub(crate) fn emit_straight_line(
        &mut self,
        instr: &DecodedInstruction,
    ) -> Result<(), BailoutReason> {
        let is_on_detour = self.predicated_side.is_some();
        self.guard = is_on_detour.then_some(self.names.detour);
        if instr.guard.place() != OperandLocation::None {
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
            // A draft does not stop at the first instruction without a translation, but collects the bailout reasons of
            // all such instructions.
            Err(refusal) if self.writes == EmitMode::Draft => {
                self.refused.push(refusal);
                Ok(())
            }
            done => done,
        }
    }

    /// Pushes the mask of the lanes whose guard is true.
    fn read_guard(&mut self, instr: &DecodedInstruction) -> Result<(), BailoutReason> {
        self.read_predicate(instr.guard)?;
        if instr.negated {
            self.op(I::V128Not);
        }
        Ok(())
    }

    /// Pushes a row with all ones in the lanes of the mask in the local `mask`.
    fn spread_lanes(&mut self, mask: u32) {
        self.get(mask);
        self.ops(runtime::spread_lanes());
    }

    /// Checks whether the current instruction itself has a guard.
    fn is_guarded(&self) -> bool {
        self.guard == Some(self.names.guard)
    }

    fn operation(&mut self, op: &DecodedOp) -> Result<(), BailoutReason> {
        if self.primitive_operation(op)? {
            return Ok(());
        }
        match *op {
            DecodedOp::Float32 { f, mode, slots } => self.float32(f, mode, slots),
            DecodedOp::Float64 { f, mode, slots } => self.float64(f, mode, slots),
            DecodedOp::Float32x2 { f, mode, slots } => self.float32x2(f, mode, slots),
            DecodedOp::Half { f, ty, mode, slots } => self.half(f, ty, mode, slots),
            DecodedOp::ConvertPacked {
                ref conversion,
                d,
                a,
                b,
            } => self.convert_packed(conversion, [d, a, b]),
            DecodedOp::Convert {
                ref conversion,
                d,
                a,
            } => self.convert(conversion, d, a),
            DecodedOp::Load(plan) => self.load_or_store(plan, memory::AccessDirection::Load),
            DecodedOp::Store(plan) => self.load_or_store(plan, memory::AccessDirection::Store),
            DecodedOp::Atomic(plan) => self.atomic(plan),
            DecodedOp::StartAsync(plan) => self.copy(plan),
            DecodedOp::Nop | DecodedOp::Fence => Ok(()),
            DecodedOp::Trap => {
                self.bail_out(stop::FAULT);
                Ok(())
            }
            // A system call prints a message or ends the launch, which only the interpreter implements.
            DecodedOp::SystemCall { .. } => {
                self.bail_out(stop::UNSUPPORTED);
                Ok(())
            }
            DecodedOp::Int16 { .. }
            | DecodedOp::Int32 { .. }
            | DecodedOp::Int64 { .. }
            | DecodedOp::Shift64 { .. }
            | DecodedOp::Count64 { .. }
            | DecodedOp::Extract64 { .. }
            | DecodedOp::Insert32(_)
            | DecodedOp::Insert64(_)
            | DecodedOp::Wide16 { .. }
            | DecodedOp::Wide32 { .. }
            | DecodedOp::Carry32 { .. }
            | DecodedOp::Carry64 { .. }
            | DecodedOp::Int16x2 { .. }
            | DecodedOp::Int8x4 { .. }
            | DecodedOp::Mov32 { .. }
            | DecodedOp::Mov64 { .. }
            | DecodedOp::MovPredicate { .. }
            | DecodedOp::Extend32 { .. }
            | DecodedOp::Truncate64 { .. }
            | DecodedOp::Offset { .. }
            | DecodedOp::AlignDown { .. }
            | DecodedOp::Select32 { .. }
            | DecodedOp::Select64 { .. }
            | DecodedOp::PredicateLogic { .. }
            | DecodedOp::SetPredicate { .. }
            | DecodedOp::Set { .. }
            | DecodedOp::Policy { .. } => self.unsupported(format!("{op:?}")),
            DecodedOp::Pack { .. } | DecodedOp::Unpack { .. } => {
                self.unsupported("a 128-bit register")
            }
            DecodedOp::Video { .. }
            | DecodedOp::ConvertBy { .. }
            | DecodedOp::TestFloat { .. }
            | DecodedOp::SelectSign { .. }
            | DecodedOp::Modify { .. } => {
                self.unsupported("an operation that has no form with SIMD instructions")
            }
            DecodedOp::Mov128 { .. } => self.unsupported("a 128-bit register"),
            DecodedOp::Collective { .. }
            | DecodedOp::Matrix { .. }
            | DecodedOp::WarpBarrier { .. }
            | DecodedOp::ActiveMask { .. }
            | DecodedOp::AsyncCommit { .. }
            | DecodedOp::AsyncWait { .. } => {
                self.unsupported("a warp-level operation under a guard")
            }
            DecodedOp::Barrier { .. } => self.unsupported("a barrier under a guard"),
            DecodedOp::Branch { .. } | DecodedOp::Return | DecodedOp::Exit => {
                self.unsupported("a branch within a block")
            }
            DecodedOp::Call { .. }
            | DecodedOp::BranchIndexed { .. }
            | DecodedOp::BranchIndirect { .. } => {
                self.unsupported("a branch or call whose target depends on a register")
            }
            DecodedOp::Machine { .. }
            | DecodedOp::AddressSum { .. }
            | DecodedOp::BranchDivergent { .. }
            | DecodedOp::Reconverge { .. }
            | DecodedOp::ReconvergeUnlessYielded { .. }
            | DecodedOp::BreakConvergence { .. }
            | DecodedOp::YieldConvergence
            | DecodedOp::Yield => self.unsupported("a SASS-only operation"),
            DecodedOp::ClusterArrive
            | DecodedOp::ClusterWait
            | DecodedOp::MapToRank { .. }
            | DecodedOp::RankOf { .. } => self.unsupported("an operation on a cluster"),
            DecodedOp::Mbarrier { .. } | DecodedOp::PendingCount { .. } => {
                self.unsupported("an operation on an mbarrier")
            }
            DecodedOp::TensorCopy { .. } | DecodedOp::TensorMap { .. } => {
                self.unsupported("a tensor copy")
            }
            DecodedOp::Warpgroup { .. } | DecodedOp::CheckInFlight { .. } => {
                self.unsupported("a warpgroup-level matrix multiplication")
            }
            DecodedOp::TensorMemory { .. } => self.unsupported("an operation on tensor memory"),
            DecodedOp::Image { .. } => self.unsupported("a texture or surface operation"),
            DecodedOp::Multimem { .. } => self.unsupported("an operation on multicast memory"),
            DecodedOp::BulkFill { .. } => self.unsupported("a bulk fill"),
            DecodedOp::IsSpace { .. } => self.unsupported("an address space test (`isspacep`)"),
            DecodedOp::Stack { .. } => self.unsupported("a stack allocation (`alloca`)"),
            DecodedOp::Launch { .. } => self.unsupported("a cluster launch control operation"),
            DecodedOp::Unsupported { .. } => {
                self.unsupported("an instruction that the emulator does not support")
            }
        }
    }

    /// Emits code that returns from the function with the exit code on the stack, unless this exit code is zero. The
    /// code saves the exit code in the local `kept`.
    fn return_if_nonzero(&mut self, kept: u32) {
        self.ops(runtime::returns_if(kept));
    }

    /// Emits a bailout that is taken if any active lane reaches the current instruction.
    fn bail_out(&mut self, reason: u32) {
        self.set_active_lanes();
        self.get(self.names.active);
        self.bail_out_if_nonzero(reason);
    }

    /// Pushes a register element of at most 32 bits as a row of 32-bit lanes.
    pub(crate) fn read_element32(&mut self, element: RegisterOperand) -> Result<(), BailoutReason> {
        match element.bank {
            RegisterBank::B32 => self.read32(element.slot),
            RegisterBank::B64 => {
                self.read64(element.slot, 0)?;
                self.read64(element.slot, 1)?;
                self.op(low_words());
                Ok(())
            }
            RegisterBank::B128 | RegisterBank::Predicate => {
                self.unsupported("a source with a different width")
            }
        }
    }
}
