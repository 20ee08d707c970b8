//! Searches errors of an assembler with random kernels. The search compares the PTX and the SASS of each kernel, reduces the kernels with
//! different results, and groups them by cause.

use crate::Result;
use crate::assemble::{AssemblerTools, AssemblyOptions};
use crate::batch::{BATCH_SIZE, Batch, BatchOptions, Mismatch, RejectionKind};
use crate::difference::{
    AssemblyDifference, DifferenceOutcome, DifferenceTest, PreservedDifference,
};
use crate::files::TempDir;
use crate::kernel::Kernel;
use crate::run::MAX_STEPS;
use crate::shrink::shrink;
use crate::threads::lock;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpgrid_isa::{AccessKind, MemoryOp, Modifiers, MoveOp, Operation, StateSpace};
use warpgrid_view::analysis::findings::AnalysisLimits;
use warpgrid_view::analysis::reduction::reduce_while;
use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Options of a search.
#[derive(Clone, Debug)]
pub struct FuzzOptions<'a> {
    pub tools: &'a AssemblerTools,
    /// Further assemblers, whose results the reports contain.
    pub also: &'a [AssemblerTools],
    pub batches: BatchOptions<'a>,
    /// Number of kernels; `None` for a search until the observer stops the search.
    pub n_kernels: Option<usize>,
    pub n_threads: usize,
}

/// Receiver of the results of a search, which several threads call.
pub trait FuzzObserver: Sync {
    /// Returns whether the search ends. A started comparison is finished.
    fn is_stopped(&self) -> bool;

    /// Receives the counts of a search after each batch and each reduction.
    fn progress(&self, counts: &FuzzCounts);

    /// Receives a bug with a new cause.
    ///
    /// # Errors
    ///
    /// Fails if the bug cannot be reported. The search then ends.
    fn found(&self, number: usize, bug: &FoundBug) -> Result<()>;
}

/// Counts of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuzzCounts {
    /// Number of compared kernels.
    pub n_kernels: usize,
    /// Number of compared kernels with different results.
    pub n_different: usize,
    /// Number of kernels that the assembler rejects although the checker accepts them.
    pub n_rejected: usize,
    /// Number of kernels whose listing or PTX does not determine the final memory, or whose run stops, by reason.
    pub not_comparable: BTreeMap<String, usize>,
    /// Number of kernels by cause.
    pub causes: BTreeMap<String, usize>,
}

/// Error of the assembler, with a minimal kernel that shows the error.
#[derive(Clone, Debug)]
pub struct FoundBug {
    /// Names and result types of the instructions of the reduced kernel, or the message of a failed assembler. Bugs with the same cause are
    /// reported once.
    pub cause: String,
    /// Instructions of the reduced kernel without operands, in the order of the source.
    pub instructions: String,
    /// Number of the kernel in the sequence of the seed.
    pub kernel_number: usize,
    pub build: AssemblyOptions,
    /// PTX of the reduced kernel with `//@` annotations that launch the kernel.
    pub source: String,
    pub kind: BugKind,
}

/// Kind of an error of the assembler.
#[derive(Clone, Debug)]
pub enum BugKind {
    /// The code of the assembler produces other memory contents than the PTX.
    WrongCode {
        difference: Box<AssemblyDifference>,
        /// Results of all assemblers and optimization levels for the reduced kernel.
        verdicts: Vec<LevelVerdict>,
        /// Number of instructions and labels before and after the reduction.
        statements: [usize; 2],
    },
    /// The assembler or the disassembler crashes or exceeds its time limit. The message describes the failure.
    Failure(String),
}

/// Result of one assembler release and optimization level for a kernel.
#[derive(Clone, Debug)]
pub struct LevelVerdict {
    pub release: String,
    pub level: u8,
    pub outcome: DifferenceOutcome,
}

/// Optimization levels that a report compares.
const REPORTED_LEVELS: [u8; 4] = [0, 1, 2, 3];

