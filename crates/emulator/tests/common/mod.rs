//! Builder of small programs, for tests and benchmarks that must not depend on a front end.
#![allow(
    dead_code,
    reason = "the allocation test and the lane benchmark use only some of the helpers"
)]
use std::sync::Arc;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;
use warpgrid_isa::*;
use warpgrid_program::*;

/// A kernel under construction.
pub(crate) struct Kernel {
    pub(crate) function: Function,
    pub(crate) variables: Vec<warpgrid_program::Variable>,
    pub(crate) buffers: Vec<BufferInit>,
    pub(crate) arguments: Vec<KernelArgument>,
    pub(crate) actions: Vec<OpcodeInfo>,
    labels: Vec<Option<u32>>,
    guard: Option<Guard>,
    step: StepGrouping,
}

/// A branch target.
#[derive(Clone, Copy)]
pub(crate) struct Label(u32);

/// An operand: a single value or a list.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    One(OperandValue),
    List(Vec<OperandValue>),
}

impl From<OperandValue> for Arg {
    fn from(value: OperandValue) -> Arg {
        Arg::One(value)
    }
}

impl From<Source> for Arg {
    fn from(source: Source) -> Arg {
        Arg::One(value(source))
    }
}

impl From<Address> for Arg {
    fn from(address: Address) -> Arg {
        Arg::One(OperandValue::Address(address))
    }
}

/// Returns a source operand without modifiers.
pub(crate) fn value(source: Source) -> OperandValue {
    OperandValue::Source(source, SourceModifiers::NONE)
}

/// Returns a destination register operand.
pub(crate) fn to(register: RegisterId) -> Arg {
    Arg::One(written(register))
}

pub(crate) fn written(register: RegisterId) -> OperandValue {
    OperandValue::Destination(Some(RegisterTuple::one(register)))
}

/// `d|p`
pub(crate) fn pair(d: Option<RegisterId>, p: Option<RegisterId>) -> Arg {
    Arg::One(OperandValue::Pair(d.map(RegisterTuple::one), p))
}

/// Returns a predicate source operand.
pub(crate) fn holds(register: RegisterId, negated: bool) -> Arg {
    let source = reg(register);
    Arg::One(OperandValue::Predicate { source, negated })
}

pub(crate) const ABSENT: Arg = Arg::One(OperandValue::Absent);

pub(crate) fn reg(register: RegisterId) -> Source {
    Source::Register(RegisterTuple::one(register))
}

pub(crate) fn imm(value: u64) -> Source {
    Source::Immediate(value)
}

pub(crate) fn imm_f32(value: f32) -> Source {
    Source::Immediate(u64::from(value.to_bits()))
}

pub(crate) fn special(name: &str) -> Source {
    Source::Special(SpecialRegister::from_name(name).unwrap())
}

/// Returns the address of a variable in its state space.
pub(crate) fn address_of(variable: VariableId) -> Source {
    Source::VariableAddress {
        variable,
        offset: 0,
        generic: false,
    }
}

/// `[variable]`
pub(crate) fn place(variable: VariableId) -> Address {
    Address::new(AddressBase::Variable(variable), 0)
}

pub(crate) fn at(register: RegisterId, offset: i64) -> Address {
    Address::new(AddressBase::Register(RegisterTuple::one(register)), offset)
}

/// Returns the base register of `[register + offset]`.
pub(crate) fn base_of(address: Address) -> RegisterId {
    match address.base {
        AddressBase::Register(run) => run.first,
        _ => panic!("no register"),
    }
}

/// Returns modifiers that contain only a type.
pub(crate) fn typed(ty: ScalarType) -> Modifiers {
    Modifiers {
        ty: Some(ty),
        ..Modifiers::default()
    }
}

/// Returns the modifiers of a memory access.
pub(crate) fn access(space: StateSpace, ty: ScalarType) -> Modifiers {
    Modifiers {
        space: Some(space),
        ..typed(ty)
    }
}

/// An arithmetic operation with its modifiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calc {
    pub(crate) op: ArithmeticOp,
    pub(crate) modifiers: Modifiers,
    /// Lookup table of `lop3`.
    table: Option<u8>,
}

