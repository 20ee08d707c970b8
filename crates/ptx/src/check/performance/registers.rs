//! Checks of `setmaxnreg`: register counts that the assembler ignores or rejects (PTX ISA, "setmaxnreg"; assembler 13.5).

use crate::check::performance::calls::{CallKind, Calls};
use crate::check::performance::register_change;
use crate::diagnostics::performance as diagnose;
use warpgrid_isa::{RegisterCountDirection, Target};
use warpgrid_program::{
    Diagnostic, Function, FunctionId, Instruction, LaunchBounds, Module, OperandValue, Source,
    Span, reachable_blocks,
};

/// Number of 32-bit registers of a multiprocessor.
pub(crate) const REGISTERS: u32 = 65536;
/// Maximum number of addressable registers per thread. A `setmaxnreg` with 256 registers has the same effect as 255.
const MAX_PER_THREAD: u32 = 255;
/// Minimum number of registers per thread that the assembler can use.
const MIN_PER_THREAD: u32 = 24;

/// Number of registers per thread at the entry of a kernel, or the reason why it is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryCount {
    Known(u32),
    Unknown,
    /// The assembler ignores `.minnctapersm`, because the specified blocks exceed the capacity of a multiprocessor.
    TooManyThreads {
        n_blocks: u32,
        n_threads: u32,
    },
    /// The assembler ignores `.maxnreg`, because its value is greater than 255.
    Ignored,
}

/// `setmaxnreg` instruction in a function that a kernel reaches, with its direction and register count.
struct Change {
    is_decrease: bool,
    count: u32,
    count_span: Span,
    instruction: Span,
    is_reachable: bool,
}

pub(crate) fn check(module: &Module, calls: &Calls<'_>) -> Vec<Diagnostic> {
    let changes: Vec<Vec<Change>> = module
        .functions
        .iter()
        .map(|function| changes_of(module, function))
        .collect();
    let mut found: Vec<Diagnostic> = Vec::new();
    for (id, kernel) in calls.kernels() {
        let reached = calls.reached(id);
        let of = |id: &FunctionId| changes.get(id.0 as usize).into_iter().flatten();
        let own: Vec<&Change> = reached.iter().flat_map(of).collect();
        let Some(first) = own.first() else { continue };
        let name = kernel.name.as_str();
        let count = match entry_count(&kernel.bounds, module.target) {
            EntryCount::Known(count) => count,
            EntryCount::Unknown => {
                found.push(diagnose::entry_count(first.instruction, name));
                continue;
            }
            EntryCount::TooManyThreads {
                n_blocks,
                n_threads,
            } => {
                let at = first.instruction;
                let problem = diagnose::entry_count_of_too_many(at, name, n_blocks, n_threads);
                found.push(problem);
                continue;
            }
            EntryCount::Ignored => continue,
        };
        let increases = own.iter().filter(|change| !change.is_decrease);
        let most = increases.fold(count, |most, change| most.max(change.count));
        let is_beyond =
            |change: &&&Change| change.is_decrease && change.is_reachable && change.count > most;
        let mut beyond = own.iter().filter(is_beyond).peekable();
        if beyond.peek().is_none() {
            let call = unknown_call(module, calls, &reached);
            let problem = call.map(|(call, callee)| {
                diagnose::registers_of_callee(first.instruction, call, &callee)
            });
            found.extend(problem);
            continue;
        }
        let problems = beyond
            .map(|change| diagnose::decrease_count(change.count_span, change.count, most, name));
        found.extend(problems);
    }
    // If several kernels call a function, report each problem of the function only once.
    let mut reported: Vec<(&str, Span)> = Vec::new();
    found.retain(|diagnostic| {
        let key = (diagnostic.code, diagnostic.span);
        let is_new = !reported.contains(&key);
        reported.push(key);
        is_new
    });
    found
}

