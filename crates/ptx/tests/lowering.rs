//! Tests of the lowering of instructions: operands in the order of the syntax line, and semantics with modifiers.

use std::fmt::Write as _;
use warpgrid_isa::{ArithmeticOp, DeviceUnitOp, Operation, ScalarType, TextureOp};
use warpgrid_program::Overrides;
use warpgrid_program::{
    AddressBase, Callee, Function, Operand, OperandValue, Program, RegisterId, RegisterTuple,
    Source, StepGrouping, VariableId,
};
use warpgrid_ptx::{check, parse};

/// Declarations of the names in the examples of the tables.
const DECLARED: &str = "
.version 9.0
.target sm_100
.address_size 64
.global .b32 g;
.shared .b64 bar;
.extern .func (.param .b32 out) f(.param .b32 in);
.visible .entry k(.param .u64 buffer)
{
.reg .b16 %h<9>;
.reg .b32 %r<9>;
.reg .b64 %d<9>;
.reg .f32 %f<9>;
.reg .pred %p<9>;
.reg .v2 .b32 %v;
.param .b32 x;
.param .b32 y;
";

/// Instruction, and its operands in the program.
const CASES: &[(&str, &str)] = &[
    ("add.u32 %r1, %r2, 3;", "d:%r1 %r2 3"),
    ("ld.global.u32 %r1, [%d1+8];", "d:%r1 [%d1+8] -"),
    ("ld.global.v2.u32 {%r1, _}, [g];", "(d:%r1 d:_) [g+0] -"),
    ("ld.global.v2.u32 %v, [%d1];", "(d:%v.x d:%v.y) [%d1+0] -"),
    ("ld.global.u32 {%r1}, [%d1];", "(d:%r1) [%d1+0] -"),
    (
        "ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;",
        "d:%r1 [%d1+0] %d2",
    ),
    ("st.global.u32 [%d1], 7;", "[%d1+0] 7 -"),
    (
        "st.global.v4.b32 [%d1], {%r1, %r2, %r1, %r2};",
        "[%d1+0] (%r1 %r2 %r1 %r2) -",
    ),
    (
        "st.global.v8.b32 [%d1], {%r1, _, %r1, _, %r1, _, %r1, _};",
        "[%d1+0] (%r1 _ %r1 _ %r1 _ %r1 _) -",
    ),
    ("st.global.u32 [%d1], %r1+4;", "[%d1+0] %r1+4 -"),
    (
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%d1], %r1, [%d2];",
        "[%d1+0] %r1 [%d2+0]",
    ),
    ("st.bulk.weak.shared::cta [%d1], 64, 0;", "[%d1+0] 64 0"),
    ("atom.global.add.u32 %r1, [%d1], 1;", "d:%r1 [%d1+0] 1 -"),
    (
        "atom.global.cas.b32 _, [%d1], %r1, %r2;",
        "d:_ [%d1+0] %r1 %r2 -",
    ),
    ("red.global.add.u32 [%d1], %r1;", "[%d1+0] %r1 -"),
    ("mov.b64 %d1, {%r1, %r2};", "d:%d1 (%r1 %r2)"),
    ("mov.b64 {%r1, _}, %d1;", "(d:%r1 d:_) %d1"),
    ("mov.pred %p1, !%p2;", "d:%p1 p:!%p2"),
    ("mov.u64 %d1, g;", "d:%d1 &g+0"),
    ("mov.u32 %r1, %tid.x;", "d:%r1 special"),
    ("and.pred %p1, !%p2, %p3;", "d:%p1 p:!%p2 p:%p3"),
    ("setp.lt.s32 %p1|%p2, %r1, 5;", "%p1|%p2 %r1 5"),
    ("setp.lt.and.s32 %p1, %r1, 5, !%p2;", "%p1|_ %r1 5 p:!%p2"),
    ("selp.b32 %r1, %r2, 0, !%p1;", "d:%r1 %r2 0 p:!%p1"),
    (
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
        "d:%r1 %r2 %r3 %r4 150",
    ),
    (
        "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;",
        "%r1|_ %r2 1 31 4294967295",
    ),
    (
        "vote.sync.ballot.b32 %r1, !%p1, -1;",
        "d:%r1 p:!%p1 4294967295",
    ),
    (
        "match.all.sync.b32 %r1|%p1, %r2, -1;",
        "%r1|%p1 %r2 4294967295",
    ),
    ("bar.sync 1;", "1 -"),
    ("bar.sync 1, 64;", "1 64"),
    ("bar.red.popc.u32 %r1, 0, !%p1;", "d:%r1 0 - p:!%p1"),
    ("bar.red.popc.u32 %r1, 0, 64, %p1;", "d:%r1 0 64 p:%p1"),
    (
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};",
        "[%d1+0] (%f1 %f1 %f1 %f1 %f1 %f1 %f1 %f1) -",
    ),
    ("call (x), f, (y);", "(&x+0) f (&y+0)"),
    ("L: bra L;", "@0"),
    ("ret;", ""),
];

fn program(text: &str) -> Program {
    let checked = check(text, &parse(text), &Overrides::default());
    checked
        .program
        .unwrap_or_else(|| panic!("{text}: {:?}", checked.diagnostics))
}

