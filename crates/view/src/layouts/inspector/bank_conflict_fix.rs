//! Search for fixes of bank conflicts. For each buffer in shared memory, the module finds the layout changes that make all accesses to the
//! buffer conflict-free, the smallest change first. The module rewrites the source, and verifies the rewritten source by running both
//! versions of the source. If no such layout change exists, the module reports two accesses with incompatible requirements.

use crate::Scenario;
use crate::analysis::traffic::access::LaneBytes;
use crate::layouts::inspector::access_recorder::{RecordedAccess, RecordedRequest};
use crate::layouts::inspector::bank_conflicts::{AccessConflicts, ConflictReport, traffic_of};
use crate::layouts::inspector::fixed_tile::FixedTile;
use crate::layouts::inspector::layout_change::LayoutChange;
use crate::layouts::inspector::named_regions::NamedRegion;
use crate::layouts::inspector::source_rewrite::{AddressRewrite, TextEdits, rewritten};
use crate::request_error::RequestError;
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use warpgrid_emulator::MemoryId as Place;
use warpgrid_isa::MemoryGeometry;
use warpgrid_program::FunctionId;

/// Maximum number of proposed layouts per buffer.
const MAX_SHOWN: usize = 6;
/// Maximum number of contiguous bytes that one access of a lane can transfer.
const MAX_ACCESS_BYTES: u64 = 16;

/// Buffer in shared memory whose accesses have bank conflicts, with the proposed layouts or the reason why no layout helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BufferConflicts {
    pub name: String,
    pub conflicts: u64,
    /// Source lines of the instructions that access the buffer.
    pub lines: Vec<u32>,
    /// Layouts for which all accesses to the buffer are free of bank conflicts, the smallest change first.
    pub proposals: Vec<FixProposal>,
    /// Reason why no layout without bank conflicts exists. The reason is two accesses with incompatible requirements, or an obstacle that
    /// prevents any change of the layout.
    pub impossible: Option<String>,
}

/// Proposed layout change that removes all bank conflicts of a buffer, with its costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FixProposal {
    /// Description of the layout change, for example an XOR swizzle or padding.
    pub change: String,
    /// Number of bytes by which the layout change enlarges the buffer.
    pub more_bytes: u64,
    /// Number of instructions that the layout change adds to each access.
    pub instructions: u32,
}

/// Rewritten source with fewer bank conflicts than the original source, and the results of its verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BankConflictFix {
    pub source: String,
    /// Description of the layout change of each buffer that the rewrite changes.
    pub changes: Vec<String>,
    /// Number of bank conflicts in the runs of the original and the rewritten source.
    pub before: u64,
    pub after: u64,
    /// Names of the buffers of the launch. Each buffer has identical contents after both runs.
    pub same: Vec<String>,
}

/// Buffer in shared memory whose layout the search may change, with all recorded accesses to it.
pub(crate) struct FixTarget<'a> {
    pub(crate) named: &'a NamedRegion,
    /// Size of the buffer in bytes. If only the launch determines the size of the buffer, the value is the size of the accessed part.
    pub(crate) size: u64,
    pub(crate) is_dynamic: bool,
    /// Accesses to the buffer. Each recorded request contains only the parts that are within the buffer.
    pub(crate) accesses: Vec<RecordedAccess>,
    /// Accesses that also touch shared memory outside of the buffer, or that touch other memory through the same address operand of the
    /// instruction.
    multi_buffer_accesses: Vec<&'a RecordedAccess>,
    /// First tile in the buffer whose layout a descriptor or a tensor map determines.
    fixed_tile: Option<FixedTile>,
}

/// Result of the search for layout changes of one buffer: the changes without bank conflicts, or the reason why no such change exists.
pub(crate) struct FixSearchResult {
    pub(crate) changes: Vec<LayoutChange>,
    pub(crate) impossible: Option<String>,
}

