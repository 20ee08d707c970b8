//! Search for the weakest repair of data races. The module takes a launch and its races, and returns edits of the source that remove all
//! races. The search generates repair candidates in the order from weak to strong. It selects the first candidate for which the runs of the
//! edited source have no race.
//!
//! A candidate is a list of edits of statements. Each edit identifies its statement by the span of the statement. The front end converts
//! the edits to text replacements ([`Document::edit`]).

pub(crate) mod async_repairs;
pub(crate) mod barrier_repairs;
pub(crate) mod body;
pub(crate) mod executed;
pub(crate) mod mma_repairs;
pub(crate) mod ordering_repairs;
pub(crate) mod tensor_map_repairs;
pub(crate) mod update_repairs;

use crate::memory_model::concurrency::repair::body::Body;
use crate::memory_model::concurrency::{RaceCause, RaceConfidence, RaceView, RepairEdit, RepairOp};
use crate::model::text::EditView;
use crate::session::Session;
use std::sync::Arc;
use warpgrid_isa::Scope;
use warpgrid_launch::{Scenario, SourceLanguage};
use warpgrid_order::races::{BlockLifetime, ProxyKind, Race, RaceCounterpart, RaceSide};
use warpgrid_program::syntax::{Change, StatementEdit};
use warpgrid_program::{Document, Edit, Fix, Overrides, Span};

/// Maximum number of candidates that the search tries.
const MAX_TRIALS: usize = 400;
/// Maximum number of other candidates that the search tries before the candidates that replace updates with atomic operations.
const MAX_TRIED_BEFORE_UPDATES: usize = 200;
/// Maximum number of steps that all trial runs together execute.
const MAX_STEPS: u64 = 4_000_000;
/// Maximum number of steps of a run with races for which the search for a repair starts.
const MAX_RUN_STEPS: u64 = 60_000;
/// Maximum number of blocks whose mbarriers the search examines.
const MAX_BLOCKS: u64 = 16;
/// Scheduler seeds with which a run of the repaired source must have no race.
const SEEDS: [u64; 4] = [0, 1, 2, 3];

/// Repair candidate, which consists of edits of statements that the search applies together.
pub(crate) type RepairEdits = Vec<StatementEdit>;

/// Race and properties of the launch, from which the search generates repair candidates.
#[derive(Clone, Copy)]
pub(crate) struct RepairContext<'a> {
    body: &'a Body<'a>,
    race: &'a RaceView,
    /// Numbers of the statements that contain the two accesses.
    first: usize,
    second: usize,
    /// Whether the second side of the race is the start of a block.
    is_start: bool,
    is_one_block: bool,
    is_one_warp: bool,
    is_one_cluster: bool,
    /// Number of blocks per cluster.
    n_blocks: u32,
    /// Numbers of transaction bytes that completed on mbarriers without a corresponding expect-tx operation.
    unexpected: &'a [u32],
}

impl RepairContext<'_> {
    /// Returns the narrowest scope that includes the threads of both accesses.
    fn scope(&self) -> Scope {
        match (self.is_one_block, self.is_one_cluster) {
            (true, _) => Scope::Cta,
            (false, true) => Scope::Cluster,
            (false, false) => Scope::Gpu,
        }
    }

    /// Returns the numbers of the statements of both accesses in source order.
    fn ends(&self) -> (usize, usize) {
        let (a, b) = (self.first, self.second);
        (a.min(b), a.max(b))
    }
}

impl Session {
    /// Finds the weakest repair of the races, and stores the repair in each race. `found` contains the race of the detector for each
    /// element of `races`.
    pub(crate) fn add_repairs(&mut self, races: &mut [RaceView], found: &[Race]) {
        let is_small = self.position() <= MAX_RUN_STEPS;
        // Do not search if every race is between lanes that store the same value in one instruction, because these races are harmless.
        let is_harmless = |race: &RaceView| race.same_value && race.first.line == race.second.line;
        let is_editable =
            self.scenario().front == SourceLanguage::Ptx && self.places.has_line_breaks();
        if races.iter().all(is_harmless) || !is_small || !is_editable {
            return;
        }
        let program = Arc::clone(&self.program);
        let source = self.places.source().to_owned();
        let document = self
            .language
            .front_end
            .open(source.as_str().into(), &Overrides::default());
        let unreachable = self.unreachable_definitions();
        let body = Body::new(&program, document.statements(), &unreachable);
        let all = self.all_candidates(&body, races, found);
        let mut trial = RepairTrial {
            session: self,
            document: &*document,
            deletions: deletions(&unreachable),
            left: MAX_TRIALS,
            steps: MAX_STEPS,
        };
        let Some(repair) = all
            .into_iter()
            .find(|edits| trial.is_race_free_after(edits))
        else {
            return;
        };
        let edits = repair.iter();
        let repair: Vec<RepairEdit> = edits
            .filter_map(|edit| self.repair_edit(&*document, edit))
            .collect();
        for race in races {
            race.repair.clone_from(&repair);
            race.repair_tried = true;
        }
    }

