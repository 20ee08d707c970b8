//! Prologue of a snippet: instructions that initialize the inferred registers with values that differ between lanes.

use crate::check::body::checker::BodyChecker;
use crate::check::body::function_builder::SyntheticInstruction;
use crate::check::body::inference::memory_use::{BarrierUse, MemoryUse, memory_of};
use crate::check::body::iota_data::counting;
use crate::check::body::lower::{destination, register, source};
use crate::check::body::unit_initial_value::WARP;
use crate::check::names::binding::Binding;
use warpgrid_isa::{
    ArithmeticOp, CompareOp, Flag, Flags, MbarrierOp, MemoryOp, Modifiers, MoveOp, MulPart,
    Operation, Rounding, ScalarType, Scope, Sem, SpecialRegister, StateSpace, SyncOp, TypeKind,
};
use warpgrid_program::{
    Address, AddressBase, Guard, Instruction, OpcodeInfo, Operand, OperandValue, Parameter,
    RegisterId, RegisterTuple, Source, Span, StepGrouping, VariableId, counted,
};

/// Size in bytes of an inferred array in shared memory whose start all lanes access.
const SHARED_PLACE: u64 = 2048;

/// Size in bytes of an inferred array for an mbarrier object, which occupies 8 bytes.
const BARRIER_BYTES: u64 = 16;

/// Number of lanes, starting with lane 0, in which an inferred predicate is initially true.
const N_HOLDING: u64 = 16;