impl From<ArithmeticOp> for Calc {
    fn from(op: ArithmeticOp) -> Calc {
        Calc {
            op,
            modifiers: Modifiers::default(),
            table: None,
        }
    }
}

impl Calc {
    pub(crate) fn part(self, part: MulPart) -> Calc {
        self.with(|m| m.part = Some(part))
    }

    pub(crate) fn round(self, rounding: Rounding) -> Calc {
        self.with(|m| m.rounding = Some(rounding))
    }

    pub(crate) fn flag(self, flag: Flag) -> Calc {
        self.with(|m| m.flags = m.flags.with(flag))
    }

    pub(crate) fn overflow(self, mode: OverflowMode) -> Calc {
        self.with(|m| m.overflow = Some(mode))
    }

    pub(crate) fn table(mut self, table: u8) -> Calc {
        self.table = Some(table);
        self
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Modifiers)) -> Calc {
        change(&mut self.modifiers);
        self
    }

    /// Returns the type of the result.
    fn result(&self, ty: ScalarType) -> ScalarType {
        use ArithmeticOp as A;
        match (self.op, self.modifiers.part, ty) {
            (A::Mul | A::Mad, Some(MulPart::Wide), ScalarType::U32) => ScalarType::U64,
            (A::Mul | A::Mad, Some(MulPart::Wide), ScalarType::S32) => ScalarType::S64,
            (A::Mul | A::Mad, Some(MulPart::Wide), ScalarType::U16) => ScalarType::U32,
            (A::Mul | A::Mad, Some(MulPart::Wide), _) => ScalarType::S32,
            (A::Popc | A::Clz | A::Bfind, ..) => ScalarType::U32,
            _ => ty,
        }
    }
}

pub(crate) fn mul(part: MulPart) -> Calc {
    Calc::from(ArithmeticOp::Mul).part(part)
}

pub(crate) fn mad(part: MulPart) -> Calc {
    Calc::from(ArithmeticOp::Mad).part(part)
}

pub(crate) fn function(name: &str, kind: FunctionKind) -> Function {
    Function {
        name: name.to_owned(),
        kind,
        defined: true,
        parameters: Vec::new(),
        returns: Vec::new(),
        variables: Vec::new(),
        registers: Registers::default(),
        instructions: Vec::new(),
        operands: Vec::new(),
        labels: Vec::new(),
        results: Vec::new(),
        bounds: LaunchBounds::default(),
        machine: None,
        span: Span::default(),
    }
}

pub(crate) fn variable(
    name: &str,
    space: StateSpace,
    size: u64,
    align: u32,
) -> warpgrid_program::Variable {
    warpgrid_program::Variable {
        name: name.to_owned(),
        space,
        ty: ScalarType::B8,
        size_bytes: size,
        align_bytes: align,
        dynamic: false,
        has_linkage: false,
        init: Vec::new(),
        relocations: Vec::new(),
        span: Span::default(),
    }
}

impl Kernel {
    pub(crate) fn new() -> Kernel {
        Kernel {
            function: function("kernel", FunctionKind::Entry),
            variables: Vec::new(),
            buffers: Vec::new(),
            arguments: Vec::new(),
            actions: Vec::new(),
            labels: Vec::new(),
            guard: None,
            step: StepGrouping::Whole,
        }
    }

    pub(crate) fn register(&mut self, ty: ScalarType) -> RegisterId {
        let number = self.function.registers.len() as u32;
        self.function.registers.add_numbered("%r", number, ty)
    }

    /// Sets the guard of the next instruction.
    pub(crate) fn when(&mut self, predicate: RegisterId, negated: bool) -> &mut Kernel {
        self.guard = Some(Guard { predicate, negated });
        self
    }

    /// Makes the next instruction share a step with the instruction after it.
    pub(crate) fn with_next(&mut self) -> &mut Kernel {
        self.step = StepGrouping::WithNext;
        self
    }

