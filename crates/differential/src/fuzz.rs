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
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpgrid_isa::ScalarType;
use warpgrid_view::analysis::findings::AnalysisLimits;
use warpgrid_view::analysis::reduction::reduce_while;
use warpgrid_view::{Scenario, SourceLanguage};

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
    /// The assembler crashes or exceeds its time limit, as the message describes.
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
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        change(&mut state)
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
        let shape = cause_of(&instructions(&mismatch.kernel.lines.join("\n")));
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
            let instructions = instructions(&reduced.source);
            return Ok(Some(FoundBug {
                cause: cause_of(&instructions),
                instructions,
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

/// Returns the instructions of a kernel without operands. The list contains no instructions that only provide inputs, addresses or results.
fn instructions(source: &str) -> String {
    const PROVIDERS: &[&str] = &[
        "bra",
        "brx",
        "cvta",
        "ld.param",
        "ld.global.b",
        "ld.global.u32",
        "mov",
        "ret",
        "st.global.b",
    ];
    let mut found: Vec<&str> = Vec::new();
    for line in source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
    {
        for statement in line.split([';', '{', '}', ':']) {
            let mut words = statement.split_whitespace();
            let opcode = words.find(|word| !word.starts_with('@')).unwrap_or("");
            let is_instruction = opcode.starts_with(|c: char| c.is_ascii_lowercase())
                && !opcode.contains([',', '(', ')'])
                && words.next().is_some();
            let is_provider = PROVIDERS.iter().any(|name| opcode.starts_with(name));
            if is_instruction && !is_provider && found.last() != Some(&opcode) {
                found.push(opcode);
            }
        }
    }
    found.join(", ")
}

/// Returns the names and result types of instructions, in alphabetical order and without repetitions.
fn cause_of(instructions: &str) -> String {
    let name = |instruction: &str| {
        let mut words = instruction.split('.');
        let name = words.next().unwrap_or("").to_owned();
        let result = words.find(|word| ScalarType::from_name(word).is_some());
        result.map_or_else(|| name.clone(), |ty| format!("{name}.{ty}"))
    };
    let names: BTreeSet<String> = instructions.split(", ").map(name).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{cause_of, instructions};

    #[test]
    fn cause_omits_modifiers_order_and_repetitions() {
        assert_eq!(
            cause_of("shl.b16, add.sat.s32, shl.b16"),
            "add.s32, shl.b16"
        );
        assert_eq!(cause_of("cvt.rzi.ftz.s32.f32"), "cvt.s32");
    }

    #[test]
    fn instructions_omit_operands_and_providers() {
        let source = "//@ launch grid=1 block=1\n.entry k()\n{\n.reg .b32 %r<2>;\nld.param.u64 %d, [out];\nL1: @!%p0 shl.b16 %h0, %h1, %r1;\n\
                      {add.s32 %r0, %r0, 1;}\nst.global.b16 [%d], %h0;\nret;\n}\n";
        assert_eq!(instructions(source), "shl.b16, add.s32");
    }
}
