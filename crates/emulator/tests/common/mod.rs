//! Builds small programs by hand, for tests and benchmarks that must not depend on a front end.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::sync::Arc;
use warpgrid_emulator::*;
use warpgrid_isa::*;
use warpgrid_program::*;

/// A kernel under construction.
pub(crate) struct Kernel {
    pub(crate) function: Function,
    pub(crate) variables: Vec<warpgrid_program::Variable>,
    pub(crate) others: Vec<Function>,
    pub(crate) buffers: Vec<BufferInit>,
    pub(crate) arguments: Vec<ArgumentInit>,
    labels: Vec<Option<u32>>,
    guard: Option<Guard>,
}

/// A place to branch to.
#[derive(Clone, Copy)]
pub(crate) struct Label(u32);

pub(crate) fn reg(register: RegisterId) -> Source {
    Source::Register(register)
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

pub(crate) fn function(name: &str, kind: FunctionKind) -> Function {
    Function {
        name: name.to_owned(),
        kind,
        defined: true,
        parameters: Vec::new(),
        returns: Vec::new(),
        variables: Vec::new(),
        registers: Vec::new(),
        instructions: Vec::new(),
        labels: Vec::new(),
        bounds: LaunchBounds::default(),
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
        init: Vec::new(),
        relocations: Vec::new(),
        span: Span::default(),
    }
}

pub(crate) fn access(space: StateSpace, ty: ScalarType) -> MemoryAccess {
    MemoryAccess {
        space,
        sem: Sem::Weak,
        scope: None,
        mmio: false,
        ty,
        cache: None,
        evict_l1: None,
        evict_l2: None,
        cache_policy: None,
        non_coherent: false,
    }
}

impl Kernel {
    pub(crate) fn new() -> Kernel {
        Kernel {
            function: function("kernel", FunctionKind::Entry),
            variables: Vec::new(),
            others: Vec::new(),
            buffers: Vec::new(),
            arguments: Vec::new(),
            labels: Vec::new(),
            guard: None,
        }
    }

    pub(crate) fn register(&mut self, ty: ScalarType) -> RegisterId {
        let id = RegisterId(self.function.registers.len() as u32);
        self.function.registers.push(Register {
            name: format!("%r{}", id.0),
            ty,
        });
        id
    }

    /// The next instruction has this guard.
    pub(crate) fn when(&mut self, predicate: RegisterId, negated: bool) -> &mut Kernel {
        self.guard = Some(Guard { predicate, negated });
        self
    }

    pub(crate) fn op(&mut self, operation: Operation) {
        let guard = self.guard.take();
        self.function.instructions.push(Instruction {
            guard,
            operation,
            span: Span::default(),
        });
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    pub(crate) fn here(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.function.instructions.len() as u32);
    }

    pub(crate) fn bra(&mut self, label: Label) {
        self.op(Operation::Branch {
            target: label.0,
            uniform: false,
        });
    }

    pub(crate) fn arith_mode(
        &mut self,
        op: Arithmetic,
        ty: ScalarType,
        mode: ArithmeticMode,
        sources: &[Source],
    ) -> RegisterId {
        let to = match op {
            Arithmetic::Mul(MulPart::Wide) | Arithmetic::Mad(MulPart::Wide) => match ty {
                ScalarType::U32 => ScalarType::U64,
                ScalarType::S32 => ScalarType::S64,
                ScalarType::U16 => ScalarType::U32,
                _ => ScalarType::S32,
            },
            Arithmetic::Popc | Arithmetic::Clz | Arithmetic::Bfind { .. } => ScalarType::U32,
            _ => ty,
        };
        let d = self.register(to);
        let mut all = [Source::Immediate(0); 3];
        all[..sources.len()].copy_from_slice(sources);
        self.op(Operation::Arithmetic {
            op,
            ty,
            mode,
            d,
            sources: all,
        });
        d
    }

    pub(crate) fn arith(
        &mut self,
        op: Arithmetic,
        ty: ScalarType,
        sources: &[Source],
    ) -> RegisterId {
        self.arith_mode(op, ty, ArithmeticMode::default(), sources)
    }

    /// Into a register that is there.
    pub(crate) fn arith_to(
        &mut self,
        d: RegisterId,
        op: Arithmetic,
        ty: ScalarType,
        sources: &[Source],
    ) {
        let mut all = [Source::Immediate(0); 3];
        all[..sources.len()].copy_from_slice(sources);
        self.op(Operation::Arithmetic {
            op,
            ty,
            mode: ArithmeticMode::default(),
            d,
            sources: all,
        });
    }

    pub(crate) fn mov(&mut self, ty: ScalarType, a: Source) -> RegisterId {
        let d = self.register(ty);
        self.op(Operation::Move { ty, d, a });
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
        self.op(Operation::SetPredicate {
            compare,
            ty,
            ftz: false,
            d: Some(d),
            q: None,
            a,
            b,
            combine: None,
        });
        d
    }

    /// A kernel parameter; returns its address.
    pub(crate) fn parameter(&mut self, bytes: &[u8], buffer: Option<BufferIndex>) -> Address {
        let index = self.function.variables.len() as u32;
        self.function.variables.push(variable(
            &format!("param_{index}"),
            StateSpace::ParamEntry,
            bytes.len() as u64,
            bytes.len().next_power_of_two().min(16) as u32,
        ));
        self.function.parameters.push(Parameter::Variable(index));
        self.arguments.push(ArgumentInit {
            bytes: bytes.to_vec(),
            pointers: buffer
                .into_iter()
                .map(|buffer| PointerPatch {
                    byte_offset: 0,
                    buffer,
                    addend: 0,
                })
                .collect(),
        });
        Address {
            base: AddressBase::Variable(VariableId::Function(index)),
            offset: 0,
        }
    }

    /// A buffer, a parameter that points to it, and a register with its address.
    pub(crate) fn buffer(&mut self, name: &str, contents: Contents) -> RegisterId {
        let index = BufferIndex(self.buffers.len() as u32);
        self.buffers.push(BufferInit {
            name: name.to_owned(),
            contents,
            align_bytes: 256,
        });
        let address = self.parameter(&[0; 8], Some(index));
        self.load(StateSpace::ParamEntry, ScalarType::U64, address)
    }

    pub(crate) fn scalar(&mut self, ty: ScalarType, value: u64) -> RegisterId {
        let n = ty.width_bytes() as usize;
        let address = self.parameter(&value.to_le_bytes()[..n], None);
        self.load(StateSpace::ParamEntry, ty, address)
    }

    pub(crate) fn load(
        &mut self,
        space: StateSpace,
        ty: ScalarType,
        address: Address,
    ) -> RegisterId {
        let d = self.register(ty);
        self.op(Operation::Load {
            access: access(space, ty),
            address,
            d: vec![Some(d)],
        });
        d
    }

    pub(crate) fn store(
        &mut self,
        space: StateSpace,
        ty: ScalarType,
        address: Address,
        source: Source,
    ) {
        self.op(Operation::Store {
            access: access(space, ty),
            address,
            sources: vec![source],
        });
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
        let offset = self.arith(
            Arithmetic::Mul(MulPart::Wide),
            ScalarType::U32,
            &[index, imm(scale)],
        );
        let address = self.arith(Arithmetic::Add, ScalarType::U64, &[reg(base), reg(offset)]);
        at(address, 0)
    }

    pub(crate) fn program(mut self) -> (Arc<Program>, Vec<BufferInit>, Vec<ArgumentInit>) {
        let labels = self.labels;
        for instruction in &mut self.function.instructions {
            if let Operation::Branch { target, .. } = &mut instruction.operation {
                *target = labels[*target as usize].unwrap();
            }
        }
        let mut functions = vec![self.function];
        functions.extend(self.others);
        let program = Program {
            version: Version::NEWEST,
            target: Target::from_name("sm_90").unwrap(),
            address_bits: 64,
            variables: self.variables,
            functions,
        };
        (Arc::new(program), self.buffers, self.arguments)
    }

    pub(crate) fn launch(self, grid: [u32; 3], block: [u32; 3]) -> Machine {
        self.launch_seeded(grid, block, 0)
    }

    pub(crate) fn launch_seeded(self, grid: [u32; 3], block: [u32; 3], seed: u64) -> Machine {
        let (program, buffers, arguments) = self.program();
        let launch = launch(grid, block, buffers, arguments, seed);
        Machine::new(program, &launch, Limits::default()).unwrap()
    }
}

pub(crate) fn launch(
    grid: [u32; 3],
    block: [u32; 3],
    buffers: Vec<BufferInit>,
    arguments: Vec<ArgumentInit>,
    seed: u64,
) -> Launch {
    Launch {
        entry: FunctionId(0),
        grid,
        block,
        cluster: [1, 1, 1],
        dynamic_shared_bytes: 0,
        buffers,
        arguments,
        seed,
        track_writers: false,
    }
}

pub(crate) fn at(register: RegisterId, offset: i64) -> Address {
    Address {
        base: AddressBase::Register(register),
        offset,
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

pub(crate) fn bytes_of(words: &[u32]) -> Contents {
    Contents::Bytes(words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

pub(crate) fn floats(values: impl IntoIterator<Item = f32>) -> Contents {
    Contents::Bytes(values.into_iter().flat_map(f32::to_le_bytes).collect())
}

pub(crate) fn zeros(n_words: u64) -> Contents {
    Contents::Zeroed(4 * n_words)
}

/// blockIdx.x * blockDim.x + threadIdx.x
pub(crate) fn global_index(k: &mut Kernel) -> RegisterId {
    let ctaid = k.mov(ScalarType::U32, special("%ctaid.x"));
    let ntid = k.mov(ScalarType::U32, special("%ntid.x"));
    let tid = k.mov(ScalarType::U32, special("%tid.x"));
    k.arith(
        Arithmetic::Mad(MulPart::Lo),
        ScalarType::S32,
        &[reg(ctaid), reg(ntid), reg(tid)],
    )
}

/// y[i] = a * x[i] + y[i], as a CUDA compiler writes it.
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
    let mode = ArithmeticMode {
        rounding: Some(Rounding::Rn),
        ..Default::default()
    };
    let sum = k.arith_mode(
        Arithmetic::Fma,
        ScalarType::F32,
        mode,
        &[reg(a), reg(vx), reg(vy)],
    );
    k.store(StateSpace::Global, ScalarType::F32, py, reg(sum));
    k.here(end);
    k.op(Operation::Return);
    k
}

/// c = a * b for n x n matrices in tiles of 16 x 16, blocks of 16 x 16 threads.
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
    let mad = Arithmetic::Mad(MulPart::Lo);
    let row = k.arith(mad, u32t, &[reg(by), imm(16), reg(ty)]);
    let col = k.arith(mad, u32t, &[reg(bx), imm(16), reg(tx)]);
    let address_of = |k: &mut Kernel, variable| {
        k.mov(
            u32t,
            Source::VariableAddress {
                variable,
                offset: 0,
                generic: false,
            },
        )
    };
    let sa = address_of(&mut k, tile_a);
    let sb = address_of(&mut k, tile_b);
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
    let AddressBase::Register(pa_register) = pa.base else {
        unreachable!()
    };
    let AddressBase::Register(pb_register) = pb.base else {
        unreachable!()
    };
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
            Arithmetic::Fma,
            ScalarType::F32,
            &[reg(y), reg(x), reg(sum)],
        );
    }
    barrier(&mut k);
    k.arith_to(
        pa_register,
        Arithmetic::Add,
        ScalarType::U64,
        &[reg(pa_register), imm(64)],
    );
    k.arith_to(
        pb_register,
        Arithmetic::Add,
        ScalarType::U64,
        &[reg(pb_register), imm(u64::from(n) * 64)],
    );
    k.arith_to(t, Arithmetic::Add, u32t, &[reg(t), imm(1)]);
    let more = k.setp(CompareOp::Lt, u32t, reg(t), imm(u64::from(n / 16)));
    k.when(more, false).bra(head);
    let ic = k.arith(mad, u32t, &[reg(row), imm(u64::from(n)), reg(col)]);
    let pc = k.element(c, reg(ic), 4);
    k.store(StateSpace::Global, ScalarType::F32, pc, reg(sum));
    k.op(Operation::Return);
    k
}

pub(crate) fn barrier(k: &mut Kernel) {
    k.op(Operation::Barrier {
        kind: BarrierKind::Sync,
        id: imm(0),
        threads: None,
        aligned: true,
    });
}
