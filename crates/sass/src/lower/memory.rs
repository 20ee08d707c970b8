//! Lowering of loads, stores and atomics: address forms, access widths, cache and ordering modifiers.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, plain, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, destinations, parts, signed};
use super::{
    LoweringContext, copy, id_of, one, predicate_source, predicates_by_table, step, typed,
};
use crate::syntax::{OperandKind, Register, RegisterFile, RegisterNumber, Term, TermValue};
use warpgrid_isa::{
    ArithmeticOp, AtomicOp, CacheOp, CompareOp, ComparisonOp, EvictionPriority, Flag, MemoryOp,
    Modifiers, MoveOp, Operation, ScalarType, Scope, Sem, StateSpace, VectorWidth,
};
use warpgrid_program::{Address, AddressBase, Guard, OperandValue, RegisterTuple, Source};

/// Width of a memory access, given by the element type and the number of registers.
#[derive(Clone, Copy)]
struct AccessWidth {
    ty: ScalarType,
    n: u8,
}

const WIDTHS: &[(&str, AccessWidth)] = &[
    ("U8", width(ScalarType::U8, 1)),
    ("S8", width(ScalarType::S8, 1)),
    ("8", width(ScalarType::U8, 1)),
    ("U16", width(ScalarType::U16, 1)),
    ("S16", width(ScalarType::S16, 1)),
    ("16", width(ScalarType::U16, 1)),
    ("32", width(ScalarType::B32, 1)),
    ("64", width(ScalarType::B32, 2)),
    ("128", width(ScalarType::B32, 4)),
    ("256", width(ScalarType::B32, 8)),
];

const fn width(ty: ScalarType, n: u8) -> AccessWidth {
    AccessWidth { ty, n }
}

/// Returns the state space that an opcode implies, or `None` if the opcode implies no state space.
fn space_of(opcode: &str) -> Option<StateSpace> {
    match opcode {
        "LDG" | "STG" | "ATOMG" | "REDG" => Some(StateSpace::Global),
        "LDS" | "STS" | "ATOMS" => Some(StateSpace::Shared),
        "LDL" | "STL" => Some(StateSpace::Local),
        _ => None,
    }
}

/// Consumes the cache, ordering and address modifiers of a memory access, and returns the corresponding PTX modifiers.
pub(super) fn hints(w: &mut InstructionCursor<'_>) -> Modifiers {
    let mut modifiers = Modifiers {
        space: space_of(w.opcode()),
        ..super::blank()
    };
    if w.consume("CONSTANT") {
        modifiers.flags = modifiers.flags.with(Flag::NonCoherent);
    }
    let is_mmio = w.consume("MMIO");
    let scope = w.consume_one_of(&[
        ("CTA", Scope::Cta),
        ("SM", Scope::Cta),
        ("CGA", Scope::Cluster),
        ("GPU", Scope::Gpu),
        ("VC", Scope::Gpu),
        ("SYS", Scope::Sys),
    ]);
    if w.consume("STRONG") || is_mmio {
        modifiers.sem = Some(Sem::Relaxed);
        modifiers.scope = scope;
    }
    w.ignore_modifiers(&["WEAK", "PRIVATE", "CONSTPRED", "U"]);
    if is_mmio {
        modifiers.flags = modifiers.flags.with(Flag::Mmio);
    }
    modifiers.evict_l1 = w.consume_one_of(&[
        ("EF", EvictionPriority::First),
        ("EL", EvictionPriority::Last),
        ("EU", EvictionPriority::Unchanged),
        ("EN", EvictionPriority::Normal),
        ("NA", EvictionPriority::NoAllocate),
    ]);
    modifiers.cache = w.consume_one_of(&[
        ("LU", CacheOp::Lu),
        ("CG", CacheOp::Cg),
        ("CS", CacheOp::Cs),
        ("CV", CacheOp::Cv),
        ("CI", CacheOp::Ca),
        ("CA", CacheOp::Ca),
        ("WB", CacheOp::Wb),
        ("WT", CacheOp::Wt),
    ]);
    w.ignore_modifiers(&[
        "LTC64B",
        "LTC128B",
        "LTC256B",
        "ENL2",
        "EFL2",
        "ELL2",
        "EVICT_FIRST",
        "EVICT_LAST",
    ]);
    modifiers
}