/// Runs a search, and returns its counts.
pub fn search(options: &FuzzOptions<'_>, observer: &dyn FuzzObserver) -> Result<FuzzCounts> {
    let search = Search {
        options,
        observer,
        folder: TempDir::new("fuzz")?,
        next_batch: AtomicUsize::new(0),
        state: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.n_threads.max(1) {
            scope.spawn(|| search.work());
        }
    });
    let state = search.state.into_inner();
    let state = state.unwrap_or_else(std::sync::PoisonError::into_inner);
    match state.error {
        Some(error) => Err(error),
        None => Ok(state.counts),
    }
}

/// State that the threads of a search share.
#[derive(Debug, Default)]
struct SearchState {
    counts: FuzzCounts,
    /// Cause of the reported bug, by the cause of the kernel from which only lines had been removed. A second such kernel is not reduced
    /// further.
    final_causes: BTreeMap<String, String>,
    n_found: usize,
    /// First error, which ends the search.
    error: Option<String>,
}

struct Search<'a> {
    options: &'a FuzzOptions<'a>,
    observer: &'a dyn FuzzObserver,
    folder: TempDir,
    next_batch: AtomicUsize,
    state: Mutex<SearchState>,
}

impl Search<'_> {
    fn with_state<R>(&self, change: impl FnOnce(&mut SearchState) -> R) -> R {
        change(&mut lock(&self.state))
    }

    fn is_stopped(&self) -> bool {
        self.observer.is_stopped() || self.with_state(|state| state.error.is_some())
    }

    /// Compares batches until the search ends.
    fn work(&self) {
        while !self.is_stopped() {
            let number = self.next_batch.fetch_add(1, Ordering::Relaxed);
            let first = number * BATCH_SIZE;
            let count = match self.options.n_kernels {
                Some(n_kernels) if first >= n_kernels => return,
                Some(n_kernels) => BATCH_SIZE.min(n_kernels - first),
                None => BATCH_SIZE,
            };
            let batch = Batch::random(number, count, &self.options.batches);
            if let Err(error) = self.compare(number, batch) {
                self.with_state(|state| state.error.get_or_insert(error).len());
            }
        }
    }

    fn compare(&self, number: usize, batch: Batch) -> Result<()> {
        let first = number * BATCH_SIZE;
        let file = self.folder.file(number);
        let build = batch.build.clone();
        let report = batch.compare(self.options.tools, &file)?;
        let counts = self.with_state(|state| {
            state.counts.n_kernels += report.n_kernels;
            for (reason, n) in &report.not_comparable {
                *state
                    .counts
                    .not_comparable
                    .entry((*reason).to_owned())
                    .or_default() += n;
            }
            state.counts.clone()
        });
        self.observer.progress(&counts);
        for rejection in report.rejected {
            match rejection.kind {
                RejectionKind::Rejected(_) => {
                    self.with_state(|state| state.counts.n_rejected += 1);
                }
                RejectionKind::Failed(message) => {
                    let kernel_number = first + rejection.kernel.number();
                    let source = source_of(&rejection.kernel, &build, None);
                    self.report(FoundBug {
                        cause: message.clone(),
                        instructions: String::new(),
                        kernel_number,
                        build: build.clone(),
                        source,
                        kind: BugKind::Failure(message),
                    })?;
                }
            }
        }
        for mismatch in report.different {
            if self.is_stopped() {
                return Ok(());
            }
            self.examine(first, mismatch, &file)?;
            let counts = self.with_state(|state| state.counts.clone());
            self.observer.progress(&counts);
        }
        Ok(())
    }

    /// Reduces a kernel with different results, and reports the kernel if its cause is new.
    fn examine(&self, first: usize, mismatch: Mismatch, file: &Path) -> Result<()> {
        if mismatch.difference.lane.is_none() {
            let reason = mismatch.difference.reason;
            self.with_state(|state| {
                *state.counts.not_comparable.entry(reason).or_default() += 1;
            });
            return Ok(());
        }
        self.with_state(|state| state.counts.n_different += 1);
        let kernel_number = first + mismatch.number;
        let mismatch = shrink(mismatch, self.options.tools, file)?;
        let source = source_of(&mismatch.kernel, &mismatch.build, None);
        let shape = KernelInstructions::of(&source).cause();
        let known = self.with_state(|state| {
            let cause = state.final_causes.get(&shape)?.clone();
            *state.counts.causes.entry(cause).or_default() += 1;
            Some(())
        });
        if known.is_some() {
            return Ok(());
        }
        let Some(bug) = self.reduce(kernel_number, &mismatch, file)? else {
            let reason = format!(
                "not reproduced by a separate kernel: {}",
                mismatch.difference.reason
            );
            self.with_state(|state| {
                *state.counts.not_comparable.entry(reason).or_default() += 1;
            });
            return Ok(());
        };
        self.with_state(|state| state.final_causes.insert(shape, bug.cause.clone()));
        self.report(bug)
    }

    /// Reduces the PTX source of a kernel. Returns `None` if PTX and SASS of the source do not differ.
    fn reduce(
        &self,
        kernel_number: usize,
        mismatch: &Mismatch,
        file: &Path,
    ) -> Result<Option<FoundBug>> {
        let build = AssemblyOptions {
            form: crate::assemble::Form::Encodings,
            ..mismatch.build.clone()
        };
        let test = DifferenceTest {
            tools: self.options.tools,
            build,
            file: file.to_owned(),
            max_steps: MAX_STEPS,
        };
        // A launch with one thread is simpler, but some differences depend on several threads.
        for lane in [mismatch.difference.lane, None] {
            let source = source_of(&mismatch.kernel, &mismatch.build, lane);
            let scenario = Scenario {
                source,
                front: SourceLanguage::Ptx,
                ..Scenario::default()
            };
            let DifferenceOutcome::Differs(difference) = test.run(&scenario)? else {
                continue;
            };
            let mut preserved = PreservedDifference::new(&test, &difference);
            let limits = AnalysisLimits {
                max_steps: MAX_STEPS,
                seeds: 1,
            };
            let reduced = reduce_while(
                &scenario,
                limits,
                &mut |_| !self.is_stopped(),
                &mut |scenario| preserved.holds(scenario),
            );
            if let Some(error) = preserved.into_error() {
                return Err(error);
            }
            let Ok(reduced) = reduced else {
                continue;
            };
            let scenario = Scenario {
                source: reduced.source.clone(),
                ..scenario
            };
            let DifferenceOutcome::Differs(difference) = test.run(&scenario)? else {
                continue;
            };
            let instructions = KernelInstructions::of(&reduced.source);
            return Ok(Some(FoundBug {
                cause: instructions.cause(),
                instructions: instructions.text(),
                kernel_number,
                build: test.build.clone(),
                kind: BugKind::WrongCode {
                    difference,
                    verdicts: self.verdicts(&test, &scenario)?,
                    statements: [reduced.statements_before, reduced.statements_after],
                },
                source: reduced.source,
            }));
        }
        Ok(None)
    }

    /// Compares a reduced kernel with all assemblers and optimization levels.
    fn verdicts(
        &self,
        test: &DifferenceTest<'_>,
        scenario: &Scenario,
    ) -> Result<Vec<LevelVerdict>> {
        let all = std::iter::once(self.options.tools).chain(self.options.also);
        let pairs = all.flat_map(|tools| REPORTED_LEVELS.map(|level| (tools, level)));
        let verdicts = pairs.map(|(tools, level)| {
            Ok(LevelVerdict {
                release: tools.release.clone(),
                level,
                outcome: test.with(tools, level).run(scenario)?,
            })
        });
        verdicts.collect()
    }

    /// Counts a bug, and passes a bug with a new cause to the observer.
    fn report(&self, bug: FoundBug) -> Result<()> {
        let number = self.with_state(|state| {
            let n = state.counts.causes.entry(bug.cause.clone()).or_default();
            *n += 1;
            (*n == 1).then(|| {
                state.n_found += 1;
                state.n_found
            })
        });
        match number {
            Some(number) => self.observer.found(number, &bug),
            None => Ok(()),
        }
    }
}

