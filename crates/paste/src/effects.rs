//! Side effects of an asm block that the operands do not declare. The module determines from the checked program which transformations the
//! compiler may apply to the statement, and whether the statement declares all side effects (guide "Inline PTX Assembly in CUDA",
//! "Incorrect Optimization").

use crate::block::AsmBlock;
use crate::constraint::AsmDialect;
use crate::diagnostics as diagnose;
use warpgrid_isa::{AccessKind, AsyncOp, Operation, Sem};
use warpgrid_program::{Diagnostic, Module, OperandValue, Source};

/// Side effects of the instructions of an asm block, from which the diagnostics about undeclared effects are derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    reads_memory: bool,
    writes_memory: bool,
    /// Whether an instruction waits for other threads or units, or orders memory accesses.
    orders: bool,
    /// Whether an instruction exchanges values with other lanes, or exits the thread.
    exchanges: bool,
    /// Whether an instruction is a hint to the hardware that does not affect results.
    hints: bool,
    /// Whether an instruction reads a clock, so that the results differ between executions of the asm block.
    reads_clock: bool,
}

impl Effects {
    /// Returns the side effects of all instructions of a module.
    pub(crate) fn of(module: &Module) -> Effects {
        let mut effects = Effects::default();
        for function in &module.functions {
            for instruction in &function.instructions {
                // Skip instructions without a span: a front end has inserted them, and the source does not contain them.
                let is_own = instruction.span.end > instruction.span.start;
                if let Some(action) = module.opcode(instruction).filter(|_| is_own) {
                    effects.add(action.operation);
                    // A strong access counts as ordering, because it is ordered with respect to accesses of other threads, and a repeated
                    // strong load may return a different value.
                    effects.orders |= action.modifiers.sem.is_some_and(|sem| sem != Sem::Weak);
                }
                for operand in function.operands_of(instruction.operands) {
                    if let OperandValue::Source(Source::Special(register), _) = &operand.value {
                        effects.reads_clock |= register.is_clock() || register.is_counter();
                    }
                }
            }
        }
        effects
    }

    fn add(&mut self, operation: Operation) {
        match operation {
            Operation::Arithmetic(_)
            | Operation::Carry(_)
            | Operation::Video(..)
            | Operation::Compare(_)
            | Operation::Move(_) => {}
            Operation::Memory(op) => self.access(op.access()),
            // An MMA without memory access has no side effect, although the lanes of a warp compute it together.
            Operation::Matrix(op) if op.access().is_none() => {}
            Operation::Matrix(op) => self.access(op.access()),
            Operation::Async(op) => self.asynchronous(op),
            Operation::Mbarrier(_) | Operation::Sync(_) => self.orders = true,
            Operation::Unit(_) | Operation::Machine(_) | Operation::Unknown => {
                self.writes_memory = true
            }
            // A branch has no effect outside of the asm block.
            Operation::Control(op) => self.exchanges |= !op.is_branch(),
            Operation::Warp(_) => self.exchanges = true,
            Operation::Hint(_) => self.hints = true,
        }
    }

    fn asynchronous(&mut self, op: AsyncOp) {
        match op {
            AsyncOp::Store
            | AsyncOp::Reduction
            | AsyncOp::Copy
            | AsyncOp::BulkCopy
            | AsyncOp::BulkReduction => self.writes_memory = true,
            AsyncOp::CopyCommit
            | AsyncOp::CopyWait
            | AsyncOp::CopyWaitAll
            | AsyncOp::CopyArrive
            | AsyncOp::BulkCommit
            | AsyncOp::BulkWait => self.orders = true,
        }
    }

    /// Records a memory access. An access of unknown kind counts as a write.
    fn access(&mut self, kind: Option<AccessKind>) {
        match kind {
            Some(AccessKind::Load) => self.reads_memory = true,
            Some(AccessKind::Store | AccessKind::Atomic) | None => self.writes_memory = true,
        }
    }

    /// Checks whether deleting or moving the statement would change the program beyond its outputs, so that the statement must be volatile.
    fn needs_volatile(self) -> bool {
        self.writes_memory || self.orders || self.exchanges || self.reads_clock || self.hints
    }

    /// Checks whether the statement requires a memory clobber, because the compiler must not cache memory values in registers across the
    /// statement.
    fn needs_memory(self) -> bool {
        self.reads_memory || self.writes_memory || self.orders
    }

    /// Describes the side effects as a phrase at the end of a sentence.
    fn words(self) -> &'static str {
        let all = [
            (self.writes_memory, "writes memory"),
            (self.orders, "orders memory accesses"),
            (self.reads_memory, "reads memory"),
            (
                self.exchanges,
                "synchronizes or exchanges data with other threads",
            ),
            (self.reads_clock, "reads a clock or performance counter"),
            (self.hints, "passes a hint to the hardware"),
        ];
        let first = all.into_iter().find(|(is_so, _)| *is_so);
        first.map_or("depends only on its inputs", |(_, words)| words)
    }
}