/// Width of an address in a register without the modifier `.64`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressWidth {
    /// 32-bit address in one register.
    Narrow,
    /// 64-bit address in a register pair.
    Wide,
}

impl AddressWidth {
    /// Consumes the modifier `.E`, which marks 64-bit addresses, and returns the address width.
    pub(super) fn take(w: &mut InstructionCursor<'_>) -> AddressWidth {
        match w.consume("E") {
            true => AddressWidth::Wide,
            false => AddressWidth::Narrow,
        }
    }

    /// Returns the address width of a state space.
    pub(super) fn of_space(space: StateSpace) -> AddressWidth {
        match space {
            StateSpace::Global => AddressWidth::Wide,
            _ => AddressWidth::Narrow,
        }
    }
}

/// Reads an address operand such as `[R2.64+UR4+0x8]`.
pub(super) fn address(
    w: &mut InstructionCursor<'_>,
    width: AddressWidth,
) -> LowerResult<SpannedValue> {
    let operand = w.next()?;
    let OperandKind::Memory(memory) = &operand.value else {
        return Err(w.unknown("an operand that is not an address", operand.span));
    };
    let brackets = w.tree.brackets(memory);
    let prefix = memory.prefix.map(|prefix| prefix.text(w.source));
    // Ignore the descriptor, because it only selects caching properties of global memory, which the emulator does not model.
    let inside = match (prefix, brackets) {
        (None, [inside]) | (Some("desc"), [_, inside]) => inside,
        _ => return Err(w.unknown("this address", operand.span)),
    };
    // 64-bit addresses are in register pairs, with or without the modifier `.64`.
    let mut address = Address::new(AddressBase::None, 0);
    for term in w.tree.terms(inside) {
        match term.value {
            TermValue::Integer(value) => {
                address.offset = address.offset.wrapping_add(signed(term.joint, value));
            }
            TermValue::Register(register) => {
                add_register(w, term, register, width, &mut address)?;
            }
            TermValue::Other(span) => return Err(w.unknown("this part of the address", span)),
        }
    }
    Ok((OperandValue::Address(address), operand.span))
}

/// Adds a register with its modifiers to an address.
fn add_register(
    w: &InstructionCursor<'_>,
    term: &Term,
    register: Register,
    width: AddressWidth,
    address: &mut Address,
) -> LowerResult<()> {
    let words = w.tree.term_modifiers(term).iter();
    let words: Vec<&str> = words.map(|word| word.text(w.source)).collect();
    for word in &words {
        match *word {
            "64" | "U32" | "reuse" => {}
            "X4" => address.scale_log2 = 2,
            "X8" => address.scale_log2 = 3,
            "X16" => address.scale_log2 = 4,
            _ => return Err(w.unknown(format!("`.{word}`"), term.span)),
        }
    }
    let RegisterNumber::Number(_) = register.number else {
        return Ok(());
    };
    let first = id_of(register).ok_or_else(|| w.unknown("this register", term.span))?;
    let is_uniform = register.file == RegisterFile::Uniform;
    let is_wide = width == AddressWidth::Wide && (is_uniform || !words.contains(&"U32"));
    let run = RegisterTuple {
        first,
        n: if is_wide || words.contains(&"64") {
            2
        } else {
            1
        },
    };
    match (is_uniform, address.base, address.uniform) {
        (false, AddressBase::None, _) => address.base = AddressBase::Register(run),
        (true, _, None) => address.uniform = Some(run),
        (false | true, _, _) => return Err(w.unknown("an unexpected register", term.span)),
    }
    Ok(())
}

/// Sets the element type and vector width of an access.
fn set_width(modifiers: &mut Modifiers, width: AccessWidth) {
    modifiers.ty = Some(width.ty);
    modifiers.vector = match width.n {
        2 => Some(VectorWidth::V2),
        4 => Some(VectorWidth::V4),
        8 => Some(VectorWidth::V8),
        _ => None,
    };
}