/// Returns the PTX of a kernel with `//@` annotations, which launch all threads, or one thread with the inputs of the given lane.
fn source_of(kernel: &Kernel, build: &AssemblyOptions, lane: Option<usize>) -> String {
    match lane {
        Some(lane) => kernel.annotations_of_lane(lane) + &kernel.compact_module(build),
        None => kernel.annotations() + &kernel.module(build),
    }
}

/// Instructions of a kernel that can be the cause of a difference. The list contains no instructions that only provide inputs, addresses or
/// results.
struct KernelInstructions {
    /// Opcodes with their modifiers, in the order of the source.
    opcodes: Vec<String>,
    /// Names and result types of the opcodes.
    shapes: BTreeSet<String>,
}

impl KernelInstructions {
    /// Returns the instructions of a PTX source, or an empty list for a source without a launch.
    fn of(source: &str) -> KernelInstructions {
        let session = Session::new_without_last_writers(Scenario {
            source: source.to_owned(),
            front: SourceLanguage::Ptx,
            ..Scenario::default()
        });
        let mut found = KernelInstructions {
            opcodes: Vec::new(),
            shapes: BTreeSet::new(),
        };
        let session = session.iter();
        for (opcode, operation, modifiers) in session.flat_map(Session::opcodes) {
            if provides_operands(operation, modifiers) {
                continue;
            }
            let name = opcode.split('.').next().unwrap_or(opcode);
            let result = modifiers.result_type();
            found.shapes.insert(match result {
                Some(ty) => format!("{name}.{ty}"),
                None => name.to_owned(),
            });
            if found.opcodes.last().is_none_or(|last| last != opcode) {
                found.opcodes.push(opcode.to_owned());
            }
        }
        found
    }