fn instruction(text: &str) -> Program {
    program(&format!("{DECLARED}{text}\n}}\n"))
}

/// Formats all operands, separated by blanks.
fn spelled(program: &Program, function: &Function, operands: &[Operand]) -> String {
    let each = operands
        .iter()
        .map(|operand| operand_text(program, function, operand));
    each.collect::<Vec<_>>().join(" ")
}

fn operand_text(program: &Program, function: &Function, operand: &Operand) -> String {
    let register = |id: u32| function.registers.name(RegisterId(id)).to_owned();
    let run = |run: &Option<RegisterTuple>| match run {
        Some(run) => register(run.first.0),
        None => "_".to_owned(),
    };
    let variable = |id: VariableId| match id {
        VariableId::Module(index) => program.variables[index as usize].name.clone(),
        VariableId::Function(index) => function.variables[index as usize].name.clone(),
    };
    let source = |source: &Source| match source {
        Source::Register(run) => register(run.first.0),
        Source::Immediate(bits) => bits.to_string(),
        Source::Special(_) => "special".to_owned(),
        Source::RegisterOffset {
            register: id,
            offset,
        } => format!("{}+{offset}", register(id.0)),
        Source::VariableAddress {
            variable: id,
            offset,
            ..
        } => format!("&{}+{offset}", variable(*id)),
        Source::FunctionAddress(_) => "function".to_owned(),
        Source::Constant { .. } => "constant".to_owned(),
        Source::Launch(_) => "launch".to_owned(),
        Source::Sink => "_".to_owned(),
    };
    match &operand.value {
        OperandValue::Absent => "-".to_owned(),
        OperandValue::Destination(to) => format!("d:{}", run(to)),
        OperandValue::Pair(first, second) => {
            let second = second.map_or("_".to_owned(), |id| register(id.0));
            format!("{}|{second}", run(first))
        }
        OperandValue::Source(from, _) => source(from),
        OperandValue::Predicate {
            source: from,
            negated,
        } => format!("p:{}{}", if *negated { "!" } else { "" }, source(from)),
        OperandValue::Address(address) => {
            let base = match address.base {
                AddressBase::Register(run) => register(run.first.0),
                AddressBase::Variable(id) => variable(id),
                AddressBase::Bank { bank, .. } => format!("c{bank}"),
                AddressBase::None => String::new(),
            };
            format!("[{base}+{}]", address.offset)
        }
        OperandValue::List(list) => {
            format!(
                "({})",
                spelled(program, function, function.operands_of(*list))
            )
        }
        OperandValue::Label(at) => format!("@{at}"),
        OperandValue::Callee(Callee::Direct(id)) => program.functions[id.0 as usize].name.clone(),
        OperandValue::Callee(_) => "callee".to_owned(),
    }
}

#[test]
fn lowered_operands_follow_syntax_order() {
    let mut wrong = String::new();
    for (text, expected) in CASES {
        let program = instruction(text);
        let (_, function) = program.entries().next().expect("a kernel");
        let first = &function.instructions[0];
        let found = spelled(&program, function, function.operands_of(first.operands));
        if found != *expected {
            writeln!(wrong, "{text}\n  expected {expected}\n  found    {found}").expect("a string");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn equal_mnemonics_share_opcode_entry() {
    let program = instruction("add.u32 %r1, %r2, 3;\nadd.u32 %r2, %r2, 3;\nadd.s32 %r1, %r2, 3;");
    let (_, function) = program.entries().next().expect("a kernel");
    let actions: Vec<_> = function.instructions.iter().map(|i| i.opcode).collect();
    assert_eq!(actions[0], actions[1]);
    assert_ne!(actions[0], actions[2]);
}

#[test]
fn dp4a_lowers_with_separate_operand_types() {
    let program = instruction("dp4a.u32.s32 %r1, %r2, %r3, %r4;");
    let (_, function) = program.entries().next().expect("a kernel");
    let action = program
        .opcode(&function.instructions[0])
        .expect("an action");
    assert_eq!(action.operation, Operation::Arithmetic(ArithmeticOp::Dp4a));
    assert_eq!(action.modifiers.a_type, Some(ScalarType::U32));
    assert_eq!(action.modifiers.b_type, Some(ScalarType::S32));
}

#[test]
fn tex_lowers_to_texture_sample_and_checks_operand_names() {
    let read = "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r5}];";
    let program = instruction(read);
    let (_, function) = program.entries().next().expect("a kernel");
    let action = program
        .opcode(&function.instructions[0])
        .expect("an action");
    assert_eq!(
        action.operation,
        Operation::Unit(DeviceUnitOp::Texture(TextureOp::Sample))
    );
    let text = format!("{DECLARED}{}\n}}\n", read.replace("%r5", "%unknown"));
    let checked = check(&text, &parse(&text), &Overrides::default());
    assert!(!checked.accept());
}

#[test]
fn snippet_prologue_joins_step_of_first_instruction() {
    let program = program("st.global.u32 [p], a;");
    let function = &program.functions[0];
    let n = function
        .instructions
        .iter()
        .position(|i| i.step == StepGrouping::Whole)
        .expect("the store");
    assert!(n > 0);
    let store = &function.instructions[n];
    assert_eq!(
        program.opcode(store).map(|a| a.opcode.as_str()),
        Some("st.global.u32")
    );
}