/// Returns the number of registers at the entry of a kernel: the minimum of `.maxnreg` and the number of registers per thread that allows
/// `.minnctapersm` resident blocks.
fn entry_count(bounds: &LaunchBounds, target: &Target) -> EntryCount {
    let stated = bounds.max_registers;
    if stated.is_some_and(|count| count > MAX_PER_THREAD) {
        return EntryCount::Ignored;
    }
    let threads = bounds.required_threads.or(bounds.max_threads);
    let of_blocks = bounds.min_blocks_per_multiprocessor.zip(threads);
    let Some((n_blocks, [x, y, z])) = of_blocks else {
        return stated.map_or(EntryCount::Unknown, |count| {
            EntryCount::Known(count.max(MIN_PER_THREAD))
        });
    };
    let n_threads = x.saturating_mul(y).saturating_mul(z).max(1);
    let n_warps = n_threads.div_ceil(32).saturating_mul(n_blocks.max(1));
    // A multiprocessor has a maximum of half as many resident blocks as resident warps: 32 blocks for 64 warps, and 24 blocks for 48 warps.
    let most_warps = target.limits.warps;
    if n_threads.saturating_mul(n_blocks) > most_warps * 32 || n_blocks > most_warps / 2 {
        return match stated {
            Some(count) => EntryCount::Known(count.max(MIN_PER_THREAD)),
            None => EntryCount::TooManyThreads {
                n_blocks,
                n_threads,
            },
        };
    }
    // The hardware allocates the registers of a warp in units of 8 registers per thread.
    let share = (REGISTERS / (n_warps * 32) / 8 * 8).min(MAX_PER_THREAD);
    EntryCount::Known(
        stated
            .map_or(share, |count| count.min(share))
            .max(MIN_PER_THREAD),
    )
}

/// Returns the first call of a function whose register count the assembler cannot determine. For driver functions, the calling convention
/// determines the register count.
fn unknown_call(
    module: &Module,
    calls: &Calls<'_>,
    functions: &[FunctionId],
) -> Option<(Span, String)> {
    let bodies = functions.iter().filter_map(|id| calls.function(*id));
    let mut all = bodies.flat_map(|function| {
        let instructions = reachable_instructions(module, function);
        instructions.map(move |(instruction, _)| (function, instruction))
    });
    all.find_map(|(function, instruction)| {
        let kind = calls.kind(function, instruction)?;
        match kind {
            CallKind::Known(_) | CallKind::System(_) => None,
            CallKind::Recursive(_) | CallKind::External(_) | CallKind::Indirect => {
                Some((instruction.span, calls.describe(&kind)))
            }
        }
    })
}

fn reachable_instructions<'f>(
    module: &Module,
    function: &'f Function,
) -> impl Iterator<Item = (&'f Instruction, usize)> + use<'f> {
    let blocks = module.basic_blocks(function);
    let is_reachable = reachable_blocks(&blocks);
    let reachable = blocks.into_iter().zip(is_reachable);
    let ranges = reachable.filter_map(|(block, is_reachable)| is_reachable.then_some(block.range));
    ranges
        .flatten()
        .filter_map(|index| Some((function.instructions.get(index)?, index)))
}

fn changes_of(module: &Module, function: &Function) -> Vec<Change> {
    let change = |instruction: &Instruction| register_change(module.opcode(instruction)?.operation);
    if !function.instructions.iter().any(|i| change(i).is_some()) {
        return Vec::new();
    }
    let reachable: Vec<usize> = reachable_instructions(module, function)
        .map(|(_, index)| index)
        .collect();
    let all = function.instructions.iter().enumerate();
    all.filter_map(|(index, instruction)| {
        let change = change(instruction)?;
        let operand = function.operands_of(instruction.operands).first()?;
        let OperandValue::Source(Source::Immediate(count), _) = operand.value else {
            return None;
        };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        Some(Change {
            is_decrease: change == RegisterCountDirection::Decrease,
            count: count.min(MAX_PER_THREAD),
            count_span: operand.span,
            instruction: instruction.span,
            is_reachable: reachable.contains(&index),
        })
    })
    .collect()
}