    fn text(&self) -> String {
        self.opcodes.join(", ")
    }

    /// Returns the names and result types, in alphabetical order and without repetitions.
    fn cause(&self) -> String {
        let shapes: Vec<&str> = self.shapes.iter().map(String::as_str).collect();
        shapes.join(", ")
    }
}

/// Checks whether an instruction only provides inputs, addresses or results: a branch, a copy, or an access to parameters or global memory
/// that does not convert the value.
fn provides_operands(operation: Operation, modifiers: &Modifiers) -> bool {
    let is_copy = operation
        .moves()
        .is_some_and(|op| op.is_copy() || op == MoveOp::Cvta);
    let access = operation.memory().and_then(MemoryOp::access);
    let is_transfer = match modifiers.state_space() {
        StateSpace::ParamEntry | StateSpace::ParamFunc => true,
        StateSpace::Global => modifiers
            .ty
            .is_some_and(|ty| !ty.is_signed() && !ty.is_float()),
        _ => false,
    };
    operation.control().is_some()
        || is_copy
        || is_transfer && matches!(access, Some(AccessKind::Load | AccessKind::Store))
}

#[cfg(test)]
mod tests {
    use super::KernelInstructions;

    const SOURCE: &str = "//@ launch grid=1 block=1
//@ buffer out: u32[1] = 0
.version 8.8
.target sm_90
.address_size 64
.entry k(.param .u64 out)
{
    .reg .pred %p0;
    .reg .b16 %h<2>;
    .reg .b32 %r<3>;
    .reg .f32 %f0;
    .reg .b64 %d;
    ld.param.u64 %d, [out];
    ld.global.b32 %r1, [%d];
    mov.b16 %h1, 3;
    setp.eq.u32 %p0, %r1, 0;
L1: @!%p0 shl.b16 %h0, %h1, %r1;
    { add.sat.s32 %r0, %r1, 1; }
    shl.b16 %h0, %h1, %r1;
    cvt.rn.f32.s32 %f0, %r0;
    st.global.f32 [%d], %f0;
    st.global.b32 [%d], %r0;
    ret;
}
";

    #[test]
    fn instructions_omit_operands_and_providers() {
        let found = KernelInstructions::of(SOURCE);
        let expected = "setp.eq.u32, shl.b16, add.sat.s32, shl.b16, cvt.rn.f32.s32, st.global.f32";
        assert_eq!(found.text(), expected);
    }

    #[test]
    fn cause_omits_modifiers_order_and_repetitions() {
        let found = KernelInstructions::of(SOURCE);
        assert_eq!(found.cause(), "add.s32, cvt.f32, setp.u32, shl.b16, st.f32");
    }
}