impl<'a> BodyChecker<'a, '_> {
    /// Inserts an instruction before the next instruction of the source, in the same step.
    pub(crate) fn insert_before(&mut self, inserted_instruction: SyntheticInstruction) {
        let SyntheticInstruction {
            operation,
            modifiers,
            opcode,
            operands,
            guard,
            span,
        } = inserted_instruction;
        let action = self.made.action(OpcodeInfo {
            operation,
            modifiers,
            opcode,
        });
        let start = self.body.operands.len();
        let place = |value| Operand { value, span };
        self.body.operands.extend(operands.into_iter().map(place));
        let operands = self.body.close_list(start);
        self.body.instructions.push(Instruction {
            guard,
            opcode: action,
            operands,
            step: StepGrouping::WithNext,
            span,
        });
    }

    /// Returns the register that contains the lane index. The first call creates the register.
    pub(crate) fn lane(&mut self) -> RegisterId {
        if let Some(lane) = self.snippet.lane {
            return lane;
        }
        let lane = self.body.registers.add("%inferred_lane", ScalarType::U32);
        self.insert_before(SyntheticInstruction::new(
            Operation::Move(MoveOp::Mov),
            "mov",
            ScalarType::U32,
            vec![
                destination(lane),
                source(Source::Special(match self.snippet.n_threads > WARP {
                    true => SpecialRegister::Tid(0),
                    false => SpecialRegister::Laneid,
                })),
            ],
        ));
        self.snippet.lane = Some(lane);
        lane
    }

    /// Initializes inferred registers: a scalar with the lane index, and component `i` of a vector with `lane * n + i`.
    pub(crate) fn start_value(&mut self, binding: Binding, ty: ScalarType, n: u8) {
        let first = match binding {
            Binding::Register(register) => register,
            Binding::Vector { first, .. } => first,
            _ => return,
        };
        for component in 0..u32::from(n) {
            let d = RegisterId(first.0 + component);
            let number = self.counted(u64::from(n), u64::from(component));
            let value = self.value_of(number, d, ty);
            self.insert_before(value);
        }
    }

    /// Returns a register that contains `lane * n + i`.
    fn counted(&mut self, n: u64, i: u64) -> RegisterId {
        let lane = self.lane();
        if n <= 1 {
            return lane;
        }
        let name = format_args!("%inferred_{n}_{i}");
        let d = self.body.registers.add_formatted(name, ScalarType::U32);
        let product = SyntheticInstruction::new(
            Operation::Arithmetic(ArithmeticOp::Mad),
            "mad.lo",
            ScalarType::U32,
            vec![
                destination(d),
                source(register(lane)),
                source(Source::Immediate(n)),
                source(Source::Immediate(i)),
            ],
        );
        self.insert_before(product.part(MulPart::Lo));
        d
    }

    /// Declares a pointer to a buffer, which is a kernel parameter, or to an array in the state space of `place`. Each lane accesses a
    /// separate location, or all lanes access the same location if `place.bytes` is 0. Returns the binding of the name, and a description
    /// of its declaration.
    pub(crate) fn declare_pointer(
        &mut self,
        text: &str,
        place: MemoryUse,
        given: Option<ScalarType>,
    ) -> (Binding, String) {
        let bytes = place.bytes;
        // Compute the number of bytes that the memory must contain before and after the address, rounded up to multiples of 16.
        let before = place.offsets.0.unsigned_abs().next_multiple_of(16);
        let after = place.offsets.1.unsigned_abs().next_multiple_of(16);
        let array = match place.space {
            // An mbarrier object is in shared memory, even if its address is generic.
            StateSpace::Generic if place.barrier.is_some() => StateSpace::Shared,
            StateSpace::Generic => StateSpace::Generic,
            space => memory_of(space),
        };
        if array == StateSpace::ParamFunc {
            return self.declare_call_parameter(text, place, u64::from(bytes) + after);
        }
        let size = match bytes {
            0 if place.barrier.is_some() => BARRIER_BYTES,
            0 => SHARED_PLACE,
            _ => u64::from(bytes) * u64::from(self.snippet.n_threads),
        } + before
            + after;
        let ty = given.unwrap_or(ScalarType::B64);
        let d = self.body.registers.add(text, ty);
        let name = format_args!("{text}.base");
        let base = self.body.registers.add_formatted(name, ScalarType::B64);
        let subject = match array {
            StateSpace::Generic | StateSpace::Global => {
                self.load_parameter(text, base);
                format!("`.reg .b64 {text};` (a buffer")
            }
            _ => self.load_array_address(text, place, array, size, base),
        };
        self.advance(base, before);
        // Lanes need no separate locations in an array in local memory, because each lane has its own local memory.
        let step = if array == StateSpace::Local { 0 } else { bytes };
        match ty.width_bits() {
            32 => self.step_by_lane_narrow(d, base, step),
            _ => self.step_by_lane(d, base, step),
        }
        let made = place.barrier.filter(|barrier| !barrier.is_made);
        let line = match (made, place.object) {
            (Some(barrier), _) => {
                let is_generic = place.space == StateSpace::Generic;
                let space = (!is_generic).then_some(StateSpace::Shared);
                let awaited = self.make_barrier(d, space, barrier);
                format!("{subject}, an mbarrier that expects {awaited})")
            }
            (None, Some(object)) => {
                format!("`.reg .b64 {text};` ({object}, provided by the launch)")
            }
            (None, None) if step == 0 => format!("{subject}, the same address for all lanes)"),
            (None, None) => format!("{subject}, {step} bytes per lane)"),
        };
        (Binding::Register(d), line)
    }

    /// Adds a number of bytes to an address.
    fn advance(&mut self, address: RegisterId, n_bytes: u64) {
        if n_bytes > 0 {
            let operands = vec![
                destination(address),
                source(register(address)),
                source(Source::Immediate(n_bytes)),
            ];
            let operation = Operation::Arithmetic(ArithmeticOp::Add);
            self.insert_before(SyntheticInstruction::new(
                operation,
                "add",
                ScalarType::U64,
                operands,
            ));
        }
    }

    /// Declares a parameter that the snippet accesses: a call parameter if the snippet stores to the parameter, otherwise a kernel
    /// parameter.
    fn declare_call_parameter(
        &mut self,
        text: &str,
        place: MemoryUse,
        size: u64,
    ) -> (Binding, String) {
        let (variable, note) = match place.is_stored {
            true => {
                let variable = self.inferred_variable(text, StateSpace::ParamFunc, size);
                (variable, "")
            }
            false => (self.inferred_parameter(text, size), " (a kernel parameter)"),
        };
        let line = format!("`.param .b8 {text}[{size}];`{note}");
        (Binding::Variable(variable), line)
    }

    /// Declares an array, and loads its address into `base`. A shared array that the snippet only reads contains ascending numbers. Returns
    /// the beginning of the array's declaration for the diagnostic.
    fn load_array_address(
        &mut self,
        text: &str,
        place: MemoryUse,
        array: StateSpace,
        size: u64,
        base: RegisterId,
    ) -> String {
        let is_read = array == StateSpace::Shared && !place.is_stored && place.barrier.is_none();
        let variable = self.inferred_variable(text, array, size);
        let address = Source::VariableAddress {
            variable,
            offset: 0,
            generic: place.space == StateSpace::Generic,
        };
        self.insert_before(SyntheticInstruction::new(
            Operation::Move(MoveOp::Mov),
            "mov",
            ScalarType::B64,
            vec![destination(base), source(address)],
        ));
        let subject = format!("`.{} .b8 {text}[{size}];` (an array", array.name());
        match (
            place.loaded.filter(|_| is_read),
            self.body.variables.last_mut(),
        ) {
            (Some(ty), Some(variable)) => {
                variable.init = counting(ty, size);
                format!("{subject} of {ty} values 0, 1, 2, …")
            }
            _ => subject,
        }
    }

    /// Emits the initialization of the mbarrier object at an address by the first lane, such that the operations of the snippet complete
    /// its phase. Returns a description of the expected arrivals. If the snippet contains no arrival, or does not specify the expected
    /// bytes of its asynchronous operations, the function inserts instructions with which each lane arrives and expects the bytes of its
    /// operations.
    fn make_barrier(
        &mut self,
        address: RegisterId,
        space: Option<StateSpace>,
        barrier: BarrierUse,
    ) -> String {
        let expects = barrier.bytes > 0 && !barrier.expects;
        let arrives = expects || barrier.arrivals == 0;
        let n_arrivals =
            u64::from(self.snippet.n_threads) * (u64::from(barrier.arrivals) + u64::from(arrives));
        self.init_barrier(address, space, n_arrivals);
        if barrier.bytes > 0 {
            self.fence_barrier();
        }
        if self.snippet.n_threads == WARP {
            self.sync_warp();
        }
        if arrives {
            let opcode = match expects {
                true => "mbarrier.arrive.expect_tx.shared",
                false => "mbarrier.arrive.shared",
            };
            let count = match expects {
                true => source(Source::Immediate(barrier.bytes.into())),
                false => OperandValue::Absent,
            };
            let place = register_address(address);
            let operands = vec![OperandValue::Destination(None), place, count];
            let mut arrival = mbarrier_instruction(MbarrierOp::Arrive, opcode, space, operands);
            if expects {
                arrival.modifiers.flags = arrival.modifiers.flags.with(Flag::ExpectTx);
            }
            self.insert_before(arrival);
        }
        match expects {
            true => format!("{} bytes per lane", barrier.bytes),
            false => counted(n_arrivals, "arrival"),
        }
    }

    /// Emits instructions with which the first lane initializes an mbarrier object.
    fn init_barrier(&mut self, address: RegisterId, space: Option<StateSpace>, n_arrivals: u64) {
        let lane = self.lane();
        let name = "%inferred_first";
        let first = self.body.registers.add(name, ScalarType::Pred);
        let lane = source(register(lane));
        self.insert_before(SyntheticInstruction::compared(
            CompareOp::Eq,
            first,
            lane,
            0,
        ));
        let operands = vec![
            register_address(address),
            source(Source::Immediate(n_arrivals)),
        ];
        let opcode = "mbarrier.init.shared";
        let mut init = mbarrier_instruction(MbarrierOp::Init, opcode, space, operands);
        init.guard = Some(Guard {
            predicate: first,
            negated: false,
        });
        self.insert_before(init);
    }

    /// Inserts `fence.mbarrier_init.release.cluster`, which makes the initialized mbarrier object visible to asynchronous
    /// operations.
    fn fence_barrier(&mut self) {
        let modifiers = Modifiers {
            sem: Some(Sem::Release),
            scope: Some(Scope::Cluster),
            flags: Flags::default().with(Flag::MbarrierInit),
            ..Modifiers::default()
        };
        let opcode = "fence.mbarrier_init.release.cluster".to_owned();
        let operation = Operation::Sync(SyncOp::Fence);
        self.insert_before(SyntheticInstruction::with_modifiers(
            operation,
            modifiers,
            opcode,
            Vec::new(),
        ));
    }

    /// Inserts `bar.warp.sync 0xffffffff`, which makes the writes of one lane visible to the other lanes of the warp.
    fn sync_warp(&mut self) {
        self.insert_before(SyntheticInstruction::with_modifiers(
            Operation::Sync(SyncOp::WarpBarrier),
            Modifiers::default(),
            "bar.warp.sync".to_owned(),
            vec![source(Source::Immediate(u32::MAX.into()))],
        ));
    }

    /// Computes `d = base + lane * step` in a 32-bit register, for addresses in shared memory.
    fn step_by_lane_narrow(&mut self, d: RegisterId, base: RegisterId, step: u32) {
        let name = format_args!("%inferred_wide_{}", d.0);
        let wide = self.body.registers.add_formatted(name, ScalarType::B64);
        self.step_by_lane(wide, base, step);
        let wide = source(register(wide));
        self.insert_before(SyntheticInstruction::conversion(
            ScalarType::U32,
            ScalarType::U64,
            d,
            wide,
        ));
    }

    /// Computes `d = base + lane * step` in a 64-bit register.
    fn step_by_lane(&mut self, d: RegisterId, base: RegisterId, step: u32) {
        let lane = self.lane();
        let product = SyntheticInstruction::new(
            Operation::Arithmetic(ArithmeticOp::Mad),
            "mad.wide",
            ScalarType::U32,
            vec![
                destination(d),
                source(register(lane)),
                source(Source::Immediate(step.into())),
                source(register(base)),
            ],
        );
        self.insert_before(product.part(MulPart::Wide));
    }

    /// Declares a parameter of the implicit kernel.
    fn inferred_parameter(&mut self, text: &str, size_bytes: u64) -> VariableId {
        let id = self.inferred_variable(text, StateSpace::ParamEntry, size_bytes);
        if let Some(variable) = self.body.variables.last_mut() {
            if size_bytes == 8 {
                variable.ty = ScalarType::U64;
            }
            variable.align_bytes = 8;
        }
        if let VariableId::Function(index) = id {
            self.body.parameters.push(Parameter::Variable(index));
        }
        id
    }

    fn load_parameter(&mut self, text: &str, d: RegisterId) {
        let variable = self.inferred_parameter(text, 8);
        let address = Address::new(AddressBase::Variable(variable), 0);
        let mut load = SyntheticInstruction::new(
            Operation::Memory(MemoryOp::Load),
            "ld.param",
            ScalarType::U64,
            vec![
                destination(d),
                OperandValue::Address(address),
                OperandValue::Absent,
            ],
        );
        load.modifiers.space = Some(StateSpace::ParamEntry);
        self.insert_before(load);
    }

    /// Returns the instruction that converts `number` to the type `ty` and assigns the result to `d`.
    fn value_of(
        &mut self,
        number: RegisterId,
        d: RegisterId,
        ty: ScalarType,
    ) -> SyntheticInstruction {
        let a = source(register(number));
        if ty == ScalarType::Pred {
            return SyntheticInstruction::compared(CompareOp::Lt, d, a, N_HOLDING);
        }
        let to = match (ty, ty.width_bits()) {
            (ScalarType::F16 | ScalarType::Bf16 | ScalarType::F32 | ScalarType::F64, _) => ty,
            // Initialize a register with packed elements like an integer register of the same width.
            (_, 0..=16) => ScalarType::U16,
            (_, 64) => ScalarType::U64,
            (_, 128) => return self.quad_of(a, d),
            _ => ScalarType::U32,
        };
        let operands = vec![destination(d), a];
        if to == ScalarType::U32 {
            return SyntheticInstruction::new(Operation::Move(MoveOp::Mov), "mov", to, operands);
        }
        let from = ScalarType::U32;
        let rounding = (to.kind() == TypeKind::Float).then_some(Rounding::Rn);
        let rounded = rounding.map_or(String::new(), |rounding| format!(".{}", rounding.name()));
        let modifiers = Modifiers {
            d_type: Some(to),
            a_type: Some(from),
            rounding,
            ..Modifiers::default()
        };
        let opcode = format!("cvt{rounded}.{to}.{from}");
        SyntheticInstruction::with_modifiers(
            Operation::Move(MoveOp::Cvt),
            modifiers,
            opcode,
            operands,
        )
    }

    /// Returns an instruction that creates a 128-bit value. The low word of the value is the given number.
    fn quad_of(&mut self, number: OperandValue, d: RegisterId) -> SyntheticInstruction {
        let first = self.body.elements.len();
        self.body.push_element(number, Span::at(0));
        for _ in 0..3 {
            self.body
                .push_element(source(Source::Immediate(0)), Span::at(0));
        }
        let list = self.body.list_from(first);
        SyntheticInstruction::new(
            Operation::Move(MoveOp::Mov),
            "mov",
            ScalarType::B128,
            vec![destination(d), list],
        )
    }
}

/// Returns an address operand that consists of a register.
fn register_address(register: RegisterId) -> OperandValue {
    let base = AddressBase::Register(RegisterTuple::one(register));
    OperandValue::Address(Address::new(base, 0))
}

fn mbarrier_instruction(
    op: MbarrierOp,
    opcode: &str,
    space: Option<StateSpace>,
    operands: Vec<OperandValue>,
) -> SyntheticInstruction {
    let mut inserted =
        SyntheticInstruction::new(Operation::Mbarrier(op), opcode, ScalarType::B64, operands);
    inserted.modifiers.space = space;
    inserted
}
