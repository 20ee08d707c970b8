//! Listings to programs: each instruction of the machine becomes instructions of the contract that share its step. One file
//! a family; an opcode has one place, and what a place does not know makes the instruction unknown.

mod asynchronous;
mod body;
mod bytes;
mod control;
mod convert;
mod double;
mod extreme;
mod float;
mod half;
mod integer;
mod kernel;
mod library;
mod logic;
mod matrix;
mod mbarrier;
mod memory;
mod moves;
mod packed;
mod parameters;
mod simd;
mod tensor_copy;
mod tensor_memory;
mod texture;
mod warp;
mod warpgroup;
mod words;

pub(crate) use kernel::{NotRun, lower};
pub(crate) use parameters::offsets_read;

use crate::listing::Text;
use body::{Arg, Body, Step, id_of};
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, Does, MachineOp, Modifiers, MoveOp, ScalarType, SyncOp, Target, WarpOp,
};
use warpgrid_program::{Guard, OperandValue, RegisterId, RegisterRun, Source, Span, Variable};
use words::{Lowered, Words};

/// What the lowering of an instruction can ask beside its words.
struct Context<'a> {
    text: &'a Text,
    target: &'static Target,
    /// Those of the module.
    variables: &'a [Variable],
    body: &'a mut Body,
    /// Of the instruction at hand.
    address: u64,
    guard: Option<Guard>,
}

