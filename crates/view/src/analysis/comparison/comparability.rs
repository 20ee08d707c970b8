//! Reasons why different results of two runs prove no difference between the kernels: a listing that lacks data, another kernel or target,
//! results that PTX leaves to the implementation, and undefined results.

use crate::analysis::comparison::PairedRun;
use crate::analysis::comparison::differing_instruction::{InstructionRef, SearchResult};
use crate::analysis::memory_diff::FinalMemory;
use crate::session::Session;
use std::collections::BTreeSet;
use warpgrid_emulator::FaultKind;
use warpgrid_isa::{ArithmeticOp, TargetRequirement};
use warpgrid_launch::SourceLanguage;
use warpgrid_program::OpcodeInfo;

/// Undefined behavior of one of the two runs, which can explain a difference.
pub(crate) struct UndefinedResult {
    /// Index of the run.
    side: usize,
    /// Lines of the source that contain the undefined behavior.
    lines: Vec<u32>,
    pub(crate) note: String,
}

impl PairedRun {
    /// Returns the reason why the runs are not comparable, although their results differ, or `None` if the kernels differ. `contents` contains
    /// the final memory of both runs.
    pub(crate) fn reason_not_comparable(
        &self,
        found: Option<&SearchResult>,
        undefined: &[UndefinedResult],
        contents: &[Vec<FinalMemory>; 2],
    ) -> Option<String> {
        let mismatch = self.other_kernel().or_else(|| self.other_target());
        let missing = mismatch.or_else(|| self.unsupported_instruction());
        let nan = missing.or_else(|| self.depends_on_nan(contents).then(|| NAN_REASON.to_owned()));
        let contraction = nan.or_else(|| self.contraction(found?));
        contraction.or_else(|| {
            let explains = |result: &&UndefinedResult| self.depends_on(found, result);
            undefined
                .iter()
                .find(explains)
                .map(|result| result.note.clone())
        })
    }

    /// Returns the index of the listing and the index of the PTX, if the sources are a listing and PTX.
    fn listing_and_ptx(&self) -> Option<[usize; 2]> {
        let fronts = self
            .sessions
            .each_ref()
            .map(|session| session.scenario().front);
        match fronts {
            [SourceLanguage::Sass, SourceLanguage::Ptx] => Some([0, 1]),
            [SourceLanguage::Ptx, SourceLanguage::Sass] => Some([1, 0]),
            _ => None,
        }
    }

    fn other_kernel(&self) -> Option<String> {
        let [listing, ptx] = self.listing_and_ptx()?.map(|side| self.sessions.get(side));
        let [listing, ptx] = [listing?, ptx?];
        let own = listing.scenario().entry.clone()?;
        let other = ptx.scenario().entry.clone()?;
        let is_bare = listing.program.entries().any(|(_, entry)| {
            entry
                .machine
                .as_ref()
                .is_some_and(|machine| machine.is_bare)
        });
        let is_other = own != other && !is_bare && !own.is_empty() && !other.is_empty();
        is_other.then(|| {
            format!(
                "the listing contains the kernel `{own}`, and the PTX contains the kernel `{other}`"
            )
        })
    }

    fn other_target(&self) -> Option<String> {
        let sides = self.listing_and_ptx()?;
        let [listing, ptx] =
            sides.map(|side| self.sessions.get(side).map(|own| own.program.target));
        let [listing, ptx] = [listing?, ptx?];
        let is_met = TargetRequirement::From(ptx.sm).met_by(listing);
        (!is_met).then(|| {
            format!(
                "the listing is machine code for `{}`, and the PTX requires `{}`",
                listing.name, ptx.name
            )
        })
    }

    /// Returns the message of the fault if a run stopped at an instruction that cannot be executed, for example because the listing lacks a
    /// constant bank or a call target.
    fn unsupported_instruction(&self) -> Option<String> {
        let stopped = self.sessions.iter().find(|session| {
            let fault = session.timeline.machine().fault();
            fault.is_some_and(|fault| matches!(fault.kind, FaultKind::Unsupported { .. }))
        });
        stopped?.fault().map(|fault| fault.message)
    }

