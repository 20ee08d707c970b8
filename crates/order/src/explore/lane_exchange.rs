//! Warp-level exchanges: shuffles, votes, matches and reductions between lanes. Each participating lane is a thread of the litmus test. An
//! exchange has one successor path for each combination of values that the other lanes can supply. The exchange synchronizes the lanes, but
//! does not order memory accesses.

use crate::explore::event::{
    BarrierId, EventKind, ExchangeValues, LaneExchange, MemoryOrdering, ThreadTrace, TraceEvent,
};
use crate::explore::thread_path::{
    CurrentInstruction, PathExit, PathExplorer, Successors, ThreadPath,
};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::{Scope, Sem, WarpOp};
use warpgrid_program::{OpcodeId, OperandValue, RegisterId, Source};

/// Key of an exchange in which a thread participates. It consists of the thread, the participating lanes, and the
/// number of earlier exchanges between these lanes.
type ExchangeKey = (usize, BarrierId, usize);

/// Values that the threads can supply to other lanes in each exchange, collected from the known traces.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublishedValues {
    values: BTreeMap<ExchangeKey, BTreeSet<(u32, u64)>>,
}

impl PublishedValues {
    /// Adds the values that a trace supplies. Returns whether one of these values is new.
    pub(crate) fn add(&mut self, thread: usize, trace: &ThreadTrace) -> bool {
        let mut is_new = false;
        for step in &trace.steps {
            if let (Some(barrier), Some((exchange, value))) = (step.barrier, step.given()) {
                let key = (thread, barrier, exchange.number);
                let known = self.values.entry(key).or_default();
                is_new |= known.insert((exchange.action.0, value));
            }
        }
        is_new
    }

    fn of(&self, key: ExchangeKey, action: OpcodeId) -> Vec<u64> {
        let all = self.values.get(&key).into_iter().flatten();
        let same = all.filter(|(other, _)| *other == action.0);
        same.map(|(_, value)| *value).collect()
    }
}

/// Reference to a trace of a thread, for the comparison of exchanges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadTraceRef<'a> {
    pub(crate) thread: usize,
    pub(crate) trace: &'a ThreadTrace,
}

/// Checks whether each value that the trace `taker` receives from the thread of `giver` equals the value that the trace
/// `giver` supplies in the same exchange.
pub(crate) fn exchanges_match(taker: ThreadTraceRef<'_>, giver: ThreadTraceRef<'_>) -> bool {
    let mut exchanges = taker.trace.steps.iter().filter_map(|step| {
        let exchange = step.exchange.as_deref()?;
        exchange
            .others
            .contains(&giver.thread)
            .then_some((step, exchange))
    });
    exchanges.all(|(step, exchange)| {
        let mut theirs = giver
            .trace
            .steps
            .iter()
            .filter(|s| s.barrier == step.barrier);
        let given = theirs.find_map(|step| {
            let (other, value) = step.given()?;
            let is_it = (other.number, other.action) == (exchange.number, exchange.action);
            is_it.then_some(value)
        });
        let taken = match &exchange.values {
            ExchangeValues::Given(_) => None,
            ExchangeValues::Taken(values) => {
                values.iter().find(|(thread, _)| *thread == giver.thread)
            }
        };
        given.is_some_and(|given| taken.is_none_or(|(_, taken)| *taken == given))
    })
}

/// Operands of an exchange instruction: the supplied value and the member mask.
struct ExchangeOperands {
    /// Index and register of the operand whose value the thread supplies.
    given: Option<(usize, Option<RegisterId>)>,
    mask: usize,
}

/// Participating thread and its lane.
type Participant = (usize, u32);

/// Participant and the value that it supplies.
type GivenBy = (usize, u32, u64);