/// One instruction of the text to the instructions of its step.
fn lower_one(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    // Instructions of the uniform datapath do for one value what others do for 32.
    let opcode = w.opcode();
    let own = opcode.strip_prefix('U').filter(|rest| is_common(rest));
    let steps = match own.unwrap_or(opcode) {
        "VIADD" | "VIMNMX" if simd::are_bytes(w) => simd::four_bytes(w),
        "IADD3" | "IADD" | "VIADD" | "IADD32I" => integer::add(c, w),
        "IMAD" | "IMUL" => match moves::copy_by_product(c, w) {
            Some(steps) => steps,
            None => integer::multiply(w),
        },
        "LEA" => integer::scaled_add(w),
        "IABS" => integer::one_source(w, ArithmeticOp::Abs, ScalarType::S32),
        "IMNMX" | "VIMNMX" | "VIMNMX3" | "VIADDMNMX" => extreme::integers(c, w),
        "ISETP" => integer::compare(w),
        "SEL" => integer::select(w),
        "FLO" => integer::find(w),
        "POPC" => integer::one_source(w, ArithmeticOp::Popc, ScalarType::B32),
        "BREV" => integer::one_source(w, ArithmeticOp::Brev, ScalarType::B32),
        "BMSK" => integer::mask(w),
        "SGXT" => integer::extend(w),
        "IDP" => bytes::dot(w),
        "VABSDIFF" => bytes::distance(w),
        "VABSDIFF4" => bytes::distances(c, w),
        "I2I" => bytes::integer_to_integer(w),
        "I2IP" => bytes::pack(w),
        "F2IP" => bytes::pack_floats(c, w),
        "LOP3" => logic::logic3(w),
        "LOP" | "LOP32I" => logic::logic2(w),
        "PLOP3" => logic::predicates(c, w),
        "SHF" => logic::funnel_shift(w),
        "SHL" | "SHR" => logic::shift(w),
        "PRMT" => logic::permute(w),
        "P2R" | "UP2UR" => logic::pack_predicates(w),
        "R2P" | "UR2UP" => logic::unpack_predicates(w),
        "FADD" | "FADD32I" => float::two(w, ArithmeticOp::Add),
        "FMUL" | "FMUL32I" => float::multiply(c, w),
        "FFMA" | "FFMA32I" => float::fused(w),
        "FMNMX" | "FMNMX3" => extreme::floats(c, w),
        "FADD2" => packed::floats(c, w, ArithmeticOp::Add),
        "FMUL2" => packed::floats(c, w, ArithmeticOp::Mul),
        "FFMA2" => packed::floats(c, w, ArithmeticOp::Fma),
        "FSEL" => float::select(w),
        "FSETP" => float::compare(w),
        "FSET" => float::set(w),
        "FCHK" => float::check(w),
        "FSWZADD" => Err(w.unknown("`FSWZADD`", w.instruction.opcode)),
        "MUFU" => float::special(c, w),
        "DADD" => double::two(w, ArithmeticOp::Add),
        "DMUL" => double::two(w, ArithmeticOp::Mul),
        "DFMA" => double::fused(w),
        "DMNMX" => extreme::doubles(c, w),
        "DSETP" => double::compare(c, w),
        "HADD2" => half::two(c, w, ArithmeticOp::Add),
        "HMUL2" => half::two(c, w, ArithmeticOp::Mul),
        "HFMA2" => half::fused(c, w),
        "FHADD" => half::mixed(c, w, ArithmeticOp::Add),
        "FHFMA" => half::mixed(c, w, ArithmeticOp::Fma),
        "HMNMX2" | "VHMNMX" => extreme::halves(c, w),
        "HSETP2" => half::compare(c, w),
        "HSET2" => half::set(w),
        "I2F" | "I2FP" => convert::to_float(w),
        "F2I" => convert::to_integer(w),
        "F2F" => convert::float_to_float(w),
        "F2FP" => convert::pack(c, w),
        "FRND" => convert::round(w),
        "MOV" | "MOV32I" => moves::copy_register(c, w),
        "S2R" | "S2UR" => moves::special(c, w),
        "CS2R" | "CS2UR" => moves::special_pair(c, w),
        "R2UR" | "UR2R" => moves::first_lane(c, w),
        "BMOV" => moves::barrier(w),
        "RPCMOV" => moves::return_address(c, w),
        "LDC" | "LDCU" => moves::load_constant(w),
        "LEPC" | "ULEPC" => control::program_counter(c, w),
        "QSPC" => memory::query_space(c, w),
        "LD" | "LDG" | "LDS" | "LDL" => memory::load(c, w),
        "ST" | "STG" | "STS" | "STL" => memory::store(w),
        "USTGR" => memory::store_uniform(c, w),
        "ATOM" | "ATOMG" | "ATOMS" => memory::atomic(c, w),
        "RED" | "REDG" => memory::reduction(w),
        "BRA" | "JMP" => control::branch(c, w),
        "BRX" | "JMX" | "BRXU" | "JMXU" => control::branch_indirect(c, w),
        "CALL" => control::call(c, w),
        "RET" => control::returns(c, w),
        "EXIT" => control::exit(c, w),
        "BPT" => control::trap(w),
        "BSSY" => control::begin_reconvergence(c, w),
        "BSYNC" => control::reconverge(c, w),
        "BREAK" => control::leave_reconvergence(c, w),
        "WARPSYNC" => control::warp_barrier(c, w),
        "BAR" => control::barrier(c, w),
        "B2R" => control::barrier_result(c, w),
        "UCGABAR_ARV" => control::cluster(w, SyncOp::ClusterArrive),
        "UCGABAR_WAIT" => control::cluster(w, SyncOp::ClusterWait),
        "SYNCS" => mbarrier::sync(c, w),
        "UGETNEXTWORKID" => mbarrier::next_cluster(c, w),
        "UMEMSETS" => asynchronous::fill(c, w),
        "STAS" => mbarrier::store(w),
        "LDGSTS" => asynchronous::copy(w),
        "LDGDEPBAR" => asynchronous::commit(c, w, AsyncOp::CopyCommit),
        "UBLKCP" | "UBLKRED" => asynchronous::copy_range(c, w),
        "UTMACMDFLUSH" => asynchronous::commit(c, w, AsyncOp::BulkCommit),
        "UTMALDG" => tensor_copy::load(c, w),
        "UTMASTG" | "UTMAREDG" => tensor_copy::store(c, w),
        "ARRIVES" => asynchronous::arrive(c, w),
        "DEPBAR" => asynchronous::wait(c, w),
        "NANOSLEEP" => control::sleep(w),
        "YIELD" => control::give_way(w),
        "NOP" | "ENDCOLLECTIVE" | "MEMBAR" | "ERRBAR" | "CGAERRBAR" | "FENCE" | "CCTL"
        | "CCTLL" | "PMTRIG" | "ACQBULK" | "PREEXIT" | "UVIRTCOUNT" | "UBLKPF" | "UTMAPF"
        | "UTMACCTL" => control::nothing(w),
        "HMMA" | "IMMA" | "DMMA" | "BMMA" | "QMMA" => matrix::product(c, w),
        "HGMMA" | "IGMMA" | "QGMMA" | "BGMMA" => warpgroup::product(w),
        "WARPGROUP" => warpgroup::sync(w),
        "UTCATOMSWS" => tensor_memory::reserve(c, w),
        "LDTM" => tensor_memory::load(w),
        "STTM" => tensor_memory::store(w),
        "UTCCP" => tensor_memory::copy(c, w),
        "UTCBAR" => tensor_memory::commit(c, w),
        "UTCHMMA" | "UTCIMMA" | "UTCQMMA" | "UTCOMMA" => tensor_memory::product(c, w),
        "USETMAXREG" => control::registers_of_warp(w),
        "LDSM" => matrix::load_rows(w),
        "STSM" => matrix::store_rows(w),
        "MOVM" => matrix::transpose(w),
        "TEX" | "TLD" | "TLD4" | "TXD" => texture::sample(c, w),
        "TXQ" => texture::query(c, w),
        "SULD" | "SUST" | "SURED" => texture::surface(c, w),
        "SHFL" => warp::shuffle(w),
        "VOTE" | "VOTEU" => warp::vote(w),
        "MATCH" => warp::matches(w),
        "REDUX" | "CREDUX" => warp::reduce(c, w),
        "ELECT" => warp::elect(w),
        _ => Err(w.unknown(format!("opcode `{opcode}`"), w.instruction.opcode)),
    }?;
    w.finish()?;
    Ok(steps)
}

