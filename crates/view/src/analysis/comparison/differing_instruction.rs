//! Search for the first instruction of a run that computed another value than the other run. The search takes two finished runs whose final
//! memory differs, and returns one instruction of each run with the registers and values that differ.
//!
//! The search starts at the earliest store whose value differs, and computes the dynamic backward slices of both stored values. A value of
//! the first slice corresponds to a value of the second slice if both depend on the same initial memory contents. The search replaces
//! values of the machine code, in the order of their execution, by corresponding values of the PTX, and continues the run. The first value
//! whose replacement yields the expected store is the first that differs (A. Zeller, "Isolating Cause-Effect Chains from Computer
//! Programs", 2002).

use crate::analysis::comparison::PairedRun;
use crate::analysis::comparison::differing_store::{
    DifferingWord, SearchSide, StoringThread, differing_word,
};
use crate::analysis::comparison::execution_trace::Definition;
use crate::analysis::comparison::replacement_trials::Trials;
use crate::analysis::comparison::value_correspondence::{
    CorrespondenceSearch, DifferingPair, ReplacedExecutions, SearchPass,
};
use crate::analysis::comparison::value_slice::{SliceKind, TracedRun, ValueSlice, register_width};
use crate::analysis::memory_diff::FinalMemory;
use crate::model::source_position::SourcePosition;
use crate::model::text::SourceRange;
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::element_of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use warpgrid_launch::SourceLanguage;
use warpgrid_program::FunctionId;

/// Maximum number of steps of a run that the search executes again.
const MAX_RUN_STEPS: u64 = 2_000_000;

/// First instructions of two runs that computed different values, with the memory element in which the difference became visible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FirstDifference {
    /// Memory that contains the element of the earliest differing store.
    pub memory: MemoryKey,
    pub index: u64,
    /// Instruction of each run, in the order of the compared sources.
    pub sides: [ComputedValue; 2],
    /// Index of the source in whose run the search replaced values: the machine code, or the second source if both have the same language.
    pub replaced_side: usize,
    /// Values on which the named value of the other source depends, and which the source with this index does not compute.
    pub omitted: Vec<ComputedValue>,
    /// Whether a continued run with the value of the other run stored the expected value. The value is false if no replacement had this
    /// effect, so that the instructions are the ones that computed the stored values.
    pub confirmed: bool,
}

/// Value that an instruction computed for one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ComputedValue {
    pub step: u64,
    pub block: [u32; 3],
    pub warp: u32,
    pub lane: u8,
    pub range: SourceRange,
    pub instruction: String,
    /// Name of the register that received the value, or `None` if the instruction stores a constant.
    pub register: Option<String>,
    /// Value in hexadecimal notation, or `true` or `false` for a predicate.
    pub value: String,
    /// Value as a number, if the instruction computes a floating-point number.
    pub number: Option<String>,
    /// Position in the source file from which a compiler generated the instruction, followed by the call sites of inlined functions. The
    /// list is empty if the compiler recorded no position.
    pub source: Vec<SourcePosition>,
}

/// Instructions on which the differing values depend, for the decision whether the runs are comparable.
pub(crate) struct SearchResult {
    pub(crate) difference: FirstDifference,
    /// For each run, the instructions of the slice of the stored value and of the store, as function and instruction index.
    pub(crate) slices: [BTreeSet<InstructionRef>; 2],
    /// For each run, the instruction that the difference names.
    pub(crate) named: [Option<InstructionRef>; 2],
    /// Instructions that computed the omitted values.
    pub(crate) omitted: Vec<InstructionRef>,
}

pub(crate) type InstructionRef = (FunctionId, u32);

impl PairedRun {
    /// Returns the first instructions of both runs that computed different values, or `None` if the search does not find the differing
    /// stores of both runs. `contents` contains the final memory of both runs.
    pub(crate) fn first_difference(
        &mut self,
        contents: [&[FinalMemory]; 2],
    ) -> Option<SearchResult> {
        if self
            .sessions
            .iter()
            .any(|session| session.position() > MAX_RUN_STEPS)
        {
            return None;
        }
        let ends = self.sessions.each_ref().map(Session::position);
        let machine = self.machine_code_side();
        let word = differing_word(contents, &self.sessions, machine)?;
        let found = self.search(&word, machine, contents);
        for (session, end) in self.sessions.iter_mut().zip(ends) {
            session.seek(end);
        }
        found
    }

    /// Returns the index of the run in which the search replaces values: the machine code, or the second run if both sources have the same
    /// language.
    fn machine_code_side(&self) -> usize {
        let fronts = self
            .sessions
            .each_ref()
            .map(|session| session.scenario().front);
        usize::from(fronts != [SourceLanguage::Sass, SourceLanguage::Ptx])
    }