    /// Returns the candidates for a repair of all races, in the order in which the search tries the candidates.
    fn all_candidates(
        &mut self,
        body: &Body<'_>,
        races: &[RaceView],
        found: &[Race],
    ) -> Vec<RepairEdits> {
        let updates = self.atomic_updates(body, found);
        let unexpected = self.unexpected_bytes();
        let mut all: Vec<RepairEdits> = Vec::new();
        // If threads wait for each other at different barrier instructions, try repairs of these instructions before an additional barrier.
        for phase in &self.mixed_barriers(races) {
            let barriers = phase.iter().filter_map(|at| body.statement_of(*at));
            let mut barriers: Vec<usize> = barriers.collect();
            barriers.sort_unstable();
            all.extend(barrier_repairs::of_mixed_barriers(body, &barriers));
        }
        // Try candidates for certain races before candidates for other races.
        let mut order: Vec<(&RaceView, &Race)> = races.iter().zip(found).collect();
        order.sort_by_key(|(race, _)| race.confidence == RaceConfidence::ModelOnly);
        for (race, found) in order {
            for candidate in self.candidates(body, race, found, &unexpected) {
                if !all.contains(&candidate) && !updates.are_made_strong_by(&candidate) {
                    all.push(candidate);
                }
            }
        }
        // If a lock or a barrier should protect the updates, its repair is weaker than an atomic operation. Therefore, try the repairs of
        // locks and barriers first. Other racing accesses may need separate repairs, so also combine each atomic operation with other
        // candidates.
        let others = all.clone();
        all.truncate(MAX_TRIED_BEFORE_UPDATES);
        all.extend(updates.repairs.iter().cloned());
        all.extend(updates.with(&others));
        all
    }

    fn repair_edit(&self, document: &dyn Document, edit: &StatementEdit) -> Option<RepairEdit> {
        let (op, text) = match &edit.change {
            Change::InsertBefore(text) => (RepairOp::InsertBefore, text.as_str()),
            Change::InsertAfter(text) => (RepairOp::InsertAfter, text.as_str()),
            Change::Replace(text) => (RepairOp::Replace, text.as_str()),
            Change::Delete => (RepairOp::Delete, ""),
        };
        let replacement = document.edit(edit)?;
        let range = self.places.range(replacement.span);
        Some(RepairEdit {
            op,
            line: self.places.range(edit.statement).line,
            text: text.to_owned(),
            edit: EditView {
                line: range.line,
                column: range.column,
                end_line: range.end_line,
                end_column: range.end_column,
                text: replacement.text,
            },
        })
    }