/// Opcodes that the uniform datapath has as well, with `U` before them.
fn is_common(rest: &str) -> bool {
    matches!(
        rest,
        "IADD3"
            | "IADD"
            | "VIADD"
            | "IMAD"
            | "LEA"
            | "IABS"
            | "IMNMX"
            | "VIMNMX"
            | "VIMNMX3"
            | "VIADDMNMX"
            | "I2I"
            | "I2IP"
            | "ISETP"
            | "SEL"
            | "FLO"
            | "POPC"
            | "BREV"
            | "BMSK"
            | "SGXT"
            | "LOP3"
            | "PLOP3"
            | "SHF"
            | "PRMT"
            | "FADD"
            | "FMUL"
            | "FFMA"
            | "FMNMX"
            | "FSEL"
            | "FSETP"
            | "FSET"
            | "I2F"
            | "I2FP"
            | "F2I"
            | "F2F"
            | "F2FP"
            | "FRND"
            | "MOV"
            | "LDC"
    )
}

/// A step without a guard of its own.
#[inline(never)]
fn step(does: Does, modifiers: Modifiers, args: Vec<Arg>) -> Step {
    Step {
        does,
        modifiers,
        args,
        guard: None,
        unguarded: false,
    }
}

/// Modifiers of which none is set.
#[inline(never)]
fn blank() -> Modifiers {
    Modifiers::default()
}

/// An operation with a type.
#[inline(never)]
fn typed(ty: ScalarType) -> Modifiers {
    Modifiers {
        ty: Some(ty),
        ..Modifiers::default()
    }
}

/// An arithmetic operation.
#[inline(never)]
fn arithmetic(op: ArithmeticOp, ty: ScalarType, args: Vec<Arg>) -> Step {
    step(Does::Arithmetic(op), typed(ty), args)
}

/// A copy of 32 bits.
fn copy(to: Arg, from: (OperandValue, Span)) -> Step {
    step(
        Does::Move(MoveOp::Mov),
        typed(ScalarType::B32),
        vec![to, one(from)],
    )
}

/// A source that is a number.
fn number_of(value: u64) -> OperandValue {
    words::number(value)
}

/// Logic of up to three predicates by a table: the result of a, b and c is at bit `4 * a + 2 * b + c`.
fn predicates_by_table(
    to: Option<RegisterId>,
    conditions: Vec<(OperandValue, Span)>,
    table: u8,
    span: Span,
) -> Step {
    let machine = Machine {
        predicates: vec![predicate_destination((to, span))],
        conditions,
        number: u64::from(table),
        ..Machine::default()
    };
    machine.step(MachineOp::PredicateLogic3, span)
}