/// Returns the mask of the words that a 256-bit vector access transfers, which an optional operand specifies. Without this operand, the
/// access transfers all eight words. The registers of each half contain the transferred words without gaps.
fn words_moved(w: &mut InstructionCursor<'_>, width: AccessWidth) -> LowerResult<u64> {
    let all = (1 << width.n) - 1;
    let operand = w.peek().filter(|_| width.n == 8);
    let is_mask = operand.is_some_and(|operand| matches!(operand.value, OperandKind::Integer(_)));
    match is_mask {
        true => Ok(w.immediate()? & all),
        false => Ok(all),
    }
}

/// Returns the eight words of a vector. The transferred words come from the registers of both halves, and all other words are `nothing`.
fn words_of<T: Clone>(halves: [Vec<T>; 2], moved: u64, nothing: &T) -> Vec<T> {
    let mut mask = moved;
    let mut words = Vec::new();
    for half in halves {
        let mut registers = half.into_iter();
        for _ in 0..4 {
            let word = if mask & 1 != 0 {
                registers.next()
            } else {
                None
            };
            words.push(word.unwrap_or_else(|| nothing.clone()));
            mask >>= 1;
        }
    }
    words
}

/// Lowers `LDG.E.64 d, [a]{, p}`, which loads zeros in the lanes with false p, and `LDG.E.256 x, y, [a]{, words}`, where y receives the
/// lower half.
pub(super) fn load(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let address_width = AddressWidth::take(w);
    let width = w
        .consume_one_of(WIDTHS)
        .unwrap_or(width(ScalarType::B32, 1));
    let mut modifiers = hints(w);
    set_width(&mut modifiers, width);
    let (run, span) = w.destination(width.n.min(4))?;
    let mut to = destinations(run, width.n.min(4), span);
    let lower = match width.n {
        8 => Some(w.destination(4)?),
        _ => None,
    };
    if w.is_predicate() {
        return Err(w.unknown("a load with a predicate operand", w.instruction.span));
    }
    let from = address(w, address_width)?;
    if let Some((run, span)) = lower {
        let moved = words_moved(w, width)?;
        let nothing = (OperandValue::Destination(None), span);
        to = words_of([destinations(run, 4, span), to], moved, &nothing);
    }
    let args = vec![LoweredOperand::List(to.clone(), span), one(from)];
    let load = step(Operation::Memory(MemoryOp::Load), modifiers, args);
    if !w.is_predicate() {
        return Ok(vec![load]);
    }
    let (p, p_span) = w.predicate()?;
    let OperandValue::Predicate { source, negated } = p else {
        return Err(w.unknown("this condition", p_span));
    };
    let opposite = OperandValue::Predicate {
        source,
        negated: !negated,
    };
    let (there, first) = c.guard_with((p, p_span));
    let (elsewhere, second) = c.guard_with((opposite, p_span));
    let mut steps = vec![first, second];
    let mut under = |mut step: LoweredInstruction, guard: Guard| {
        step.guard = Some(guard);
        steps.push(step);
    };
    under(load, there);
    for (to, span) in to {
        let zero = (super::number_of(0), span);
        under(copy(LoweredOperand::One(to, span), zero), elsewhere);
    }
    Ok(steps)
}