    pub(crate) fn op(&mut self, operation: Operation, modifiers: Modifiers, operands: &[Arg]) {
        let list = |arena: &mut Vec<Operand>, values: &[OperandValue]| {
            let start = arena.len() as u32;
            arena.extend(values.iter().cloned().map(|value| Operand {
                value,
                span: Span::default(),
            }));
            OperandList {
                start,
                n: values.len() as u32,
            }
        };
        let arena = &mut self.function.operands;
        let values: Vec<OperandValue> = operands
            .iter()
            .map(|arg| match arg {
                Arg::One(value) => value.clone(),
                Arg::List(values) => OperandValue::List(list(arena, values)),
            })
            .collect();
        let operands = list(arena, &values);
        let action = OpcodeInfo {
            operation,
            modifiers,
            opcode: format!("{operation:?}"),
        };
        self.actions.push(action);
        self.function.instructions.push(Instruction {
            guard: self.guard.take(),
            opcode: OpcodeId(self.actions.len() as u32 - 1),
            operands,
            step: std::mem::take(&mut self.step),
            span: Span::default(),
        });
    }

    /// Emits a control instruction without operands.
    pub(crate) fn control(&mut self, op: ControlOp) {
        self.op(Operation::Control(op), Modifiers::default(), &[]);
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    pub(crate) fn here(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.function.instructions.len() as u32);
    }

    pub(crate) fn bra(&mut self, label: Label) {
        let target = Arg::One(OperandValue::Label(label.0));
        self.op(
            Operation::Control(ControlOp::Branch),
            Modifiers::default(),
            &[target],
        );
    }

    pub(crate) fn arith(
        &mut self,
        form: impl Into<Calc>,
        ty: ScalarType,
        sources: &[Source],
    ) -> RegisterId {
        let form = form.into();
        let d = self.register(form.result(ty));
        self.arith_to(d, form, ty, sources);
        d
    }

    /// Emits an arithmetic instruction with an existing destination register.
    pub(crate) fn arith_to(
        &mut self,
        d: RegisterId,
        form: impl Into<Calc>,
        ty: ScalarType,
        sources: &[Source],
    ) {
        let form = form.into();
        let mut operands = vec![to(d)];
        operands.extend(sources.iter().map(|source| Arg::from(*source)));
        operands.extend(form.table.map(|table| Arg::from(imm(u64::from(table)))));
        let modifiers = Modifiers {
            ty: Some(ty),
            ..form.modifiers
        };
        self.op(Operation::Arithmetic(form.op), modifiers, &operands);
    }

    pub(crate) fn mov(&mut self, ty: ScalarType, a: Source) -> RegisterId {
        let d = self.register(ty);
        self.op(Operation::Move(MoveOp::Mov), typed(ty), &[to(d), a.into()]);
        d
    }

    pub(crate) fn setp(
        &mut self,
        compare: CompareOp,
        ty: ScalarType,
        a: Source,
        b: Source,
    ) -> RegisterId {
        let d = self.register(ScalarType::Pred);
        let modifiers = Modifiers {
            compare: Some(compare),
            ..typed(ty)
        };
        self.op(
            Operation::Compare(ComparisonOp::Setp),
            modifiers,
            &[pair(Some(d), None), a.into(), b.into()],
        );
        d
    }

    /// Adds a kernel parameter and returns its address.
    pub(crate) fn parameter(&mut self, bytes: &[u8], buffer: Option<BufferIndex>) -> Address {
        let index = self.function.variables.len() as u32;
        self.function.variables.push(variable(
            &format!("param_{index}"),
            StateSpace::ParamEntry,
            bytes.len() as u64,
            bytes.len().next_power_of_two().min(16) as u32,
        ));
        self.function.parameters.push(Parameter::Variable(index));
        self.arguments.push(KernelArgument {
            align_bytes: 8,
            bytes: bytes.to_vec(),
            pointers: buffer
                .into_iter()
                .map(|buffer| PointerRelocation {
                    byte_offset: 0,
                    buffer,
                    addend: 0,
                })
                .collect(),
        });
        place(VariableId::Function(index))
    }

