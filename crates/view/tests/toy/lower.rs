//! From lines of the toy language to a program: a kernel `main` with one parameter, the pointer `out`.

use warpgrid_isa::{MulPart, ScalarType, Sem, SpecialRegister, StateSpace, Target, Version};
use warpgrid_program::{
    Address, AddressBase, Arithmetic, ArithmeticMode, Function, FunctionKind, Instruction,
    LaunchBounds, MemoryAccess, Operation, Overrides, Parameter, Program, Register, RegisterId,
    Source, Span, Variable, VariableId,
};

/// Registers `r0` to `r9`.
const N_REGISTERS: u32 = 10;
/// The pointer, and the address of the lane's element.
const POINTER: RegisterId = RegisterId(N_REGISTERS);
const ELEMENT: RegisterId = RegisterId(N_REGISTERS + 1);

/// Lowers lines whose opcodes are known; missing words read as `r0` and 0.
pub(crate) fn lower(
    lines: &[(Span, Vec<(Span, &str)>)],
    len: usize,
    overrides: &Overrides,
) -> Program {
    let mut instructions = prologue();
    instructions.extend(lines.iter().map(|(span, words)| {
        let word = |at: usize| words.get(at).map_or("", |(_, word)| *word);
        let register = |at: usize| {
            RegisterId(
                word(at)
                    .trim_start_matches('r')
                    .parse()
                    .unwrap_or(0)
                    .min(N_REGISTERS - 1),
            )
        };
        let operation = match word(0) {
            "lane" => Operation::Move {
                ty: ScalarType::U32,
                d: register(1),
                a: Source::Special(SpecialRegister::Laneid),
            },
            "add" => arithmetic(
                Arithmetic::Add,
                register(1),
                [
                    Source::Register(register(2)),
                    Source::Immediate(word(3).parse().unwrap_or(0)),
                    Source::Immediate(0),
                ],
            ),
            _ => Operation::Store {
                access: access(StateSpace::Global, ScalarType::U32),
                address: Address {
                    base: AddressBase::Register(ELEMENT),
                    offset: 0,
                },
                sources: vec![Source::Register(register(1))],
            },
        };
        instruction(operation, *span)
    }));
    let end = Span::at(len as u32);
    instructions.push(instruction(Operation::Exit, end));
    program(instructions, overrides)
}

/// Loads the pointer and computes the address of the lane's element.
fn prologue() -> Vec<Instruction> {
    let load = Operation::Load {
        access: access(StateSpace::ParamEntry, ScalarType::U64),
        address: Address {
            base: AddressBase::Variable(VariableId::Function(0)),
            offset: 0,
        },
        d: vec![Some(POINTER)],
    };
    let element = arithmetic(
        Arithmetic::Mad(MulPart::Wide),
        ELEMENT,
        [
            Source::Special(SpecialRegister::Laneid),
            Source::Immediate(4),
            Source::Register(POINTER),
        ],
    );
    let operations = [load, element];
    operations
        .map(|operation| instruction(operation, Span::at(0)))
        .into()
}

fn instruction(operation: Operation, span: Span) -> Instruction {
    Instruction {
        guard: None,
        operation,
        span,
    }
}

fn arithmetic(op: Arithmetic, d: RegisterId, sources: [Source; 3]) -> Operation {
    Operation::Arithmetic {
        op,
        ty: ScalarType::U32,
        mode: ArithmeticMode::default(),
        d,
        sources,
    }
}

fn access(space: StateSpace, ty: ScalarType) -> MemoryAccess {
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

fn program(instructions: Vec<Instruction>, overrides: &Overrides) -> Program {
    let named = |name: String, ty: ScalarType| Register { name, ty };
    let mut registers: Vec<Register> = (0..N_REGISTERS)
        .map(|n| named(format!("r{n}"), ScalarType::B32))
        .collect();
    registers.push(named("pointer".into(), ScalarType::B64));
    registers.push(named("element".into(), ScalarType::B64));
    let out = Variable {
        name: "out".into(),
        space: StateSpace::ParamEntry,
        ty: ScalarType::U64,
        size_bytes: 8,
        align_bytes: 8,
        dynamic: false,
        init: Vec::new(),
        relocations: Vec::new(),
        span: Span::default(),
    };
    let main = Function {
        name: "main".into(),
        kind: FunctionKind::Entry,
        defined: true,
        parameters: vec![Parameter::Variable(0)],
        returns: Vec::new(),
        variables: vec![out],
        registers,
        instructions,
        labels: Vec::new(),
        bounds: LaunchBounds::default(),
        span: Span::default(),
    };
    Program {
        version: overrides.version.unwrap_or(Version::NEWEST),
        target: overrides
            .target
            .or_else(|| Target::from_name("sm_90"))
            .expect("the tables know the target"),
        address_bits: 64,
        variables: Vec::new(),
        functions: vec![main],
    }
}
