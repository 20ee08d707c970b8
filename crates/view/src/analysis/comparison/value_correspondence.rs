//! Search for the first value of a slice that differs from the corresponding value of the slice of another run.

use crate::analysis::comparison::execution_trace::Definition;
use crate::analysis::comparison::replacement_trials::Replacements;
use crate::analysis::comparison::replacement_trials::Trials;
use crate::analysis::comparison::value_slice::Origin;
use crate::analysis::comparison::value_slice::TracedRun;
use crate::analysis::comparison::value_slice::ValueSlice;
use crate::model::source_position::base_name;
use std::collections::BTreeSet;
use std::collections::HashMap;
use std::collections::HashSet;
use warpgrid_program::RegisterId;

/// Maximum number of omitted values that a difference lists.
const MAX_OMITTED: usize = 4;

/// Executions of an instruction whose results a trial replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplacedExecutions {
    /// One execution in one lane.
    One,
    /// All executions in all lanes of the block. The executions of both runs correspond by their order in each lane.
    All,
}

/// Definitions in which the search replaces values, and the definitions whose values it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchPass {
    /// Both definitions have the same origins, and no value of the other run accounts for the value of the machine code.
    Unmatched,
    /// Both definitions have the same origins, and a value of the other run equals the value of the machine code, but accounts for another
    /// value.
    Ambiguous,
    /// Like [`SearchPass::Unmatched`], but the definitions may be predicates. Since the other value of a predicate often yields the expected
    /// store although an instruction that reads the predicate is wrong, predicates come last.
    Predicates,
}

/// Search for the first value of a slice that differs from the corresponding value of another slice. The first run and slice are those in
/// which values are replaced.
pub(super) struct CorrespondenceSearch<'a> {
    pub(super) runs: [&'a TracedRun<'a>; 2],
    pub(super) slices: [&'a ValueSlice; 2],
    pub(super) pass: SearchPass,
    pub(super) executions: ReplacedExecutions,
}

/// Replacements that a pass of the search has tried.
#[derive(Default)]
pub(super) struct TriedReplacements {
    pub(super) values: HashSet<Replacements>,
    /// Pairs of instructions whose executions have all been replaced, as the first definition of each instruction.
    pub(super) instructions: HashSet<[Definition; 2]>,
}

/// Corresponding definitions of both runs with different values.
pub(super) struct DifferingPair {
    /// Definition of the machine code, and definition of the other run. A run that stores a constant has no definition.
    pub(super) pair: [Option<Definition>; 2],
    /// Definitions of the other run on which the second definition depends, and whose values the machine code does not compute.
    pub(super) omitted: Vec<Definition>,
}