    /// Adds a buffer and a parameter that points to it. Returns a register with the address of the buffer.
    pub(crate) fn buffer(&mut self, name: &str, contents: BufferContents) -> RegisterId {
        let index = BufferIndex(self.buffers.len() as u32);
        self.buffers.push(BufferInit {
            name: name.to_owned(),
            contents,
            align_bytes: 256,
            pointers: Vec::new(),
        });
        let address = self.parameter(&[0; 8], Some(index));
        self.load(StateSpace::ParamFunc, ScalarType::U64, address)
    }

    pub(crate) fn scalar(&mut self, ty: ScalarType, value: u64) -> RegisterId {
        let n = ty.width_bytes() as usize;
        let address = self.parameter(&value.to_le_bytes()[..n], None);
        self.load(StateSpace::ParamFunc, ty, address)
    }

    pub(crate) fn load(
        &mut self,
        space: StateSpace,
        ty: ScalarType,
        address: Address,
    ) -> RegisterId {
        let d = self.register(ty);
        self.op(
            Operation::Memory(MemoryOp::Load),
            access(space, ty),
            &[to(d), address.into(), ABSENT],
        );
        d
    }

    pub(crate) fn store(
        &mut self,
        space: StateSpace,
        ty: ScalarType,
        address: Address,
        source: Source,
    ) {
        self.op(
            Operation::Memory(MemoryOp::Store),
            access(space, ty),
            &[address.into(), source.into(), ABSENT],
        );
    }

    /// Emits `atom.global`. `cas` has two elements in `sources`.
    pub(crate) fn atom(
        &mut self,
        op: AtomicOp,
        ty: ScalarType,
        address: Address,
        sources: &[Source],
    ) -> RegisterId {
        let d = self.register(ty);
        let modifiers = Modifiers {
            atomic: Some(op),
            ..access(StateSpace::Global, ty)
        };
        let mut operands = vec![to(d), address.into()];
        operands.extend(sources.iter().map(|source| Arg::from(*source)));
        operands.push(ABSENT);
        self.op(Operation::Memory(MemoryOp::Atomic), modifiers, &operands);
        d
    }

    pub(crate) fn shared(&mut self, size: u64, align: u32) -> VariableId {
        let index = self.function.variables.len() as u32;
        self.function
            .variables
            .push(variable("shared", StateSpace::Shared, size, align));
        VariableId::Function(index)
    }

    /// base + index * scale
    pub(crate) fn element(&mut self, base: RegisterId, index: Source, scale: u64) -> Address {
        let offset = self.arith(mul(MulPart::Wide), ScalarType::U32, &[index, imm(scale)]);
        let sum = &[reg(base), reg(offset)];
        at(self.arith(ArithmeticOp::Add, ScalarType::U64, sum), 0)
    }

    /// Resolves the labels of the function and appends its actions to the actions of the module.
    fn finish(mut self, actions: &mut Vec<OpcodeInfo>) -> Function {
        for operand in &mut self.function.operands {
            if let OperandValue::Label(label) = &mut operand.value {
                *label = self.labels[*label as usize].unwrap();
            }
        }
        for instruction in &mut self.function.instructions {
            instruction.opcode.0 += actions.len() as u32;
        }
        actions.append(&mut self.actions);
        self.function
    }

    pub(crate) fn program(self) -> (Arc<Program>, Vec<BufferInit>, Vec<KernelArgument>) {
        self.program_for(Target::from_name("sm_90").unwrap())
    }

    pub(crate) fn program_for(
        mut self,
        target: &'static Target,
    ) -> (Arc<Program>, Vec<BufferInit>, Vec<KernelArgument>) {
        let variables = std::mem::take(&mut self.variables);
        let buffers = std::mem::take(&mut self.buffers);
        let arguments = std::mem::take(&mut self.arguments);
        let mut actions = Vec::new();
        let functions = vec![self.finish(&mut actions)];
        let program = Program::from_checked(Module {
            version: Version::NEWEST,
            target,
            address_bits: 64,
            line_table: Default::default(),
            variables,
            functions,
            opcodes: actions,
        });
        (Arc::new(program), buffers, arguments)
    }

    pub(crate) fn launch(self, grid: [u32; 3], block: [u32; 3]) -> Machine {
        self.launch_seeded(grid, block, 0)
    }