impl Session {
    /// Replays the executed steps, and returns their bank conflicts with causes and proposed fixes.
    pub fn conflicts(&mut self) -> ConflictReport {
        self.count_traffic(u64::MAX);
        let named = self.named_places();
        let recorded = self.recorded();
        let buffer_of = |found: &RecordedAccess| {
            first_buffer(found, &named).map_or_else(String::new, |found| found.name.clone())
        };
        let mut accesses: Vec<AccessConflicts> = recorded
            .iter()
            .filter_map(|found| self.conflicts_of(found, &buffer_of(found)))
            .collect();
        accesses.sort_by_key(|found| found.line);
        let tiles = self.fixed_tiles();
        let targets = self.targets(&named, &recorded, &tiles);
        let buffers = targets
            .iter()
            .map(|target| self.buffer_conflicts(target))
            .collect();
        let mut sectors: Vec<_> = recorded
            .iter()
            .filter_map(|found| self.sector_advice(found, &recorded, &named))
            .collect();
        sectors.sort_by_key(|found| found.line);
        ConflictReport {
            accesses,
            buffers,
            sectors,
        }
    }

    /// Returns the shared-memory buffers with bank conflicts, and all accesses to each buffer.
    fn targets<'a>(
        &self,
        named: &'a [NamedRegion],
        recorded: &'a [RecordedAccess],
        tiles: &[FixedTile],
    ) -> Vec<FixTarget<'a>> {
        let shared = named.iter().filter(|named| named.is_shared);
        let targets = shared.map(|named| {
            let within: Vec<(&RecordedAccess, RecordedAccess)> = recorded
                .iter()
                .filter_map(|found| Some((found, within(found, named)?)))
                .collect();
            let is_dynamic = named.size > u64::from(u32::MAX);
            let reached = within.iter().flat_map(|(_, own)| &own.distinct);
            let reached = reached
                .flat_map(|request| &request.parts)
                .map(|part| part.address + u64::from(part.n_bytes) - named.start)
                .max();
            let is_stray = |found: &RecordedAccess| {
                let others = found.distinct.iter().flat_map(|request| &request.parts);
                let mut others = others.filter(|part| !named.holds(part.memory, part.address));
                let by_same = self.is_generic_access(found);
                others.any(|part| by_same || matches!(part.memory, Place::Shared { .. }))
            };
            let stray = within.iter().map(|(found, _)| *found);
            FixTarget {
                named,
                size: if is_dynamic {
                    reached.unwrap_or(0)
                } else {
                    named.size
                },
                is_dynamic,
                multi_buffer_accesses: stray.filter(|found| is_stray(found)).collect(),
                fixed_tile: tiles.iter().find(|tile| tile.overlaps(named)).cloned(),
                accesses: within.into_iter().map(|(_, own)| own).collect(),
            }
        });
        targets
            .filter(|target| self.conflicts_in(target) > 0)
            .collect()
    }

    fn conflicts_in(&self, target: &FixTarget<'_>) -> u64 {
        let counts = target.accesses.iter();
        counts
            .map(|found| {
                self.counter
                    .at(found.function, found.instruction)
                    .shared
                    .bank_conflicts
            })
            .sum()
    }

    fn buffer_conflicts(&self, target: &FixTarget<'_>) -> BufferConflicts {
        let findings = self.search(target);
        let proposals = findings
            .changes
            .iter()
            .take(MAX_SHOWN)
            .map(|change| FixProposal {
                change: change.to_string(),
                more_bytes: change.more_bytes(target.size),
                instructions: AddressRewrite::of(*change, target).n_instructions(),
            });
        let mut lines: Vec<u32> = target
            .accesses
            .iter()
            .map(|found| self.line_of(found))
            .collect();
        lines.sort_unstable();
        lines.dedup();
        BufferConflicts {
            name: target.named.name.clone(),
            conflicts: self.conflicts_in(target),
            lines,
            proposals: proposals.collect(),
            impossible: findings.impossible,
        }
    }

    pub(crate) fn line_of(&self, found: &RecordedAccess) -> u32 {
        self.range_of(FunctionId(found.function), found.instruction)
            .line
    }

    /// Returns the layout changes for which every access to the buffer is free of bank conflicts, or the reason why no such change exists.
    fn search(&self, target: &FixTarget<'_>) -> FixSearchResult {
        if let Some(reason) = self.blocking_reason(target) {
            return FixSearchResult {
                changes: Vec::new(),
                impossible: Some(reason),
            };
        }
        let width = target.accesses.iter().map(width_of).max();
        let all = LayoutChange::all(target.size, width.unwrap_or(4));
        let shape = self.memory_shape();
        let frees = |change: &LayoutChange| {
            target
                .accesses
                .iter()
                .all(|found| is_conflict_free(found, target, *change, shape))
        };
        let can =
            |change: &&LayoutChange| !target.is_dynamic || change.more_bytes(target.size) == 0;
        let mut changes = Vec::new();
        for change in all.iter().filter(can) {
            if changes.len() >= 64 || (change.is_last_resort() && !changes.is_empty()) {
                break;
            }
            if frees(change) {
                changes.push(*change);
            }
        }
        let impossible = changes
            .is_empty()
            .then(|| self.explain_no_fix(target, &all, shape));
        FixSearchResult {
            changes,
            impossible,
        }
    }

    /// Returns the obstacle that prevents a layout change of the buffer, or `None` if the layout can be changed.
    fn blocking_reason(&self, target: &FixTarget<'_>) -> Option<String> {
        if let Some(tile) = &target.fixed_tile {
            let line = self.range_of(tile.function, tile.instruction).line;
            return Some(tile.reason(&target.named.name, line));
        }
        if let Some(found) = target.multi_buffer_accesses.first() {
            return Some(format!(
                "line {} also accesses memory outside of `{}`, so no single rewrite rule applies to the address of this access",
                self.line_of(found),
                target.named.name
            ));
        }
        for found in &target.accesses {
            let line = self.line_of(found);
            for request in &found.distinct {
                let lanes = request.lanes();
                let is_one =
                    |lanes: &Vec<crate::layouts::inspector::access_recorder::LaneAccess>| {
                        lanes.iter().all(|lane| {
                            let offset = lane.start - target.named.start;
                            lane.n_bytes <= MAX_ACCESS_BYTES
                                && offset.is_multiple_of(lane.n_bytes.next_power_of_two())
                        })
                    };
                if !lanes.as_ref().is_some_and(is_one) {
                    return Some(format!(
                        "line {line} accesses more than {MAX_ACCESS_BYTES} bytes per lane, or rows with a fixed stride: the instruction derives all locations from one address, so the locations cannot be moved individually"
                    ));
                }
            }
        }
        None
    }

    /// Returns a message if a layout change removes the bank conflicts of the access `found`, but another access needs more contiguous
    /// bytes than this change preserves.
    fn needs_parts(
        &self,
        found: &RecordedAccess,
        target: &FixTarget<'_>,
        shape: MemoryGeometry,
    ) -> Option<String> {
        let wide = target.accesses.iter().max_by_key(|other| width_of(other))?;
        let (own, most) = (width_of(found), width_of(wide));
        let frees = |change: &LayoutChange| is_conflict_free(found, target, *change, shape);
        let is_possible = own < most && LayoutChange::all(target.size, own).iter().any(frees);
        is_possible.then(|| {
            format!(
                "no layout makes both line {} and line {} conflict-free, because line {} needs {most} contiguous bytes, whereas line {} needs smaller units",
                self.line_of(found),
                self.line_of(wide),
                self.line_of(wide),
                self.line_of(found)
            )
        })
    }

    /// Returns the reason why no layout change removes all bank conflicts of the buffer: one access has bank conflicts with every change,
    /// or two accesses have incompatible requirements.
    fn explain_no_fix(
        &self,
        target: &FixTarget<'_>,
        all: &[LayoutChange],
        shape: MemoryGeometry,
    ) -> String {
        let freeing: Vec<(u32, BTreeSet<usize>)> = target
            .accesses
            .iter()
            .map(|found| {
                let own = all.iter().enumerate();
                let own =
                    own.filter(|(_, change)| is_conflict_free(found, target, **change, shape));
                (self.line_of(found), own.map(|(at, _)| at).collect())
            })
            .collect();
        if let Some((at, (line, _))) = freeing
            .iter()
            .enumerate()
            .find(|(_, (_, own))| own.is_empty())
        {
            if let Some(reason) = target
                .accesses
                .get(at)
                .and_then(|found| self.needs_parts(found, target, shape))
            {
                return reason;
            }
            return format!(
                "neither padding nor an XOR swizzle removes the bank conflicts of line {line}: distribute the accesses of this line differently over the lanes"
            );
        }
        for (at, (first, own)) in freeing.iter().enumerate() {
            for (second, others) in freeing.iter().skip(at + 1) {
                if own.is_disjoint(others) {
                    return format!(
                        "lines {first} and {second} have incompatible requirements: every layout that makes one line conflict-free leaves bank conflicts in the other line"
                    );
                }
            }
        }
        let lines: Vec<String> = freeing.iter().map(|(line, _)| line.to_string()).collect();
        format!(
            "a layout can make any two of the lines {} conflict-free, but no layout makes all of these lines conflict-free",
            lines.join(", ")
        )
    }
}

