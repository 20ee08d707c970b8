//! Atomic counters whose old value only decides a comparison, such as the ticket of the last block of a reduction or the arrivals at a
//! barrier of the grid. Two increments commute if the comparison has the same result in both orders.

use crate::hang::execution_trace::InstructionRef;
use crate::races::fast_hash::FastHashMap;

use crate::schedules::spin::LiveRegisterTable;
use std::hash::{DefaultHasher, Hash, Hasher};
use warpgrid_emulator::{AccessAction, AccessEvent, Machine, WarpId};
use warpgrid_isa::{AtomicOp, CompareOp, ComparisonOp, ScalarType};
use warpgrid_program::{
    Function, FunctionId, OperandValue, Program, RegisterId, Source, SourceModifiers,
};

/// Comparison of the old value of a counter.
#[derive(Clone, Copy, Debug)]
struct CounterComparison {
    compare: CompareOp,
    limit: Source,
    is_signed: bool,
}

/// Increment of a counter with the result of its comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CounterIncrement {
    /// Number that is equal for increments with the same instruction, amount, limit and result.
    pub(crate) number: u32,
    /// Whether the comparison has the same result if another increment by the same amount precedes the increment.
    pub(crate) is_stable: bool,
}

/// Comparisons of all counters of a program.
#[derive(Debug, Default)]
pub(crate) struct CounterTable {
    comparisons: FastHashMap<InstructionRef, CounterComparison>,
}

impl CounterTable {
    pub(crate) fn of(program: &Program, live: &mut LiveRegisterTable) -> CounterTable {
        let mut table = CounterTable::default();
        for (index, function) in program.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            for instruction in 0..function.instructions.len() as u32 {
                let found = comparison_of(program, function, id, instruction, live);
                if let Some(comparison) = found {
                    table.comparisons.insert((id, instruction), comparison);
                }
            }
        }
        table
    }

    /// Returns the limits of the counters that the next instructions of a warp increment, as the values of all lanes.
    pub(crate) fn limits(&self, machine: &Machine, warp: WarpId) -> CounterLimits {
        if self.comparisons.is_empty() {
            return CounterLimits::default();
        }
        let next = machine
            .ready_instructions(warp.block, warp.warp)
            .into_iter();
        let limits = next.filter_map(|at| {
            let row = match self.comparisons.get(&at)?.limit {
                Source::Immediate(value) => [u128::from(value); 32],
                Source::Register(register) => {
                    machine.register_row(warp.block, warp.warp, at.0, register.first)?
                }
                _ => return None,
            };
            Some((at, row))
        });
        CounterLimits(limits.collect())
    }

    /// Returns the increment that an access of a single lane performs.
    pub(crate) fn increment(
        &self,
        event: &AccessEvent<'_>,
        limits: &CounterLimits,
    ) -> Option<CounterIncrement> {
        let at = (event.function, event.instruction);
        let comparison = self.comparisons.get(&at)?;
        let ([piece], AccessAction::Atomic) = (event.pieces, event.action) else {
            return None;
        };
        let (_, row) = limits.0.iter().find(|(own, _)| *own == at)?;
        let limit = row[usize::from(piece.address_lane & 31)] as u32;
        let word = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?));
        let (old, new) = (word(event.before(piece))?, word(event.bytes(piece))?);
        let amount = new.wrapping_sub(old);
        let result = comparison.holds(old, limit)?;
        let mut hasher = DefaultHasher::new();
        (at, amount, limit, result).hash(&mut hasher);
        Some(CounterIncrement {
            // The numbers of reductions are smaller.
            number: hasher.finish() as u32 | 1 << 31,
            is_stable: comparison.holds(new, limit)? == result,
        })
    }
}

/// Limits of the counters that the next step of a warp may increment.
#[derive(Debug, Default)]
pub(crate) struct CounterLimits(Vec<(InstructionRef, [u128; 32])>);

impl CounterComparison {
    fn holds(&self, old: u32, limit: u32) -> Option<bool> {
        let order = match self.is_signed {
            true => (old as i32).cmp(&(limit as i32)),
            false => old.cmp(&limit),
        };
        Some(match self.compare {
            CompareOp::Eq => order.is_eq(),
            CompareOp::Ne => order.is_ne(),
            CompareOp::Lt | CompareOp::Lo => order.is_lt(),
            CompareOp::Le | CompareOp::Ls => order.is_le(),
            CompareOp::Gt | CompareOp::Hi => order.is_gt(),
            CompareOp::Ge | CompareOp::Hs => order.is_ge(),
            CompareOp::Equ
            | CompareOp::Neu
            | CompareOp::Ltu
            | CompareOp::Leu
            | CompareOp::Gtu
            | CompareOp::Geu
            | CompareOp::Num
            | CompareOp::Nan => return None,
        })
    }
}

/// Returns the comparison that follows an atomic increment if it is the only use of the old value.
fn comparison_of(
    program: &Program,
    function: &Function,
    id: FunctionId,
    instruction: u32,
    live: &mut LiveRegisterTable,
) -> Option<CounterComparison> {
    let increment = function.instructions.get(instruction as usize)?;
    let modifiers = program.opcode(increment)?.modifiers;
    let is_counter = matches!(modifiers.atomic, Some(AtomicOp::Add | AtomicOp::Inc))
        && matches!(modifiers.ty, Some(ScalarType::U32 | ScalarType::S32));
    let destinations = function.destinations(increment);
    let ([old], true) = (destinations.as_slice(), is_counter) else {
        return None;
    };
    let following = function.instructions.get(instruction as usize + 1)?;
    let opcode = program.opcode(following)?;
    let is_comparison = opcode.operation.compare() == Some(ComparisonOp::Setp)
        && opcode.modifiers.combine.is_none()
        && following.guard.is_none();
    let is_signed = match opcode.modifiers.ty? {
        ScalarType::U32 | ScalarType::B32 => false,
        ScalarType::S32 => true,
        _ => return None,
    };
    let mut sources = function
        .operands_of(following.operands)
        .iter()
        .filter_map(|operand| match operand.value {
            OperandValue::Source(source, modifiers) if modifiers == SourceModifiers::NONE => {
                Some(source)
            }
            _ => None,
        });
    let (value, limit) = (sources.next()?, sources.next()?);
    let is_register = |source: Source, register: RegisterId| {
        let tuple = source.register();
        tuple.is_some_and(|tuple| tuple.n == 1 && tuple.first == register)
    };
    let is_only_use = live.before(id, instruction + 2).binary_search(old).is_err();
    let is_supported = is_comparison
        && is_only_use
        && is_register(value, *old)
        && !is_register(limit, *old)
        && matches!(limit, Source::Immediate(_) | Source::Register(_));
    is_supported.then_some(CounterComparison {
        compare: opcode.modifiers.compare?,
        limit,
        is_signed,
    })
}