impl PathExplorer<'_> {
    /// Executes an exchange between the lanes of a warp.
    pub(crate) fn exchange(
        &mut self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
        op: WarpOp,
    ) -> Successors {
        let operands = self.operands_of_exchange(&path, at, op)?;
        let mask = self.value(&mut path, at, operands.mask)? as u32;
        let others = self.others_of(&path, at, mask)?;
        let given = match operands.given {
            Some((index, _)) => self.given_value(&mut path, at, index)?,
            None => 0,
        };
        let barrier = BarrierId::Exchange {
            block: self.thread.block_index,
            warp: self.thread.thread / 32,
            mask,
        };
        let before = path
            .steps
            .iter()
            .filter(|step| step.barrier == Some(barrier));
        let number = before.filter(|step| step.given().is_some()).count();
        let exchange = LaneExchange {
            action: at.instruction.opcode,
            number,
            others: others.iter().map(|(thread, _)| *thread).collect(),
            values: ExchangeValues::Given(given),
        };
        path.push_event(self.meeting(&path, at, EventKind::Arrive, barrier, exchange.clone()));
        path.instance += 1;
        let sources = match op {
            WarpOp::Elect => Vec::new(),
            WarpOp::Shuffle => self.source_of_shuffle(&path, at, &operands, &others)?,
            WarpOp::Vote
            | WarpOp::Match
            | WarpOp::Redux
            | WarpOp::ActiveMask
            | WarpOp::Movmatrix => others.clone(),
        };
        let register = operands.given.and_then(|(_, register)| register);
        if !sources.is_empty() && register.is_none() {
            return Err(self.register_required_error(&path).into());
        }
        // If another lane has not supplied a value, the path waits, because no lane continues before all lanes have arrived.
        let key = |thread: usize| (thread, barrier, number);
        let has_come =
            |(thread, _): &Participant| !self.given.of(key(*thread), exchange.action).is_empty();
        if !others.iter().all(has_come) {
            self.record_blocked_path(path);
            return Ok(Vec::new());
        }
        let choices = self.choices_of(&sources, |thread| {
            self.given.of(key(thread), exchange.action)
        })?;
        let mut ways = Vec::new();
        for choice in choices {
            let mut way = path.clone();
            let taken = choice.iter().map(|(thread, _, value)| (*thread, *value));
            let exchange = LaneExchange {
                values: ExchangeValues::Taken(taken.collect()),
                ..exchange.clone()
            };
            let values: Vec<(u32, u64)> = choice.iter().map(|(_, lane, v)| (*lane, *v)).collect();
            self.compute_exchange(&mut way, at, &operands, &others, &values)?;
            let step = self.meeting(&way, at, EventKind::Leave, barrier, exchange);
            let event = way.push_event(step);
            let depends = way.depends | crate::explore::memory_events::bit_of(event);
            self.taint_results(&mut way, at.instruction, depends);
            ways.push(way);
        }
        Ok(ways)
    }

    /// Returns all combinations of the values that the source lanes can supply.
    fn choices_of(
        &self,
        sources: &[Participant],
        given: impl Fn(usize) -> Vec<u64>,
    ) -> Result<Vec<Vec<GivenBy>>, PathExit> {
        let mut choices = vec![Vec::new()];
        for (thread, lane) in sources {
            let values = given(*thread);
            let longer = choices.iter().flat_map(|start: &Vec<GivenBy>| {
                let with = |value: &u64| [&start[..], &[(*thread, *lane, *value)]].concat();
                values.iter().map(with).collect::<Vec<_>>()
            });
            choices = longer.collect();
            if choices.len() > self.question.limits.paths_per_thread {
                return Err(self.path_limit_error());
            }
        }
        Ok(choices)
    }

    fn meeting(
        &self,
        path: &ThreadPath,
        at: &CurrentInstruction<'_>,
        kind: EventKind,
        barrier: BarrierId,
        exchange: LaneExchange,
    ) -> TraceEvent {
        let mut step = TraceEvent::new(kind, at.number, path.instance);
        step.words = MemoryOrdering::new(Sem::Relaxed, Scope::Cta);
        step.barrier = Some(barrier);
        step.exchange = Some(Box::new(exchange));
        step
    }

    fn operands_of_exchange(
        &self,
        path: &ThreadPath,
        at: &CurrentInstruction<'_>,
        op: WarpOp,
    ) -> Result<ExchangeOperands, PathExit> {
        let (given, mask) = match op {
            WarpOp::Shuffle => (Some(1), 4),
            WarpOp::Vote | WarpOp::Match | WarpOp::Redux => (Some(1), 2),
            WarpOp::Elect => (None, 1),
            WarpOp::ActiveMask => {
                let reason = "the memory model does not define the set of active lanes, so `activemask` has no unique result: move a constant mask into the register";
                return Err(self.unsupported_error(path, reason).into());
            }
            WarpOp::Movmatrix => {
                let reason = "`movmatrix` requires all 32 lanes of a warp, but a litmus test has fewer threads: move the result of `movmatrix` into the register, since `movmatrix` does not synchronize";
                return Err(self.unsupported_error(path, reason).into());
            }
        };
        let operands = self.operands(at);
        let is_there = operands
            .get(mask)
            .is_some_and(|operand| !matches!(operand.value, OperandValue::Absent));
        if !is_there {
            let reason =
                "the instruction has no member mask: use the form with `.sync` and a member mask";
            return Err(self.unsupported_error(path, reason).into());
        }
        let given = given.map(|index| {
            let value = operands.get(index).map(|operand| &operand.value);
            (index, value.and_then(register_of))
        });
        Ok(ExchangeOperands { given, mask })
    }

    /// Returns the value that a thread supplies. The value of a negated predicate operand is the negation of the
    /// register.
    fn given_value(
        &self,
        path: &mut ThreadPath,
        at: &CurrentInstruction<'_>,
        index: usize,
    ) -> Result<u64, PathExit> {
        let operand = self.operands(at).get(index).map(|operand| &operand.value);
        match operand {
            Some(OperandValue::Predicate { source, negated }) => {
                let Source::Register(run) = source else {
                    return Err(self.register_required_error(path).into());
                };
                let held = path.emulator.register(run.first) != 0;
                Ok(u64::from(held != *negated))
            }
            _ => self.value(path, at, index),
        }
    }

    fn register_required_error(&self, path: &ThreadPath) -> crate::explore::query::ExploreError {
        let reason = "the operand that other lanes receive is not a register: move the value into a register first";
        self.unsupported_error(path, reason)
    }

    /// Returns the threads of the other lanes in a member mask. Each lane of the mask that exists in the launch must be
    /// a thread of the litmus test.
    fn others_of(
        &self,
        path: &ThreadPath,
        at: &CurrentInstruction<'_>,
        mask: u32,
    ) -> Result<Vec<Participant>, PathExit> {
        let (block, warp) = (self.thread.block_index, self.thread.thread / 32);
        let (own, n_threads) = (
            self.thread.thread % 32,
            self.question.launch.block.iter().product::<u32>(),
        );
        let action = self.question.program.opcode(at.instruction);
        let opcode = action.map_or("an exchange", |action| &action.opcode);
        let of_warp = self
            .question
            .threads
            .iter()
            .enumerate()
            .filter(|(_, spec)| spec.block_index == block && spec.thread / 32 == warp);
        let members: Vec<Participant> = of_warp.map(|(n, spec)| (n, spec.thread % 32)).collect();
        let present = members.iter().fold(0u32, |all, (_, lane)| all | 1 << lane);
        if mask >> own & 1 == 0 {
            let reason = format!(
                "the member mask of `{opcode}` does not include the executing lane {own}: use the mask {present:#x}"
            );
            return Err(self.unsupported_error(path, &reason).into());
        }
        let left = n_threads.saturating_sub(32 * warp).min(32);
        let exist = (u64::from(u32::MAX) >> (32 - left)) as u32;
        let missing = mask & exist & !present;
        if missing != 0 {
            let lane = missing.trailing_zeros();
            let reason = format!(
                "`{opcode}` waits for lane {lane}, which is not a thread of the litmus test: use the mask {present:#x}, add a `//@ thread` for each lane of the mask, or replace the instruction with a move of a number"
            );
            return Err(self.unsupported_error(path, &reason).into());
        }
        let others = members.into_iter();
        let takes_part =
            |(thread, lane): &Participant| mask >> lane & 1 != 0 && *thread != self.index;
        Ok(others.filter(takes_part).collect())
    }

    /// Returns the source lane of a shuffle, or an empty list if the source is the executing lane. The emulator
    /// shuffles the lane numbers to determine the source lane.
    fn source_of_shuffle(
        &self,
        path: &ThreadPath,
        at: &CurrentInstruction<'_>,
        operands: &ExchangeOperands,
        others: &[Participant],
    ) -> Result<Vec<Participant>, PathExit> {
        let result = self.operands(at).first().map(|operand| &operand.value);
        let (Some(OperandValue::Destination(Some(run))) | Some(OperandValue::Pair(Some(run), _))) =
            result
        else {
            return Ok(Vec::new());
        };
        let result = run.first;
        let Some(given) = operands.given.and_then(|(_, register)| register) else {
            return Err(self.register_required_error(path).into());
        };
        let own = self.thread.thread % 32;
        let mut trial = path.clone();
        trial.emulator.set_register(given, u64::from(own));
        let numbers = (0..32).filter(|lane| *lane != own);
        let numbers: Vec<(u32, u64)> = numbers.map(|lane| (lane, u64::from(lane))).collect();
        self.compute_exchange(&mut trial, at, operands, &[], &numbers)?;
        let source = trial.emulator.register(result) as u32;
        if source == own {
            return Ok(Vec::new());
        }
        match others.iter().find(|(_, lane)| *lane == source) {
            Some(found) => Ok(vec![*found]),
            None => {
                let reason = format!(
                    "the source lane {source} of the shuffle is not in the member mask: select a source lane that is in the mask"
                );
                Err(self.unsupported_error(path, &reason).into())
            }
        }
    }

    /// Executes the exchange in the emulator with the values of the other lanes. `values` contains only the lanes whose values affect the
    /// result.
    fn compute_exchange(
        &self,
        path: &mut ThreadPath,
        at: &CurrentInstruction<'_>,
        operands: &ExchangeOperands,
        others: &[Participant],
        values: &[(u32, u64)],
    ) -> Result<(), PathExit> {
        let given = operands.given.and_then(|(index, register)| {
            let operand = self.operands(at).get(index).map(|operand| &operand.value);
            let negated = matches!(operand, Some(OperandValue::Predicate { negated: true, .. }));
            Some((register?, negated))
        });
        let value_of = |lane: u32| values.iter().find(|(of, _)| *of == lane).map(|(_, v)| *v);
        let lanes = others.iter().map(|(_, lane)| *lane);
        let lanes = lanes.chain(values.iter().map(|(lane, _)| *lane));
        let lanes: BTreeSet<u32> = lanes.collect();
        let brought = lanes.into_iter().map(|lane| {
            let value = value_of(lane).unwrap_or(0);
            let held = match given {
                Some((_, true)) => u64::from(value == 0),
                _ => value,
            };
            (lane as usize, held)
        });
        let brought: Vec<(usize, u64)> = brought.collect();
        let mask = self.operands(at).get(operands.mask).map(|o| &o.value);
        let mask = mask.and_then(register_of);
        let given = given.map(|(register, _)| register);
        match path
            .emulator
            .execute_collective(at.number, given, mask, &brought)
        {
            true => Ok(()),
            false => {
                let action = self.question.program.opcode(at.instruction);
                let opcode = action.map_or("an exchange", |action| &action.opcode);
                Err(self.refuse(path, opcode).into())
            }
        }
    }
}

/// Returns the register of a source operand.
fn register_of(value: &OperandValue) -> Option<RegisterId> {
    match value {
        OperandValue::Source(Source::Register(run), _) => Some(run.first),
        OperandValue::Predicate {
            source: Source::Register(run),
            ..
        } => Some(run.first),
        _ => None,
    }
}