    /// Returns the numbers of transaction bytes that had completed on mbarriers at the end of the run without a corresponding expect-tx
    /// operation.
    fn unexpected_bytes(&self) -> Vec<u32> {
        let machine = self.timeline.machine();
        let blocks = 0..machine.n_blocks().min(MAX_BLOCKS);
        let held = blocks.flat_map(|block| machine.mbarriers(block));
        let missing = held.filter_map(|(_, state)| u32::try_from(-i64::from(state?.bytes)).ok());
        let mut all: Vec<u32> = missing.filter(|bytes| *bytes > 0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the repair candidates for one race, the weakest candidate first.
    fn candidates(
        &self,
        body: &Body<'_>,
        race: &RaceView,
        found: &Race,
        unexpected: &[u32],
    ) -> Vec<RepairEdits> {
        let Some(first) = body.statement_of_access(&found.first) else {
            return Vec::new();
        };
        let (access, life) = match &found.second {
            RaceCounterpart::Access(access) => (Some(access), None),
            RaceCounterpart::Life(life) => (None, Some(life)),
        };
        let second = access.and_then(|access| body.statement_of_access(access));
        let machine = self.timeline.machine();
        let cluster = self.scenario().cluster.unwrap_or([1; 3]);
        let of_cluster = |block: [u32; 3]| [0, 1, 2].map(|i: usize| block[i] / cluster[i].max(1));
        let (a, b) = (&race.first, &race.second);
        let is_one_block = a.block == b.block;
        let warp = |access: &RaceSide| access.thread / 32;
        let broken = RepairContext {
            body,
            race,
            first,
            second: second.unwrap_or(first),
            is_start: matches!(life, Some(BlockLifetime::Start(_))),
            is_one_block,
            is_one_warp: is_one_block && access.map_or(0, warp) == warp(&found.first),
            is_one_cluster: of_cluster(a.block) == of_cluster(b.block)
                && cluster.iter().any(|n| *n > 1)
                && machine.n_blocks() > 1,
            n_blocks: cluster.iter().product(),
            unexpected,
        };
        let is_of_map = access.is_some_and(|access| access.proxy == ProxyKind::TensorMap);
        let copies = || async_repairs::copy_repairs(&broken);
        let accesses = || ordering_repairs::stronger_access_repairs(&broken);
        match race.cause {
            RaceCause::MissingInitFence => async_repairs::of_init(&broken),
            RaceCause::Lifetime => barrier_repairs::block_lifetime_repairs(&broken),
            RaceCause::MissingProxyFence if is_of_map => tensor_map_repairs::of_maps(&broken),
            RaceCause::MissingProxyFence => async_repairs::proxy_fence_repairs(&broken),
            RaceCause::NotCompleted => [copies(), barrier_repairs::of_clusters(&broken)].concat(),
            RaceCause::NoHappensBefore | RaceCause::InsufficientScope if !is_one_block => {
                [accesses(), barrier_repairs::of_clusters(&broken)].concat()
            }
            RaceCause::NoHappensBefore | RaceCause::InsufficientScope
                if a.asynchronous || b.asynchronous =>
            {
                [
                    copies(),
                    barrier_repairs::barrier_repairs(&broken),
                    barrier_repairs::before_copies(&broken),
                    accesses(),
                ]
                .concat()
            }
            RaceCause::NoHappensBefore | RaceCause::InsufficientScope => [
                async_repairs::mbarrier_repairs(&broken),
                barrier_repairs::barrier_repairs(&broken),
                accesses(),
            ]
            .concat(),
        }
    }
}

/// Returns the edits that delete the text in the given spans.
pub(crate) fn deletions(spans: &[Span]) -> Vec<Edit> {
    let delete = |span: &Span| Edit {
        span: *span,
        text: String::new(),
    };
    spans.iter().map(delete).collect()
}

/// Verifier of repair candidates, which applies the edits of a candidate and runs the edited source.
struct RepairTrial<'a> {
    session: &'a Session,
    document: &'a dyn Document,
    /// Edits that delete the kernels and functions that the launch cannot reach.
    deletions: Vec<Edit>,
    left: usize,
    steps: u64,
}

impl RepairTrial<'_> {
    /// Checks whether each run of the edited source meets the expectations of the scenario and has no fault, no race, no lost update, and
    /// no communication between lanes that only lockstep execution orders.
    fn is_race_free_after(&mut self, edits: &[StatementEdit]) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let places = &self.session.places;
        let edits = edits.iter();
        let edits = edits.map(|edit| places.edit(self.document.edit(edit)?));
        let Some(edits) = edits.collect::<Option<Vec<Edit>>>() else {
            return false;
        };
        let scenario = self.session.scenario();
        let scenario = Scenario {
            source: Fix::of([edits.as_slice(), &self.deletions].concat()).apply(&scenario.source),
            seed: SEEDS.first().copied(),
            ..scenario.clone()
        };
        let Ok(first) = Session::new_without_last_writers(scenario) else {
            return false;
        };
        let again = first.restart();
        let others = SEEDS.iter().skip(1);
        let others = others.map(|seed| again.with_seed(*seed).ok());
        std::iter::once(Some(first))
            .chain(others)
            .all(|session| session.is_some_and(|session| self.is_valid(session)))
    }

    fn is_valid(&mut self, mut session: Session) -> bool {
        let most = (4 * MAX_RUN_STEPS).min(self.steps);
        let is_quiet = session.is_free_of_races(most);
        self.steps = self.steps.saturating_sub(session.position());
        is_quiet
            && session.is_finished()
            && session.fault().is_none()
            && session.hang().is_none()
            && session.meets_expectations()
            && !session.loses_update()
            && session.lockstep_notes().is_empty()
    }
}