/// Lowers `QSPC.E.S p, d, [a]`, which tests the state space of a generic address.
pub(super) fn query_space(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let address_width = AddressWidth::take(w);
    let space = w.consume_one_of(&[
        ("S", StateSpace::Shared),
        ("L", StateSpace::Local),
        ("G", StateSpace::Global),
    ]);
    let space = space.ok_or_else(|| w.unknown("this memory", w.instruction.opcode))?;
    let (p, span) = w.predicate_destination()?;
    let (run, run_span) = w.destination(1)?;
    if run.is_some() {
        return Err(w.unknown("a second result", run_span));
    }
    let (OperandValue::Address(from), from_span) = address(w, address_width)? else {
        return Err(w.unknown("this address", span));
    };
    let base = match (from.base, from.uniform) {
        (AddressBase::Register(base), None) | (AddressBase::None, Some(base)) => base,
        _ => return Err(w.unknown("this address", from_span)),
    };
    let mut steps = Vec::new();
    let mut base = plain(Source::Register(base));
    if from.offset != 0 {
        let sum = c.body.temporary(ScalarType::U64);
        let offset = super::number_of(from.offset as u64);
        let args = [written(sum), base, offset].map(|value| LoweredOperand::One(value, from_span));
        steps.push(super::arithmetic(
            ArithmeticOp::Add,
            ScalarType::U64,
            args.into(),
        ));
        base = read(sum);
    }
    let modifiers = Modifiers {
        space: Some(space),
        ..super::blank()
    };
    let to = OperandValue::Destination(p.map(RegisterTuple::one));
    let args = vec![
        LoweredOperand::One(to, span),
        LoweredOperand::One(base, from_span),
    ];
    steps.push(step(Operation::Move(MoveOp::Isspacep), modifiers, args));
    Ok(steps)
}

/// Lowers `STG.E.64 [a], b` and `STG.E.256 [a], x, y{, words}`, where x contains the lower half.
pub(super) fn store(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let address_width = AddressWidth::take(w);
    let width = w
        .consume_one_of(WIDTHS)
        .unwrap_or(width(ScalarType::B32, 1));
    let mut modifiers = hints(w);
    set_width(&mut modifiers, width);
    let to = address(w, address_width)?;
    let value = w.source()?;
    let span = value.1;
    let mut values = parts(value, width.n.min(4));
    if width.n == 8 {
        let upper = parts(w.source()?, 4);
        let moved = words_moved(w, width)?;
        let nothing = (plain(Source::Sink), span);
        values = words_of([values, upper], moved, &nothing);
    }
    Ok(vec![step(
        Operation::Memory(MemoryOp::Store),
        modifiers,
        vec![one(to), LoweredOperand::List(values, span)],
    )])
}

/// Lowers `USTGR.E.NA.U16.MMIO.SYS [UR4], UR6`, a store of uniform registers to global memory.
pub(super) fn store_uniform(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let mut steps = Vec::new();
    for mut store in store(w)? {
        store.modifiers.space = Some(StateSpace::Global);
        steps.extend(c.in_one_lane(store, span));
    }
    Ok(steps)
}

/// Vector type modifiers of atomics and reductions, with the element type and the number of registers.
const VECTORS: &[(&str, (ScalarType, u8))] = &[
    ("F32x2", (ScalarType::F32, 2)),
    ("F32x4", (ScalarType::F32, 4)),
    ("F16x4", (ScalarType::F16x2, 2)),
    ("F16x8", (ScalarType::F16x2, 4)),
    ("BF16x4", (ScalarType::Bf16x2, 2)),
    ("BF16x8", (ScalarType::Bf16x2, 4)),
];

pub(super) const OPERATIONS: &[(&str, AtomicOp)] = &[
    ("ADD", AtomicOp::Add),
    ("MIN", AtomicOp::Min),
    ("MAX", AtomicOp::Max),
    ("INC", AtomicOp::Inc),
    ("DEC", AtomicOp::Dec),
    ("AND", AtomicOp::And),
    ("OR", AtomicOp::Or),
    ("XOR", AtomicOp::Xor),
    ("EXCH", AtomicOp::Exch),
    ("CAS", AtomicOp::Cas),
];