/// Returns the largest number of contiguous bytes that a lane transfers in an access.
fn width_of(found: &RecordedAccess) -> u64 {
    let lanes = found
        .distinct
        .iter()
        .filter_map(RecordedRequest::lanes)
        .flatten();
    lanes.map(|lane| lane.n_bytes).max().unwrap_or(4)
}

/// Checks whether an access has no bank conflicts after a layout change.
fn is_conflict_free(
    found: &RecordedAccess,
    target: &FixTarget<'_>,
    change: LayoutChange,
    shape: MemoryGeometry,
) -> bool {
    found.distinct.iter().all(|request| {
        let mut moved = request.clone();
        for part in &mut moved.parts {
            part.address = target.named.start + change.apply(part.address - target.named.start);
        }
        traffic_of(found, &moved, shape).bank_conflicts == 0
    })
}

/// Restricts the recorded requests of an access to the parts within a buffer. Returns `None` if no part is within the buffer.
fn within(found: &RecordedAccess, named: &NamedRegion) -> Option<RecordedAccess> {
    let own = |part: &LaneBytes| named.holds(part.memory, part.address);
    let distinct: Vec<RecordedRequest> = found
        .distinct
        .iter()
        .filter(|request| request.parts.iter().any(own))
        .map(|request| RecordedRequest {
            parts: request.parts.iter().copied().filter(own).collect(),
            ..request.clone()
        })
        .collect();
    (!distinct.is_empty()).then(|| found.with(distinct))
}