impl CorrespondenceSearch<'_> {
    /// Returns the first definition whose replacement by a definition of the other run yields the expected store.
    pub(super) fn first(&self, trials: &mut Trials<'_>) -> Option<DifferingPair> {
        let [own, other] = self.slices;
        let mut by_origins: HashMap<&BTreeSet<Origin>, Vec<Definition>> = HashMap::new();
        for definition in &other.definitions {
            if let Some(origins) = other.origins(*definition) {
                by_origins.entry(origins).or_default().push(*definition);
            }
        }
        // Definitions of the other run whose values the machine code has computed.
        let mut computed: BTreeSet<Definition> = BTreeSet::new();
        // Definitions of the other run that account for a value of the machine code. Each definition accounts for one value.
        let mut assigned: BTreeSet<Definition> = BTreeSet::new();
        let mut found: Option<[Definition; 2]> = None;
        let mut tried = TriedReplacements::default();
        for definition in &own.definitions {
            let same = own
                .origins(*definition)
                .and_then(|origins| by_origins.get(origins));
            let same = same.map_or(&[][..], Vec::as_slice);
            let equal = self.equal_values(*definition, same);
            let counterpart = equal
                .iter()
                .copied()
                .find(|other| !assigned.contains(other));
            let is_ambiguous = !equal.is_empty() && self.is_ambiguous(*definition);
            let is_skipped = match self.pass {
                SearchPass::Unmatched => is_ambiguous || self.runs[0].width_bits(*definition) == 1,
                SearchPass::Predicates => is_ambiguous,
                SearchPass::Ambiguous => self.is_transfer(0, *definition),
            };
            let is_candidate = counterpart.is_none() && !is_skipped;
            if found.is_none() && is_candidate && !trials.is_exhausted() {
                let ordered = self.ordered(*definition, same, &assigned);
                let replacement = self.replacement(*definition, &ordered, &mut tried, trials);
                found = replacement.map(|other| [*definition, other]);
            }
            assigned.extend(counterpart);
            computed.extend(equal);
        }
        let [own, other] = found?;
        Some(DifferingPair {
            pair: [Some(own), Some(other)],
            omitted: self.omitted(other, &computed),
        })
    }

    /// Returns the definitions among `candidates` that have the value of `definition`.
    pub(super) fn equal_values(
        &self,
        definition: Definition,
        candidates: &[Definition],
    ) -> Vec<Definition> {
        let Some(value) = self.runs[0].trace.value(definition) else {
            return Vec::new();
        };
        if self.runs[0].width_bits(definition) == 1 {
            return Vec::new();
        }
        let is_equal = |other: &Definition| self.variants(definition, *other).contains(&value);
        candidates.iter().copied().filter(is_equal).collect()
    }

    /// Checks whether an equal value of the other run accounts for a definition of the machine code, although it also accounts for another
    /// definition: copies repeat values, and some values occur too often to identify a computation.
    pub(super) fn is_ambiguous(&self, definition: Definition) -> bool {
        let value = self.runs[0].trace.value(definition);
        let is_common = value
            .is_none_or(|value| value <= 1 || value == u64::from(u32::MAX) || value == u64::MAX);
        is_common || self.is_transfer(0, definition)
    }

    /// Returns the candidates in the order in which the search tries them: definitions of the same source line first, then values that
    /// account for no value of the machine code. A load corresponds only to a load, and a copy to no definition.
    pub(super) fn ordered(
        &self,
        definition: Definition,
        candidates: &[Definition],
        assigned: &BTreeSet<Definition>,
    ) -> Vec<Definition> {
        let line = self.source_line(0, definition);
        let is_load = self.is_load(0, definition);
        let is_candidate =
            |other: &Definition| is_load == self.is_load(1, *other) && !self.is_move(1, *other);
        let mut ordered: Vec<Definition> =
            candidates.iter().copied().filter(is_candidate).collect();
        ordered.sort_by_key(|other| {
            let is_same_line = line.is_some() && line == self.source_line(1, *other);
            (!is_same_line, assigned.contains(other))
        });
        ordered
    }

    /// Returns the first [`MAX_OMITTED`] definitions on which `definition` of the other run depends, and whose values the machine code does
    /// not compute. Loads and copies are excluded.
    pub(super) fn omitted(
        &self,
        definition: Definition,
        computed: &BTreeSet<Definition>,
    ) -> Vec<Definition> {
        let [_, other] = self.slices;
        let mut omitted = BTreeSet::new();
        let mut pending = vec![definition];
        while let Some(next) = pending.pop() {
            for source in other.sources(next) {
                let is_predicate = self.runs[1].width_bits(*source) == 1;
                if !is_predicate && !computed.contains(source) && omitted.insert(*source) {
                    pending.push(*source);
                }
            }
        }
        let omitted = omitted.into_iter().filter(|own| !self.is_transfer(1, *own));
        omitted.take(MAX_OMITTED).collect()
    }

    /// Checks whether a definition is a load or a copy, whose result is an input of the computation.
    pub(super) fn is_transfer(&self, side: usize, definition: Definition) -> bool {
        self.is_move(side, definition) || self.is_load(side, definition)
    }

    pub(super) fn is_move(&self, side: usize, definition: Definition) -> bool {
        let trace = self.runs[side].trace;
        let flow = trace
            .record_of(definition)
            .and_then(|record| trace.flow(record));
        flow.is_some_and(|flow| flow.is_move)
    }

    pub(super) fn is_load(&self, side: usize, definition: Definition) -> bool {
        let record = self.runs[side].trace.record_of(definition);
        record.is_some_and(|record| record.accesses.iter().any(|access| access.action.reads()))
    }

    /// Returns the first definition among `candidates` whose value, as the value of `definition`, yields the expected store. `tried`
    /// contains the replacements that have been tried.
    pub(super) fn replacement(
        &self,
        definition: Definition,
        candidates: &[Definition],
        tried: &mut TriedReplacements,
        trials: &mut Trials<'_>,
    ) -> Option<Definition> {
        for other in candidates.iter().copied() {
            let instructions = [(0, definition), (1, other)].map(|(side, own)| {
                let executions = self.runs[side].trace.first_execution(own);
                Definition {
                    lane: 0,
                    record: executions.unwrap_or(own.record),
                    ..own
                }
            });
            if self.executions == ReplacedExecutions::All
                && !tried.instructions.insert(instructions)
            {
                continue;
            }
            if trials.is_exhausted() {
                return None;
            }
            let n_variants = self.variants(definition, other).len();
            for variant in 0..n_variants {
                for has_upper in [false, true] {
                    let replacements = self.replacements(definition, other, variant, has_upper);
                    let is_new =
                        !replacements.is_empty() && tried.values.insert(replacements.clone());
                    if is_new && trials.succeeds(&replacements) {
                        return Some(other);
                    }
                }
            }
        }
        None
    }

    /// Returns the replacements of the values of `definition` by a variant of the values of `other`, and of the next register by the upper
    /// words of these values if `has_upper` is set. The result is empty if no value changes.
    pub(super) fn replacements(
        &self,
        definition: Definition,
        other: Definition,
        variant: usize,
        has_upper: bool,
    ) -> Replacements {
        let [own, others] = self.runs.map(|run| run.trace);
        let mut pairs = Vec::new();
        match self.executions {
            ReplacedExecutions::One => pairs.push((definition, other)),
            ReplacedExecutions::All => {
                let instances = others.instances(other);
                let empty = Vec::new();
                for (thread, definitions) in own.instances(definition) {
                    let counterparts = instances.get(&thread).unwrap_or(&empty);
                    let same = definitions.len() == counterparts.len();
                    pairs.extend(
                        definitions
                            .into_iter()
                            .zip(counterparts.iter().copied())
                            .filter(|_| same),
                    );
                }
            }
        }
        let mut replacements = Replacements::new();
        for (definition, other) in pairs {
            let value = self.variants(definition, other).get(variant).copied();
            let Some((record, value)) = own.record_of(definition).zip(value) else {
                continue;
            };
            let upper = self.upper_word(definition, other).filter(|_| has_upper);
            let is_uniform = own.flow(record).is_some_and(|flow| flow.is_uniform);
            let lanes = match is_uniform {
                true => u32::MAX,
                false => 1 << definition.lane,
            };
            let lower = (definition.register, value);
            for (register, value) in [lower].into_iter().chain(upper) {
                if own.value(Definition {
                    register,
                    ..definition
                }) == Some(value)
                {
                    continue;
                }
                let register = (record.function, register);
                let at = replacements.entry(record.step + 1).or_default();
                at.push((record.warp, lanes, register, value));
            }
        }
        replacements
    }

    /// Returns the file name and the line from which a compiler generated the instruction of a definition.
    pub(super) fn source_line(&self, side: usize, definition: Definition) -> Option<(&str, u32)> {
        let run = self.runs[side];
        let record = run.trace.record_of(definition)?;
        let function = run.program.functions.get(record.function.0 as usize)?;
        let instruction = function.instructions.get(record.instruction as usize)?;
        let table = &run.program.line_table;
        let location = table
            .rows
            .get(table.row(function, instruction)? as usize)?
            .location;
        let file = table.files.get(location.file as usize)?;
        Some((base_name(file), location.line))
    }

    /// Returns the register that follows the register of `definition` in its tuple, with the upper word of a 64-bit value of the other run.
    pub(super) fn upper_word(
        &self,
        definition: Definition,
        other: Definition,
    ) -> Option<(RegisterId, u64)> {
        let [own, others] = self.runs;
        if self.runs[0].width_bits(definition) != 32 || self.runs[1].width_bits(other) != 64 {
            return None;
        }
        let mut definitions = own.trace.definitions(definition.record, definition.lane);
        let next = RegisterId(definition.register.0 + 1);
        let upper = definitions.find(|found| found.register == next)?;
        let is_word = self.runs[0].width_bits(upper) == 32;
        let value = others.trace.value(other)? >> 32;
        is_word.then_some((next, value))
    }

    /// Returns the values that a register of the machine code contains if it contains the value of a definition of the other run: a part of
    /// a wider register, or a narrower register in the lower or upper half.
    pub(super) fn variants(&self, definition: Definition, other: Definition) -> Vec<u64> {
        let [own, others] = self.runs;
        let Some((before, value)) = own.trace.value(definition).zip(others.trace.value(other))
        else {
            return Vec::new();
        };
        match (
            self.runs[0].width_bits(definition),
            self.runs[1].width_bits(other),
        ) {
            // A predicate of the machine code can be the negation of the predicate in PTX.
            (1, 1) => vec![value, value ^ 1],
            (1, _) | (_, 1) => Vec::new(),
            (32, 64) => {
                // The upper word of most integers is 0 or -1, which is no evidence.
                let (lower, upper) = (value & u64::from(u32::MAX), value >> 32);
                let is_sign = upper == 0 || upper == u64::from(u32::MAX);
                [Some(lower), (!is_sign).then_some(upper)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            (32, 16) => {
                let half = u64::from(u16::MAX);
                let signed = i64::from(value as i16) as u64 & u64::from(u32::MAX);
                vec![
                    value,
                    before & !half | value,
                    before & half | value << 16,
                    signed,
                ]
            }
            (own, other) if own == other => vec![value],
            (64, 32) => vec![value, i64::from(value as i32) as u64],
            _ => Vec::new(),
        }
    }
}