/// Consumes the modifiers for the operation and the type of an atomic or reduction. Returns the number of registers per value.
pub(super) fn operation(
    w: &mut InstructionCursor<'_>,
    modifiers: &mut Modifiers,
) -> LowerResult<u8> {
    // With `.POPC`, each lane adds one. The hardware aggregates these additions, which has no effect on the sum.
    let counts = w.consume("POPC");
    let op = w.consume_one_of(OPERATIONS);
    let op = op.ok_or_else(|| w.unknown("missing operation modifier", w.instruction.opcode))?;
    let signed = w.consume("S32");
    w.ignore_modifiers(&["U32", "32"]);
    let is_64 = w.consume("64");
    let is_128 = matches!(op, AtomicOp::Exch | AtomicOp::Cas) && w.consume("128");
    let ty = w.consume_one_of(&[
        ("F32", ScalarType::F32),
        ("F64", ScalarType::F64),
        ("F16x2", ScalarType::F16x2),
        ("BF16x2", ScalarType::Bf16x2),
        ("BF16_V2", ScalarType::Bf16x2),
        ("F16", ScalarType::F16),
        ("BF16", ScalarType::Bf16),
        ("S64", ScalarType::S64),
        ("U64", ScalarType::U64),
    ]);
    let is_bitwise = matches!(
        op,
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Exch | AtomicOp::Cas
    );
    let ty = ty.unwrap_or(match (is_64, is_bitwise, signed) {
        _ if is_128 => ScalarType::B128,
        (true, true, _) => ScalarType::B64,
        (true, false, true) => ScalarType::S64,
        (true, false, false) => ScalarType::U64,
        (false, true, _) => ScalarType::B32,
        (false, false, true) => ScalarType::S32,
        (false, false, false) => ScalarType::U32,
    });
    if w.consume("FTZ") {
        modifiers.flags = modifiers.flags.with(Flag::Ftz);
    }
    w.ignore_modifiers(&["RN"]);
    modifiers.ty = Some(ty);
    modifiers.atomic = Some(if counts { AtomicOp::Add } else { op });
    Ok(match ty.width_bits() {
        128 => 4,
        64 => 2,
        _ => 1,
    })
}

/// Lowers `ATOMG.E.ADD p, d, [a], b{, c}`. The predicate p indicates whether the memory supports the operation, which is always true in the
/// emulator.
pub(super) fn atomic(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("CAST") {
        return exchange_once(c, w);
    }
    if w.consume("ARRIVE") {
        return super::mbarrier::arrive_ampere(c, w);
    }
    let address_width = AddressWidth::take(w);
    let mut modifiers = hints(w);
    if let Some((ty, n)) = w.consume_one_of(VECTORS) {
        return vector(w, address_width, modifiers, (ty, n), MemoryOp::Atomic);
    }
    let counts = w.has("POPC");
    let n = operation(w, &mut modifiers)?;
    let ty = modifiers.ty.unwrap_or(ScalarType::B32);
    let p = match w.is_predicate() {
        true => w.predicate_destination()?,
        false => (None, w.instruction.span),
    };
    let to = w.to(n)?;
    let mut args = vec![to, one(address(w, address_width)?)];
    let bits = match ty.width_bits() {
        128 => ScalarType::B128,
        64 => ScalarType::B64,
        _ => ScalarType::B32,
    };
    if counts {
        let span = w.instruction.span;
        args.push(LoweredOperand::One(
            super::instruction_cursor::number(1),
            span,
        ));
    } else {
        args.push(one(w.source_as(bits)?));
        if modifiers.atomic == Some(AtomicOp::Cas) {
            args.push(one(w.source_as(bits)?));
        }
    }
    let mut steps = vec![step(Operation::Memory(MemoryOp::Atomic), modifiers, args)];
    if p.0.is_some() {
        steps.push(predicates_by_table(p.0, Vec::new(), 0xff, p.1));
    }
    Ok(steps)
}