/// Returns the buffer that contains the first element of an access.
pub(crate) fn first_buffer<'n>(
    found: &RecordedAccess,
    named: &'n [NamedRegion],
) -> Option<&'n NamedRegion> {
    let part = found.distinct.first()?.parts.first()?;
    named
        .iter()
        .find(|named| named.holds(part.memory, part.address))
}

/// Maximum number of attempts of [`cure`]. Each attempt applies the next layout change of each buffer to the source.
const MAX_ATTEMPTS: usize = 4;

/// Runs a scenario, rewrites its source so that no shared-memory access has bank conflicts, and runs the rewritten source to verify that
/// the results are identical. Returns the rewritten source, and the number of bank conflicts before and after. Buffers without a fix remain
/// unchanged. Fails if the source cannot run, or if no layout change removes bank conflicts.
pub fn cure(scenario: &Scenario, max_steps: u64) -> Result<BankConflictFix, RequestError> {
    let mut session = counted_run(scenario, max_steps)?;
    let before = session.traffic().total.shared.bank_conflicts;
    let named = session.named_places();
    let recorded = session.recorded();
    let tiles = session.fixed_tiles();
    let targets = session.targets(&named, &recorded, &tiles);
    if targets.is_empty() {
        return Err(RequestError::no_result(
            "no access to shared memory has bank conflicts".to_owned(),
        ));
    }
    let mut reasons = Vec::new();
    let found: Vec<(&FixTarget<'_>, Vec<LayoutChange>)> = targets
        .iter()
        .map(|target| {
            let findings = session.search(target);
            reasons.extend(
                findings
                    .impossible
                    .map(|reason| format!("`{}`: {reason}", target.named.name)),
            );
            (target, findings.changes)
        })
        .filter(|(_, changes)| !changes.is_empty())
        .collect();
    // Apply the smallest layout change of each buffer in the first attempt, and the next change of each buffer in each further attempt,
    // until the verification of an attempt succeeds.
    let n_changes = found.iter().map(|(_, changes)| changes.len()).max();
    for rank in 0..n_changes.unwrap_or(0).min(MAX_ATTEMPTS) {
        let mut edits = TextEdits::default();
        let mut changes = Vec::new();
        for (target, all) in &found {
            let Some(change) = all.get(rank).or(all.first()) else {
                continue;
            };
            match session.rewrite(target, *change, &mut edits) {
                Ok(()) => changes.push(format!("`{}`: {change}", target.named.name)),
                Err(reason) => reasons.push(reason),
            }
        }
        if changes.is_empty() {
            break;
        }
        let source = rewritten(&session.scenario().source, edits);
        match verify_fix(scenario, &mut session, source, max_steps) {
            Ok((source, after, same)) if after < before => {
                return Ok(BankConflictFix {
                    source,
                    changes,
                    before,
                    after,
                    same,
                });
            }
            Ok((_, after, _)) => reasons.push(format!(
                "with {}, {after} of {before} bank conflicts remain",
                changes.join(", ")
            )),
            Err(reason) => reasons.push(reason),
        }
    }
    reasons.dedup();
    Err(RequestError::no_result(reasons.join("; ")))
}

/// Runs a scenario to its end, and counts the memory traffic of the run.
fn counted_run(scenario: &Scenario, max_steps: u64) -> Result<Session, RequestError> {
    let mut session = Session::new_without_last_writers(scenario.clone())?;
    session.run_counted(max_steps);
    if let Some(fault) = session.fault() {
        let message = format!("execution stops: {}", fault.message);
        return Err(RequestError::no_result(message));
    }
    if !session.is_finished() {
        let message = format!("the run reached the step limit after {max_steps} steps");
        return Err(RequestError::no_result(message));
    }
    Ok(session)
}

/// Verifies a rewritten source by running it. Returns the rewritten source, the number of its bank conflicts, and the buffers whose final
/// contents equal their final contents in the run of the original source.
fn verify_fix(
    scenario: &Scenario,
    first: &mut Session,
    source: String,
    max_steps: u64,
) -> Result<(String, u64, Vec<String>), String> {
    let changed = Scenario {
        source: source.clone(),
        ..scenario.clone()
    };
    let mut second = Session::new_without_last_writers(changed)
        .map_err(|error| format!("the rewritten kernel is invalid: {}", error.message))?;
    // Increase the step limit, because the rewritten source executes additional instructions in loops.
    second.run_counted(max_steps.saturating_mul(8));
    if let Some(fault) = second.fault() {
        return Err(format!(
            "the execution of the rewritten kernel stops with a fault: {}",
            fault.message
        ));
    }
    let mut same = Vec::new();
    for buffer in first.buffers() {
        let id = MemoryKey::Buffer(buffer.name.clone());
        if first.memory(&id) != second.memory(&id) {
            return Err(format!(
                "the rewritten kernel produces different contents of `{}`",
                buffer.name
            ));
        }
        same.push(buffer.name);
    }
    let after = second.traffic().total.shared.bank_conflicts;
    Ok((source, after, same))
}