    pub(crate) fn launch_seeded(self, grid: [u32; 3], block: [u32; 3], seed: u64) -> Machine {
        let (program, buffers, arguments) = self.program();
        let launch = launch(grid, block, buffers, arguments, seed);
        Machine::new(program, &launch, ResourceLimits::default()).unwrap()
    }
}

pub(crate) fn launch(
    grid: [u32; 3],
    block: [u32; 3],
    buffers: Vec<BufferInit>,
    arguments: Vec<KernelArgument>,
    seed: u64,
) -> Launch {
    Launch {
        images: Vec::new(),
        multicasts: Vec::new(),
        entry: FunctionId(0),
        grid,
        block,
        cluster: [1, 1, 1],
        dynamic_shared_bytes: 0,
        buffers,
        arguments,
        seed,
        schedule: Arc::default(),
        writer_tracking: WriterTracking::Off,
        registers: Vec::new(),
        misaligned: MisalignedPolicy::default(),
    }
}

pub(crate) fn words(machine: &Machine, buffer: u32) -> Vec<u32> {
    machine
        .memory(MemoryRegion::Buffer(BufferIndex(buffer)))
        .unwrap()
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| u32::from_le_bytes(*b))
        .collect()
}

pub(crate) fn bytes_of(words: &[u32]) -> BufferContents {
    BufferContents::Bytes(words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

pub(crate) fn floats(values: impl IntoIterator<Item = f32>) -> BufferContents {
    BufferContents::Bytes(values.into_iter().flat_map(f32::to_le_bytes).collect())
}

pub(crate) fn zeros(n_words: u64) -> BufferContents {
    BufferContents::Zeroed(4 * n_words)
}

/// blockIdx.x * blockDim.x + threadIdx.x
pub(crate) fn global_index(k: &mut Kernel) -> RegisterId {
    let ctaid = k.mov(ScalarType::U32, special("%ctaid.x"));
    let ntid = k.mov(ScalarType::U32, special("%ntid.x"));
    let tid = k.mov(ScalarType::U32, special("%tid.x"));
    let sources = &[reg(ctaid), reg(ntid), reg(tid)];
    k.arith(mad(MulPart::Lo), ScalarType::S32, sources)
}

/// y[i] = a * x[i] + y[i], with the instructions of a CUDA compiler.
pub(crate) fn saxpy(n: u32) -> Kernel {
    let mut k = Kernel::new();
    let x = k.buffer("x", floats((0..n).map(|i| i as f32 * 0.5)));
    let y = k.buffer("y", floats((0..n).map(|i| i as f32)));
    let n = k.scalar(ScalarType::U32, u64::from(n));
    let a = k.scalar(ScalarType::F32, u64::from(2.5f32.to_bits()));
    let i = global_index(&mut k);
    let outside = k.setp(CompareOp::Ge, ScalarType::S32, reg(i), reg(n));
    let end = k.label();
    k.when(outside, false).bra(end);
    let px = k.element(x, reg(i), 4);
    let vx = k.load(StateSpace::Global, ScalarType::F32, px);
    let py = k.element(y, reg(i), 4);
    let vy = k.load(StateSpace::Global, ScalarType::F32, py);
    let fma = Calc::from(ArithmeticOp::Fma).round(Rounding::Rn);
    let sum = k.arith(fma, ScalarType::F32, &[reg(a), reg(vx), reg(vy)]);
    k.store(StateSpace::Global, ScalarType::F32, py, reg(sum));
    k.here(end);
    k.control(ControlOp::Return);
    k
}

/// c = a * b for n x n matrices, with tiles of 16 x 16 elements and blocks of 16 x 16 threads.
pub(crate) fn matmul_tiled(n: u32) -> Kernel {
    let mut k = Kernel::new();
    let u32t = ScalarType::U32;
    let a = k.buffer("a", floats((0..n * n).map(|i| (i % 7) as f32)));
    let b = k.buffer("b", floats((0..n * n).map(|i| (i % 5) as f32)));
    let c = k.buffer("c", zeros(u64::from(n * n)));
    let tile_a = k.shared(1024, 4);
    let tile_b = k.shared(1024, 4);
    let (bx, by) = (
        k.mov(u32t, special("%ctaid.x")),
        k.mov(u32t, special("%ctaid.y")),
    );
    let (tx, ty) = (
        k.mov(u32t, special("%tid.x")),
        k.mov(u32t, special("%tid.y")),
    );
    let mad = mad(MulPart::Lo);
    let row = k.arith(mad, u32t, &[reg(by), imm(16), reg(ty)]);
    let col = k.arith(mad, u32t, &[reg(bx), imm(16), reg(tx)]);
    let sa = k.mov(u32t, address_of(tile_a));
    let sb = k.mov(u32t, address_of(tile_b));
    let row_a = k.arith(mad, u32t, &[reg(ty), imm(64), reg(sa)]);
    let put_a = k.arith(mad, u32t, &[reg(tx), imm(4), reg(row_a)]);
    let row_b = k.arith(mad, u32t, &[reg(ty), imm(64), reg(sb)]);
    let put_b = k.arith(mad, u32t, &[reg(tx), imm(4), reg(row_b)]);
    let col_b = k.arith(mad, u32t, &[reg(tx), imm(4), reg(sb)]);
    let ia = k.arith(mad, u32t, &[reg(row), imm(u64::from(n)), reg(tx)]);
    let ib = k.arith(mad, u32t, &[reg(ty), imm(u64::from(n)), reg(col)]);
    let pa = k.element(a, reg(ia), 4);
    let pb = k.element(b, reg(ib), 4);
    let sum = k.mov(ScalarType::F32, imm(0));
    let t = k.mov(u32t, imm(0));
    let (pa_register, pb_register) = (base_of(pa), base_of(pb));
    let head = k.label();
    k.here(head);
    let va = k.load(StateSpace::Global, ScalarType::F32, pa);
    k.store(StateSpace::Shared, ScalarType::F32, at(put_a, 0), reg(va));
    let vb = k.load(StateSpace::Global, ScalarType::F32, pb);
    k.store(StateSpace::Shared, ScalarType::F32, at(put_b, 0), reg(vb));
    barrier(&mut k);
    for i in 0..16 {
        let x = k.load(StateSpace::Shared, ScalarType::F32, at(col_b, i * 64));
        let y = k.load(StateSpace::Shared, ScalarType::F32, at(row_a, i * 4));
        k.arith_to(
            sum,
            ArithmeticOp::Fma,
            ScalarType::F32,
            &[reg(y), reg(x), reg(sum)],
        );
    }
    barrier(&mut k);
    k.arith_to(
        pa_register,
        ArithmeticOp::Add,
        ScalarType::U64,
        &[reg(pa_register), imm(64)],
    );
    k.arith_to(
        pb_register,
        ArithmeticOp::Add,
        ScalarType::U64,
        &[reg(pb_register), imm(u64::from(n) * 64)],
    );
    k.arith_to(t, ArithmeticOp::Add, u32t, &[reg(t), imm(1)]);
    let more = k.setp(CompareOp::Lt, u32t, reg(t), imm(u64::from(n / 16)));
    k.when(more, false).bra(head);
    let ic = k.arith(mad, u32t, &[reg(row), imm(u64::from(n)), reg(col)]);
    let pc = k.element(c, reg(ic), 4);
    k.store(StateSpace::Global, ScalarType::F32, pc, reg(sum));
    k.control(ControlOp::Return);
    k
}

/// `bar.sync 0`
pub(crate) fn barrier(k: &mut Kernel) {
    k.op(
        Operation::Sync(SyncOp::Bar),
        flags(&[Flag::Sync]),
        &[imm(0).into(), ABSENT],
    );
}

/// Returns modifiers that contain only flags.
pub(crate) fn flags(list: &[Flag]) -> Modifiers {
    let flags = list
        .iter()
        .fold(Flags::default(), |all, flag| all.with(*flag));
    Modifiers {
        flags,
        ..Modifiers::default()
    }
}

/// `bar.warp.sync` for all lanes
pub(crate) fn warp_barrier(k: &mut Kernel) {
    let mask = imm(0xffff_ffff).into();
    k.op(
        Operation::Sync(SyncOp::WarpBarrier),
        Modifiers::default(),
        &[mask],
    );
}