/// Lowers `ATOMS.CAST.SPIN p, [a], b, c`: replaces the value b in memory by c, and sets p to whether the replacement succeeded. If the
/// first operand is a register instead of a predicate, the register receives 1 or 0. With `.64`, the values are register pairs.
fn exchange_once(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["SPIN"]);
    let mut modifiers = hints(w);
    let bits = match w.consume("64") {
        true => ScalarType::B64,
        false => ScalarType::B32,
    };
    modifiers.ty = Some(bits);
    modifiers.atomic = Some(AtomicOp::Cas);
    let (p, register) = match w.is_predicate() {
        true => (w.predicate_destination()?, None),
        false => {
            let n = if bits == ScalarType::B64 { 2 } else { 1 };
            ((None, w.instruction.span), w.destination(n)?.0)
        }
    };
    let (to, span) = (address(w, AddressWidth::Narrow)?, w.instruction.span);
    let (from, by) = (w.source_as(bits)?, w.source_as(bits)?);
    let old = c.body.temporary(bits);
    let args = vec![
        LoweredOperand::One(written(old), span),
        one(to),
        one(from.clone()),
        one(by),
    ];
    let compared = Modifiers {
        ty: Some(bits),
        compare: Some(CompareOp::Eq),
        ..super::blank()
    };
    let mut steps = vec![step(Operation::Memory(MemoryOp::Atomic), modifiers, args)];
    let happened = match register {
        Some(_) => Some(c.body.temporary(ScalarType::Pred)),
        None => p.0,
    };
    let to = OperandValue::Pair(happened.map(RegisterTuple::one), None);
    let args = vec![
        LoweredOperand::One(to, p.1),
        LoweredOperand::One(read(old), span),
        one(from),
    ];
    steps.push(step(Operation::Compare(ComparisonOp::Setp), compared, args));
    if let (Some(run), Some(happened)) = (register, happened) {
        let args = [
            OperandValue::Destination(Some(run)),
            super::number_of(1),
            super::number_of(0),
            predicate_source(happened, false),
        ];
        steps.push(step(
            Operation::Compare(ComparisonOp::Selp),
            typed(bits),
            args.map(|value| LoweredOperand::One(value, span)).into(),
        ));
    }
    Ok(steps)
}

/// Lowers `RED.E.ADD [a], b`, an atomic operation without a result.
pub(super) fn reduction(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let address_width = AddressWidth::take(w);
    let mut modifiers = hints(w);
    if let Some((ty, n)) = w.consume_one_of(VECTORS) {
        return vector(w, address_width, modifiers, (ty, n), MemoryOp::Reduction);
    }
    operation(w, &mut modifiers)?;
    let bits = match modifiers.ty.map(ScalarType::width_bits) {
        Some(64) => ScalarType::B64,
        _ => ScalarType::B32,
    };
    let to = address(w, address_width)?;
    let value = w.source_as(bits)?;
    Ok(vec![step(
        Operation::Memory(MemoryOp::Reduction),
        modifiers,
        vec![one(to), one(value)],
    )])
}

/// Lowers `REDG.E.ADD.F32x4.FTZ.RN [a], b` and `ATOMG.E.ADD.F32x4.FTZ.RN p, d, [a], b`, which apply an operation to each element of a
/// vector.
fn vector(
    w: &mut InstructionCursor<'_>,
    address_width: AddressWidth,
    mut modifiers: Modifiers,
    (ty, n): (ScalarType, u8),
    memory: MemoryOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    let op = w.consume_one_of(OPERATIONS);
    modifiers.atomic =
        Some(op.ok_or_else(|| w.unknown("missing operation modifier", w.instruction.opcode))?);
    set_width(&mut modifiers, width(ty, n));
    w.ignore_modifiers(&["RN"]);
    if w.consume("FTZ") {
        modifiers.flags = modifiers.flags.with(Flag::Ftz);
    }
    let mut args = Vec::new();
    let mut holds = (None, w.instruction.span);
    if memory == MemoryOp::Atomic {
        if w.is_predicate() {
            holds = w.predicate_destination()?;
        }
        let (run, span) = w.destination(n)?;
        args.push(LoweredOperand::List(destinations(run, n, span), span));
    }
    args.push(one(address(w, address_width)?));
    let value = w.source()?;
    let span = value.1;
    args.push(LoweredOperand::List(parts(value, n), span));
    let mut steps = vec![step(Operation::Memory(memory), modifiers, args)];
    if holds.0.is_some() {
        steps.push(predicates_by_table(holds.0, Vec::new(), 0xff, holds.1));
    }
    Ok(steps)
}