    /// Returns the reason if the first differing value is a fused multiply-add for a multiplication and an addition without a rounding
    /// modifier (PTX ISA, "Floating Point Instructions: add": such instructions may be contracted).
    fn contraction(&self, found: &SearchResult) -> Option<String> {
        let [listing, ptx] = self.listing_and_ptx()?;
        let (machine, source) = (self.sessions.get(listing)?, self.sessions.get(ptx)?);
        let named = |side: usize| *found.named.get(side)?;
        let is_fused = machine.actions_of_step(named(listing)?).any(is_fused);
        let sum = named(ptx)?;
        let is_sum =
            |action: &OpcodeInfo| is_contractible(action, &[ArithmeticOp::Add, ArithmeticOp::Sub]);
        let is_product = |action: &OpcodeInfo| is_contractible(action, &[ArithmeticOp::Mul]);
        let mut omitted = found.omitted.iter().rev();
        let product = omitted.find(|own| source.actions_of_step(**own).any(is_product))?;
        if !is_fused || !source.actions_of_step(sum).any(is_sum) {
            return None;
        }
        let [product, sum] = [*product, sum].map(|(function, index)| {
            let line = source.range_of(function, index).line;
            let opcode = source.actions_of_step((function, index)).next();
            (opcode.map_or("", |action| action.opcode.as_str()), line)
        });
        Some(format!(
            "PTX permits the contraction of `{}` (line {}) and `{}` (line {}) to one fused multiply-add, which rounds once (write `.rn` to exclude it)",
            product.0, product.1, sum.0, sum.1
        ))
    }

    /// Checks whether the differing value depends on an undefined result. Without the instructions on which the value depends, every
    /// undefined result can explain the difference.
    fn depends_on(&self, found: Option<&SearchResult>, result: &UndefinedResult) -> bool {
        let slice = found.and_then(|found| found.slices.get(result.side));
        let session = self.sessions.get(result.side);
        let lines = |slice: &BTreeSet<InstructionRef>, session: &Session| -> BTreeSet<u32> {
            let lines = slice.iter();
            lines
                .map(|(function, index)| session.range_of(*function, *index).line)
                .collect()
        };
        slice.zip(session).is_none_or(|(slice, session)| {
            let lines = lines(slice, session);
            result.lines.iter().any(|line| lines.contains(line))
        })
    }

    /// Returns the undefined behavior of both runs.
    pub(crate) fn undefined_results(&self) -> Vec<UndefinedResult> {
        let mut results = Vec::new();
        for (side, (session, name)) in self.sessions.iter().zip(["A", "B"]).enumerate() {
            let uninitialized = session.uninitialized_uses().into_iter();
            results.extend(uninitialized.map(|used| {
                let line = session.range_of(used.function, used.instruction).line;
                UndefinedResult {
                    side,
                    lines: vec![line],
                    note: format!("kernel {name}, line {line}: {}", used.message),
                }
            }));
            let Ok(mut again) = session.restart_without_last_writers() else {
                continue;
            };
            let races = again.detect_races(self.max_steps).races;
            if let Some(race) = races.iter().find(|race| race.is_undefined()) {
                let lines = [race.first.line, race.second.line];
                let lines: Vec<u32> = lines.iter().flatten().copied().collect();
                let word = if lines.len() == 1 { "line" } else { "lines" };
                let names: Vec<String> = lines.iter().map(u32::to_string).collect();
                results.push(UndefinedResult {
                    side,
                    lines,
                    note: format!(
                        "kernel {name} has a data race ({word} {}), so the results of this kernel may differ between runs",
                        names.join(" and ")
                    ),
                });
            }
        }
        results
    }
}

const NAN_REASON: &str = "the differing values depend on a NaN literal whose bits are missing in the listing (`nvdisasm -hex` prints these bits)";

fn is_fused(action: &OpcodeInfo) -> bool {
    let is_float = action.modifiers.ty.is_some_and(|ty| ty.is_float());
    let operation = action.operation.arithmetic();
    is_float && operation.is_some_and(|op| [ArithmeticOp::Fma, ArithmeticOp::Mad].contains(&op))
}

/// Checks whether an instruction is one of the given floating-point operations without a rounding modifier.
fn is_contractible(action: &OpcodeInfo, operations: &[ArithmeticOp]) -> bool {
    let is_float = action.modifiers.ty.is_some_and(|ty| ty.is_float());
    let operation = action.operation.arithmetic();
    is_float
        && action.modifiers.rounding.is_none()
        && operation.is_some_and(|operation| operations.contains(&operation))
}

impl Session {
    /// Returns the actions of the instructions that the emulator executes in the same step as an instruction.
    fn actions_of_step(
        &self,
        (function, index): InstructionRef,
    ) -> impl Iterator<Item = &OpcodeInfo> {
        let function = self.program.functions.get(function.0 as usize);
        let indices = function.map(|function| function.instructions_of_step(index));
        let instructions = indices.into_iter().flatten().filter_map(move |index| {
            function.and_then(|function| function.instructions.get(index))
        });
        instructions.filter_map(|instruction| self.program.opcode(instruction))
    }
}