/// Names of the volatile declaration and of the memory clobber in a dialect, with help texts for diagnostics.
struct SideEffectSyntax {
    volatile: &'static str,
    memory: &'static str,
    /// Help text that proposes the volatile declaration.
    say_volatile: &'static str,
    say_memory: &'static str,
}

impl SideEffectSyntax {
    const fn of(dialect: AsmDialect) -> SideEffectSyntax {
        match dialect {
            AsmDialect::Cuda => SideEffectSyntax {
                volatile: "`volatile`",
                memory: "`\"memory\"`",
                say_volatile: "use `asm volatile`",
                say_memory: "add `\"memory\"` after a third colon",
            },
            AsmDialect::Rust => SideEffectSyntax {
                volatile: "a side-effect declaration",
                memory: "a memory clobber",
                say_volatile: "remove the option `pure`",
                say_memory: "remove the options `nomem` and `readonly`",
            },
            // ILGPU has no syntax for these declarations, because it assumes that every call modifies memory.
            AsmDialect::Ilgpu => SideEffectSyntax {
                volatile: "a fixed position",
                memory: "up-to-date memory",
                say_volatile: "call `CudaAsm.Emit`",
                say_memory: "call `CudaAsm.Emit`",
            },
            AsmDialect::Llvm => SideEffectSyntax {
                volatile: "a side-effect declaration",
                memory: "`~{memory}`",
                say_volatile: "use `is_pure=False` (Triton), `has_side_effects=True` (MLIR), or `true` after the constraints (Julia)",
                say_memory: "add `~{memory}` to the constraints",
            },
        }
    }
}

/// Describes the transformations that a compiler may apply to the statement in two sentences.
pub(crate) fn note(block: &AsmBlock, effects: Effects) -> String {
    let effect_words = effects.words();
    let freedom = match (block.is_volatile, block.clobbers_memory) {
        (false, false) => {
            "the compiler may move the statement, delete the statement if the outputs are unused, and cache memory values in registers across the statement"
        }
        (false, true) => {
            "the compiler may delete the statement if the outputs are unused, but does not cache memory values in registers across the statement"
        }
        (true, false) => {
            "the compiler neither deletes nor moves the statement, but may cache memory values in registers across the statement"
        }
        (true, true) => {
            "the compiler neither deletes nor moves the statement, and does not cache memory values in registers across the statement"
        }
    };
    let SideEffectSyntax {
        volatile, memory, ..
    } = SideEffectSyntax::of(block.dialect);
    let needs = match (effects.needs_volatile(), effects.needs_memory()) {
        (true, true) => format!("requires {volatile} and {memory}"),
        (true, false) => format!("requires {volatile}"),
        (false, true) => format!("requires {memory} if this memory is modified"),
        (false, false) => format!("requires neither {volatile} nor {memory}"),
    };
    format!("The asm block {effect_words} and {needs}. As written, {freedom}.")
}

/// Returns the diagnostic for assembly that writes memory although Triton executes it for each element of a tensor.
pub(crate) fn replicated(block: &AsmBlock, effects: Effects) -> Option<Diagnostic> {
    let purity = block.elementwise.filter(|_| effects.writes_memory)?;
    Some(diagnose::replicated_effect(purity, block.word))
}

/// Returns the diagnostic for effects that the statement does not declare.
pub(crate) fn untold(block: &AsmBlock, effects: Effects) -> Option<Diagnostic> {
    let lacks_volatile = effects.needs_volatile() && !block.is_volatile;
    // Require no memory clobber for a statement that only reads memory, because the memory may be constant.
    let changes = effects.writes_memory || effects.orders;
    let lacks_memory = changes && !block.clobbers_memory;
    let words = SideEffectSyntax::of(block.dialect);
    let (may, help) = match (lacks_volatile, lacks_memory) {
        (true, true) => (
            "delete or move the statement, or cache memory values in registers across the statement",
            format!("{}; {}", words.say_volatile, words.say_memory),
        ),
        (true, false) => (
            "delete or move the statement",
            words.say_volatile.to_owned(),
        ),
        (false, true) => (
            "cache memory values in registers across the statement",
            format!(
                "{}, unless no other code accesses this memory",
                words.say_memory
            ),
        ),
        (false, false) => return None,
    };
    let message = format!(
        "the asm block {}, but the compiler may {may}",
        effects.words()
    );
    Some(diagnose::may_be_moved(&message, &help, block.word))
}