    fn search(
        &mut self,
        word: &DifferingWord,
        machine: usize,
        contents: [&[FinalMemory]; 2],
    ) -> Option<SearchResult> {
        let reference = 1 - machine;
        let memories = self.sessions.each_ref().map(Session::memories);
        let compared = self.compared.clone();
        let sides = self.search_sides(word, contents)?;
        let programs = self.sessions.each_ref();
        let programs = programs.map(|session| session.program.clone());
        let runs = [0, 1].map(|side| TracedRun {
            program: &programs[side],
            trace: &sides[side].trace,
            memories: &memories[side],
            compared: &compared,
        });
        let roots = [0, 1].map(|side| sides[side].stored(&runs[side]));
        let values = [0, 1].map(|side| {
            ValueSlice::of(&runs[side], roots[side].iter().copied(), SliceKind::Values)
        });
        let controls = [0, 1].map(|side| {
            let conditions = sides[side].conditions(&runs[side]);
            let roots = roots[side].iter().copied().chain(conditions);
            ValueSlice::of(&runs[side], roots, SliceKind::AddressesAndConditions)
        });
        let mut trials = Trials {
            session: &mut self.sessions[machine],
            side: &sides[machine],
            expected: &sides[reference].bytes,
            n_trials: 0,
            n_steps: 0,
        };
        // Each pass is less specific than the passes before.
        let passes = [
            (&values, SearchPass::Unmatched, ReplacedExecutions::One),
            (&values, SearchPass::Unmatched, ReplacedExecutions::All),
            (&values, SearchPass::Ambiguous, ReplacedExecutions::One),
            (&values, SearchPass::Ambiguous, ReplacedExecutions::All),
            (&controls, SearchPass::Unmatched, ReplacedExecutions::One),
            (&controls, SearchPass::Unmatched, ReplacedExecutions::All),
            (&controls, SearchPass::Predicates, ReplacedExecutions::One),
        ];
        let found = passes.into_iter().find_map(|(slices, pass, executions)| {
            let search = CorrespondenceSearch {
                runs: [&runs[machine], &runs[reference]],
                slices: [&slices[machine], &slices[reference]],
                pass,
                executions,
            };
            trials.restart();
            search.first(&mut trials)
        });
        if found.is_none() && !sides.iter().all(|side| side.stores) {
            return None;
        }
        let confirmed = found.is_some();
        let found = found.unwrap_or_else(|| DifferingPair {
            pair: [machine, reference].map(|side| roots[side].last().copied()),
            omitted: Vec::new(),
        });
        let [own, other] = found.pair;
        let named = match machine {
            0 => [own, other],
            _ => [other, own],
        };
        let computed = |side: usize, definition: Option<Definition>| {
            self.sessions[side].computed_value(&sides[side], definition)
        };
        let omitted_values = found.omitted.iter();
        let omitted_values = omitted_values.filter_map(|own| computed(reference, Some(*own)));
        let omitted = found.omitted.iter();
        let omitted = omitted.filter_map(|own| sides[reference].instruction(*own));
        Some(SearchResult {
            difference: FirstDifference {
                memory: word.memory.clone(),
                index: word.index,
                sides: [computed(0, named[0])?, computed(1, named[1])?],
                replaced_side: machine,
                omitted: omitted_values.collect(),
                confirmed,
            },
            slices: [0, 1].map(|side| sides[side].instructions(&values[side])),
            named: [0, 1].map(|side| sides[side].instruction(named[side]?)),
            omitted: omitted.collect(),
        })
    }

    /// Returns both runs with the execution traces of the blocks that stored the differing word.
    fn search_sides(
        &mut self,
        word: &DifferingWord,
        contents: [&[FinalMemory]; 2],
    ) -> Option<[SearchSide; 2]> {
        let mut stores = [None; 2];
        let sessions = self.sessions.iter_mut();
        for ((found, session), store) in stores.iter_mut().zip(sessions).zip(word.stores) {
            if let Some(store) = store {
                *found = Some(StoringThread::of(session, store)?);
            }
        }
        // A run without the store is compared with the thread of the other run that executed the store.
        let threads = [stores[0].or(stores[1])?, stores[1].or(stores[0])?];
        let mut sides = Vec::new();
        for (side, session) in self.sessions.iter_mut().enumerate() {
            let has_store = stores[side].is_some();
            sides.push(SearchSide::of(
                session,
                word,
                threads[side],
                has_store,
                contents[side],
            )?);
        }
        sides.try_into().ok()
    }
}

impl Session {
    /// Describes the instruction and the value of a definition, or the store of a side if the stored value is a constant.
    fn computed_value(
        &self,
        side: &SearchSide,
        definition: Option<Definition>,
    ) -> Option<ComputedValue> {
        let record = match definition {
            Some(definition) => side.trace.record_of(definition)?,
            None => side.last_record()?,
        };
        let (function, instruction) = (record.function, record.instruction);
        let reader = self.reader(function, instruction)?;
        let action = self.program.opcode(reader.instruction)?;
        let (value, width, register) = match definition {
            Some(definition) => (
                side.trace.value(definition)?,
                register_width(reader.function, definition.register),
                Some(
                    reader
                        .function
                        .registers
                        .name(definition.register)
                        .to_owned(),
                ),
            ),
            None => {
                let bytes = side.bytes.iter().rev();
                let value = bytes.fold(0, |value, byte| value << 8 | u64::from(*byte));
                (value, side.bytes.len() as u32 * 8, None)
            }
        };
        let ty = action
            .modifiers
            .ty
            .filter(|ty| ty.is_float() && ty.width_bits() == width);
        let machine = self.timeline.machine();
        Some(ComputedValue {
            step: record.step,
            block: machine.block_position(record.warp.block),
            warp: record.warp.warp,
            lane: definition.map_or(side.lane, |definition| definition.lane),
            range: self.range_of(function, instruction),
            instruction: self.text_of(function, instruction).to_owned(),
            register,
            value: match width {
                1 => (value != 0).to_string(),
                _ => format!("0x{value:0digits$x}", digits = width as usize / 4),
            },
            number: ty.map(|ty| element_of(ty).text(value.into())),
            source: self.source_of(function, instruction),
        })
    }
}