/// A predicate register that is read.
fn predicate_source(register: RegisterId, negated: bool) -> OperandValue {
    OperandValue::Predicate {
        source: Source::Register(RegisterRun::one(register)),
        negated,
    }
}

impl Context<'_> {
    /// A predicate that holds in the lanes whose guard holds and where `condition` does, and the step that makes it.
    fn guard_with(&mut self, (condition, span): (OperandValue, Span)) -> (Guard, Step) {
        let both = self.body.hidden(ScalarType::Pred);
        let own = match self.guard {
            Some(guard) => predicate_source(guard.predicate, guard.negated),
            None => OperandValue::Predicate {
                source: Source::Immediate(1),
                negated: false,
            },
        };
        let args = vec![
            Arg::One(body::written(both), span),
            Arg::One(condition, span),
            Arg::One(own, span),
        ];
        // Not under the guard itself, since the sum must be made in all lanes.
        let mut sum = step(
            Does::Arithmetic(ArithmeticOp::And),
            typed(ScalarType::Pred),
            args,
        );
        sum.unguarded = true;
        let guard = Guard {
            predicate: both,
            negated: false,
        };
        (guard, sum)
    }

    /// The steps that do `step` in one of the lanes where the guard holds.
    fn in_one_lane(&mut self, mut step: Step, span: Span) -> [Step; 3] {
        let elected = self.body.hidden(ScalarType::Pred);
        let to = Arg::One(OperandValue::Pair(None, Some(elected)), span);
        let elect = self::step(Does::Warp(WarpOp::Elect), Modifiers::default(), vec![to]);
        let (guard, sum) = self.guard_with((predicate_source(elected, false), span));
        step.guard = Some(guard);
        [elect, sum, step]
    }
}

fn one((value, span): (OperandValue, Span)) -> Arg {
    Arg::One(value, span)
}

/// Lists of an operation of machine code, in their order.
#[derive(Default)]
struct Machine {
    registers: Vec<(OperandValue, Span)>,
    predicates: Vec<(OperandValue, Span)>,
    sources: Vec<(OperandValue, Span)>,
    conditions: Vec<(OperandValue, Span)>,
    number: u64,
}

impl Machine {
    fn step(self, op: MachineOp, span: Span) -> Step {
        let args = vec![
            Arg::List(self.registers, span),
            Arg::List(self.predicates, span),
            Arg::List(self.sources, span),
            Arg::List(self.conditions, span),
            Arg::One(words::number(self.number), span),
        ];
        step(Does::Machine(op), Modifiers::default(), args)
    }
}

/// A predicate that is written, as an element of a list.
fn predicate_destination((id, span): (Option<RegisterId>, Span)) -> (OperandValue, Span) {
    (OperandValue::Destination(id.map(RegisterRun::one)), span)
}

/// Whether a predicate that is read always holds, or never does.
fn known(value: &OperandValue) -> Option<bool> {
    match value {
        OperandValue::Predicate {
            source: Source::Immediate(bit),
            negated,
        } => Some((bit & 1 != 0) != *negated),
        OperandValue::Predicate { .. }
        | OperandValue::Absent
        | OperandValue::Destination(_)
        | OperandValue::Pair(..)
        | OperandValue::Source(..)
        | OperandValue::Address(_)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => None,
    }
}

/// The modifiers of a source; none for other operands.
fn modifiers_of(value: &OperandValue) -> warpgrid_program::SourceModifiers {
    match value {
        OperandValue::Source(_, modifiers) => *modifiers,
        OperandValue::Predicate { .. }
        | OperandValue::Absent
        | OperandValue::Destination(_)
        | OperandValue::Pair(..)
        | OperandValue::Address(_)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => warpgrid_program::SourceModifiers::NONE,
    }
}

/// Whether a source is zero.
fn is_zero(value: &OperandValue) -> bool {
    is_number(value, 0)
}

/// Whether a source is this number.
fn is_number(value: &OperandValue, number: u64) -> bool {
    let is_plain = modifiers_of(value) == warpgrid_program::SourceModifiers::NONE;
    matches!(value, OperandValue::Source(Source::Immediate(bits), _) if *bits == number) && is_plain
}
