//! Lowering of the toy language: a program consists of a kernel `main` with one parameter, the pointer `out`.

use warpgrid_isa::{
    ArithmeticOp, ControlOp, MemoryOp, Modifiers, MoveOp, MulPart, Operation, ScalarType,
    SpecialRegister, StateSpace, Target, Version,
};
use warpgrid_program::{
    Address, AddressBase, Function, FunctionKind, Instruction, LaunchBounds, Module, OpcodeId,
    OpcodeInfo, Operand, OperandList, OperandValue, Overrides, Parameter, Program, RegisterId,
    RegisterTuple, Registers, Source, SourceModifiers, Span, StepGrouping, Variable, VariableId,
};

/// Registers `r0` to `r9`.
const N_REGISTERS: u32 = 10;
/// Registers of the pointer and of the address of the element of the lane.
const POINTER: RegisterId = RegisterId(N_REGISTERS);
const ELEMENT: RegisterId = RegisterId(N_REGISTERS + 1);

/// Returns the actions of the opcodes in the order of their action indices.
fn actions() -> Vec<OpcodeInfo> {
    let typed = |ty| Modifiers {
        ty: Some(ty),
        ..Modifiers::default()
    };
    let on = |space, ty| Modifiers {
        space: Some(space),
        ..typed(ty)
    };
    let wide = Modifiers {
        part: Some(MulPart::Wide),
        ..typed(ScalarType::U32)
    };
    let action = |operation, modifiers, opcode: &str| OpcodeInfo {
        operation,
        modifiers,
        opcode: opcode.to_owned(),
    };
    vec![
        action(
            Operation::Memory(MemoryOp::Load),
            on(StateSpace::ParamEntry, ScalarType::U64),
            "",
        ),
        action(Operation::Arithmetic(ArithmeticOp::Mad), wide, ""),
        action(Operation::Move(MoveOp::Mov), typed(ScalarType::U32), "lane"),
        action(
            Operation::Arithmetic(ArithmeticOp::Add),
            typed(ScalarType::U32),
            "add",
        ),
        action(
            Operation::Memory(MemoryOp::Store),
            on(StateSpace::Global, ScalarType::U32),
            "put",
        ),
        action(
            Operation::Control(ControlOp::Exit),
            Modifiers::default(),
            "",
        ),
    ]
}
const LOAD: OpcodeId = OpcodeId(0);
const MAD_WIDE: OpcodeId = OpcodeId(1);
const LANE: OpcodeId = OpcodeId(2);
const ADD: OpcodeId = OpcodeId(3);
const PUT: OpcodeId = OpcodeId(4);
const EXIT: OpcodeId = OpcodeId(5);

/// Instructions with their operands.
#[derive(Default)]
struct Body {
    instructions: Vec<Instruction>,
    operands: Vec<Operand>,
}

impl Body {
    fn add(&mut self, action: OpcodeId, span: Span, operands: Vec<(OperandValue, Span)>) {
        let list = OperandList {
            start: self.operands.len() as u32,
            n: operands.len() as u32,
        };
        let operands = operands.into_iter();
        self.operands
            .extend(operands.map(|(value, span)| Operand { value, span }));
        self.instructions.push(Instruction {
            guard: None,
            opcode: action,
            operands: list,
            step: StepGrouping::Whole,
            span,
        });
    }
}

/// Lowers lines with known opcodes. Missing operands are `r0` and 0.
pub(crate) fn lower(
    lines: &[(Span, Vec<(Span, &str)>)],
    len: usize,
    overrides: &Overrides,
) -> Program {
    let mut body = Body::default();
    add_prologue(&mut body);
    for (span, words) in lines {
        let word = |at: usize| words.get(at).map_or("", |(_, word)| *word);
        let place = |at: usize| words.get(at).map_or(*span, |(place, _)| *place);
        let register = |at: usize| {
            let number = word(at).trim_start_matches('r').parse().unwrap_or(0);
            RegisterId(number.min(N_REGISTERS - 1))
        };
        let to = |at: usize| (written(register(at)), place(at));
        let from = |at: usize| (read(register(at)), place(at));
        match word(0) {
            "lane" => {
                let lane = source(Source::Special(SpecialRegister::Laneid));
                body.add(LANE, *span, vec![to(1), (lane, *span)]);
            }
            "add" => {
                let number = source(Source::Immediate(word(3).parse().unwrap_or(0)));
                body.add(ADD, *span, vec![to(1), from(2), (number, place(3))]);
            }
            _ => {
                let element = (
                    address(AddressBase::Register(RegisterTuple::one(ELEMENT))),
                    *span,
                );
                body.add(PUT, *span, vec![element, from(1)]);
            }
        }
    }
    body.add(EXIT, Span::at(len as u32), Vec::new());
    program(body, overrides)
}

/// Adds a prologue that loads the pointer and computes the address of the element of the lane.
fn add_prologue(body: &mut Body) {
    let here = Span::at(0);
    let parameter = address(AddressBase::Variable(VariableId::Function(0)));
    body.add(
        LOAD,
        here,
        vec![(written(POINTER), here), (parameter, here)],
    );
    let sources = [
        source(Source::Special(SpecialRegister::Laneid)),
        source(Source::Immediate(4)),
        read(POINTER),
    ];
    let mut operands = vec![(written(ELEMENT), here)];
    operands.extend(sources.map(|value| (value, here)));
    body.add(MAD_WIDE, here, operands);
}

fn written(register: RegisterId) -> OperandValue {
    OperandValue::Destination(Some(RegisterTuple::one(register)))
}

fn read(register: RegisterId) -> OperandValue {
    source(Source::Register(RegisterTuple::one(register)))
}

fn source(source: Source) -> OperandValue {
    OperandValue::Source(source, SourceModifiers::NONE)
}

fn address(base: AddressBase) -> OperandValue {
    OperandValue::Address(Address::new(base, 0))
}

fn program(body: Body, overrides: &Overrides) -> Program {
    let mut registers = Registers::default();
    for number in 0..N_REGISTERS {
        registers.add_numbered("r", number, ScalarType::B32);
    }
    registers.add("pointer", ScalarType::B64);
    registers.add("element", ScalarType::B64);
    let out = Variable {
        name: "out".into(),
        space: StateSpace::ParamEntry,
        ty: ScalarType::U64,
        size_bytes: 8,
        align_bytes: 8,
        dynamic: false,
        has_linkage: false,
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
        instructions: body.instructions,
        operands: body.operands,
        labels: Vec::new(),
        results: Vec::new(),
        bounds: LaunchBounds::default(),
        machine: None,
        span: Span::default(),
    };
    Program::from_checked(Module {
        version: overrides.version.unwrap_or(Version::NEWEST),
        target: overrides
            .target
            .or_else(|| Target::from_name("sm_90"))
            .expect("the tables know the target"),
        address_bits: 64,
        line_table: Default::default(),
        variables: Vec::new(),
        functions: vec![main],
        opcodes: actions(),
    })
}
