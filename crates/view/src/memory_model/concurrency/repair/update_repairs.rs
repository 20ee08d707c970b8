//! Repair candidates for lost updates. A candidate replaces a load, the arithmetic on the loaded value, and a store by one atomic
//! operation.

use crate::memory_model::concurrency::repair::RepairEdits;
use crate::memory_model::concurrency::repair::body::{Body, literal};
use crate::memory_model::concurrency::updates::{Update, UpdateObserver, updates_of};
use crate::session::Session;
use std::collections::BTreeMap;
use warpgrid_isa::{AtomicUpdate, Flag, ScalarType, StateSpace};
use warpgrid_launch::instruction_summary::{InstructionSummary, InstructionView};
use warpgrid_order::races::{Race, RaceCounterpart};
use warpgrid_program::syntax::{Change, InstructionSyntax};
use warpgrid_program::{Function, Instruction, Operand, OperandValue, RegisterId, Span};

/// Replacement texts of statements, indexed by instruction. An empty replacement text deletes the statement.
type Statements = BTreeMap<u32, String>;

/// Update that one atomic operation can perform, with the texts from which the replacement is formatted.
struct Replaceable<'a> {
    session: &'a Session,
    body: &'a Body<'a>,
    function: &'a Function,
    update: &'a Update,
    /// Index of the arithmetic instruction of the update. All other instructions between the load and the store are moves.
    compute: u32,
    /// Name of the atomic operation, for example `add` or `min`.
    operation: &'static str,
    /// Type of the atomic operation, with the modifier that precedes the type: `noftz.f16`.
    ty: String,
    /// Source operand of the atomic operation, and the instructions that compute the operand before the atomic operation.
    source: String,
    prelude: Option<String>,
    /// Registers that `source` and `prelude` read.
    sources: Vec<RegisterId>,
}

/// Updates of a run whose load and store are racing accesses.
#[derive(Default)]
pub(crate) struct RacyUpdates {
    /// Spans of the statements that contain the loads and stores of the updates.
    accesses: Vec<Span>,
    /// Candidates that replace updates by atomic operations. The first candidates replace one update each, and the last candidate replaces
    /// all updates.
    pub(crate) repairs: Vec<RepairEdits>,
}

impl RacyUpdates {
    /// Checks whether edits replace a load or store of an update. These edits are not a repair, because an update with a strong load and a
    /// strong store has no race but can still lose the store of another thread.
    pub(crate) fn are_made_strong_by(&self, edits: &RepairEdits) -> bool {
        edits.iter().any(|edit| {
            matches!(edit.change, Change::Replace(_)) && self.accesses.contains(&edit.statement)
        })
    }

    /// Returns each combination of a repair of an update with a candidate of `others` that edits other statements.
    pub(crate) fn with(&self, others: &[RepairEdits]) -> Vec<RepairEdits> {
        let pairs = self.repairs.iter().flat_map(|updates| {
            let touches = |own: Span| updates.iter().any(|edit| edit.statement == own);
            let apart =
                move |other: &&RepairEdits| other.iter().all(|edit| !touches(edit.statement));
            let others = others.iter().filter(apart);
            others.map(|other| [updates.as_slice(), other].concat())
        });
        pairs.collect()
    }
}

impl Session {
    /// Finds the updates whose load and store are the accesses of the races `races`.
    pub(crate) fn atomic_updates(&mut self, body: &Body<'_>, races: &[Race]) -> RacyUpdates {
        let updates = updates_of(&self.program);
        if updates.is_empty() {
            return RacyUpdates::default();
        }
        let mut observer = UpdateObserver::new(&updates);
        let seen = self.steps_seen();
        self.timeline.replay(0, seen, &mut observer);
        let found = updates.iter().filter(|update| {
            let is_of = |race: &Race| {
                let second = match &race.second {
                    RaceCounterpart::Access(access) => Some(access),
                    RaceCounterpart::Life(_) => None,
                };
                let mut sides = std::iter::once(&race.first).chain(second);
                sides.all(|side| {
                    side.function == update.function
                        && [update.load, update.store].contains(&side.instruction)
                })
            };
            observer.is_update(update) && races.iter().any(is_of)
        });
        let found: Vec<&Update> = found.collect();
        let variants: Vec<Vec<RepairEdits>> = found
            .iter()
            .filter_map(|update| Replaceable::of(self, body, update))
            .map(|update| update.variants())
            .filter(|variants| !variants.is_empty())
            .collect();
        let mut all: Vec<RepairEdits> = variants.iter().flatten().cloned().collect();
        if variants.len() > 1 {
            let firsts = variants.iter().filter_map(|own| own.first());
            all.push(firsts.flatten().cloned().collect());
        }
        let accesses = found.iter().flat_map(|update| {
            let function = self.program.functions.get(update.function.0 as usize);
            let accesses = [update.load, update.store].into_iter();
            accesses.filter_map(move |at| Some(function?.instructions.get(at as usize)?.span))
        });
        RacyUpdates {
            accesses: accesses.collect(),
            repairs: all,
        }
    }
}

impl<'a> Replaceable<'a> {
    /// Returns the update as an atomic operation, or `None` if no atomic operation can perform the update.
    fn of(session: &'a Session, body: &'a Body<'a>, update: &'a Update) -> Option<Replaceable<'a>> {
        let program = &session.program;
        let function = program.functions.get(update.function.0 as usize)?;
        let reader = |index: u32| InstructionView::at(program, update.function, index);
        let is_move = |index: &u32| {
            reader(*index).is_some_and(|own| matches!(own.read(), InstructionSummary::Copy { .. }))
        };
        let (moves, arithmetic): (Vec<u32>, Vec<u32>) =
            update.chain.iter().partition(|i| is_move(i));
        let [compute] = arithmetic[..] else {
            return None;
        };
        let instruction = reader(compute)?.instruction;
        let action = program.opcode(instruction)?;
        let update_kind = action.operation.arithmetic()?.atomic_update()?;
        let ty = action.modifiers.result_type()?;
        let width = |index: u32| Some(reader(index)?.access()?.ty.width_bits());
        if action.modifiers.has(Flag::Sat)
            || width(update.load)? != ty.width_bits()
            || width(update.store)? != ty.width_bits()
        {
            return None;
        }
        let operands = function.operands_of(instruction.operands);
        let (destination, sources) = operands.split_first()?;
        let loaded = |operand: &Operand| {
            function.operand_sources(&operand.value).iter().any(|own| {
                let chain = std::iter::once(update.load).chain(moves.iter().copied());
                chain.filter(|index| *index < compute).any(|index| {
                    let instruction = function.instructions.get(index as usize);
                    instruction.is_some_and(|i| function.destinations(i).contains(own))
                })
            })
        };
        let at = sources.iter().position(loaded)?;
        let others: Vec<&Operand> = sources
            .iter()
            .enumerate()
            .filter(|(own, operand)| *own != at && operand.value != OperandValue::Absent)
            .map(|(_, operand)| operand)
            .collect();
        if others.iter().any(|operand| loaded(operand)) {
            return None;
        }
        let text = |operand: &Operand| session.text_at(operand.span).trim().to_owned();
        let result = text(destination);
        let operation = update_kind.operation();
        let (source, prelude) = match (update_kind, at, others.as_slice()) {
            (AtomicUpdate::AddNegated, 0, [subtrahend]) => match literal(subtrahend) {
                Some(_) => (format!("-{}", text(subtrahend)), None),
                None => {
                    let negated = format!("neg.{} {result}, {};", signed(ty), text(subtrahend));
                    (result, Some(negated))
                }
            },
            (AtomicUpdate::AddProduct, 2, [a, b]) => {
                let opcode = action.opcode.split_once('.')?.1;
                let product = format!("mul.{opcode} {result}, {}, {};", text(a), text(b));
                (result, Some(product))
            }
            (AtomicUpdate::AddNegated | AtomicUpdate::AddProduct, ..) => return None,
            (
                AtomicUpdate::Add
                | AtomicUpdate::Min
                | AtomicUpdate::Max
                | AtomicUpdate::And
                | AtomicUpdate::Or
                | AtomicUpdate::Xor,
                _,
                [other],
            ) => (text(other), None),
            (_, _, _) => return None,
        };
        let others = others.iter();
        let registers = others.flat_map(|operand| function.operand_sources(&operand.value));
        Some(Replaceable {
            session,
            body,
            function,
            update,
            compute,
            operation,
            ty: atomic_type(ty, operation)?,
            source,
            prelude,
            sources: registers.collect(),
        })
    }

    /// Returns the repairs of the update. One repair replaces the store by `red`, and the other repairs insert an `atom` that returns the
    /// old value. The result does not contain repairs that other uses of the registers prevent.
    fn variants(&self) -> Vec<RepairEdits> {
        let all = [
            self.reduction(),
            self.atomic_at_the_arithmetic(),
            self.atomic_at_the_load(),
        ];
        let all = all.into_iter().flatten();
        all.filter_map(|statements| self.edits(&statements))
            .collect()
    }

    /// Returns the replacement of the store by `red`, if no other instruction reads the loaded or the computed value.
    fn reduction(&self) -> Option<Statements> {
        let update = self.update;
        let removed: Vec<u32> = [update.load]
            .into_iter()
            .chain(update.chain.clone())
            .collect();
        let own: Vec<u32> = removed.iter().copied().chain([update.store]).collect();
        let is_used_elsewhere = removed
            .iter()
            .any(|index| self.is_read_elsewhere(*index, &own));
        if is_used_elsewhere {
            return None;
        }
        let at_store = !self.is_written_between(self.compute, update.store);
        let place = if at_store { update.store } else { self.compute };
        let reduction = format!(
            "red{}.{}.{} {}, {};",
            self.space(update.store)?,
            self.operation,
            self.ty,
            self.address(update.store)?,
            self.source
        );
        let mut statements: Statements = own.iter().map(|index| (*index, String::new())).collect();
        statements.insert(place, self.guarded(&reduction)?);
        Some(statements)
    }

    /// Returns the replacement of the arithmetic instruction by `atom`. The destination register of the arithmetic instruction is
    /// preserved.
    fn atomic_at_the_arithmetic(&self) -> Option<Statements> {
        self.atomic(self.compute, self.update.store)
    }

    /// Returns the replacement of the load by `atom`.
    fn atomic_at_the_load(&self) -> Option<Statements> {
        let is_known = !self.is_written_between(self.update.load, self.compute);
        let atomic = || self.atomic(self.update.load, self.update.load);
        is_known.then(atomic).flatten()
    }

    fn atomic(&self, place: u32, addressed: u32) -> Option<Statements> {
        // The old value requires a register other than the result register of the arithmetic instruction, because the prelude and then the
        // arithmetic instruction write this register.
        let old = self.operand(self.update.load, 0)?;
        let result = self.operand(self.compute, 0)?;
        if self.prelude.is_some() && old == result {
            return None;
        }
        let atomic = format!(
            "atom{}.{}.{} {old}, {}, {};",
            self.space(addressed)?,
            self.operation,
            self.ty,
            self.address(addressed)?,
            self.source
        );
        let mut atomic = self.guarded(&atomic)?;
        if place != self.update.load {
            atomic = format!("{atomic}\n{}", self.syntax(place)?);
        }
        let mut statements = Statements::new();
        statements.insert(self.update.load, String::new());
        statements.insert(self.update.store, String::new());
        statements.insert(place, atomic);
        Some(statements)
    }

    /// Formats the prelude and the atomic operation. All of these instructions have the guard of the store.
    fn guarded(&self, operation: &str) -> Option<String> {
        let guard = self.syntax(self.update.store)?.guard;
        let guard = guard.map_or_else(String::new, |guard| format!("{guard} "));
        let lines = self.prelude.iter().map(String::as_str).chain([operation]);
        let lines: Vec<String> = lines.map(|line| format!("{guard}{line}")).collect();
        Some(lines.join("\n"))
    }

    /// Checks whether an instruction outside of `own` reads a register that the instruction `index` writes.
    fn is_read_elsewhere(&self, index: u32, own: &[u32]) -> bool {
        let written = self
            .instruction(index)
            .map(|i| self.function.destinations(i));
        let written = written.unwrap_or_default();
        let all = self.function.instructions.iter().zip(0..);
        let others = all.filter(|(_, at)| !own.contains(at));
        let is_redefined = |register: &RegisterId, at: u32| {
            let between = self.function.instructions.get(..at as usize).unwrap_or(&[]);
            let last = between
                .iter()
                .rposition(|i| self.function.destinations(i).contains(register));
            last.is_some_and(|last| !own.contains(&(last as u32)))
        };
        others.into_iter().any(|(instruction, at)| {
            let read = self.function.sources(instruction);
            read.iter()
                .any(|register| written.contains(register) && !is_redefined(register, at))
        })
    }

    /// Checks whether an instruction between `first` and `last` writes a source register of the atomic operation.
    fn is_written_between(&self, first: u32, last: u32) -> bool {
        let between = (first + 1..last).filter_map(|index| self.instruction(index));
        let mut written = between.flat_map(|instruction| self.function.destinations(instruction));
        written.any(|register| self.sources.contains(&register))
    }

    fn instruction(&self, index: u32) -> Option<&'a Instruction> {
        self.function.instructions.get(index as usize)
    }

    fn statement(&self, index: u32) -> Option<usize> {
        self.body.statement_of((self.update.function, index))
    }

    fn syntax(&self, index: u32) -> Option<InstructionSyntax> {
        Some(self.body.syntax(self.statement(index)?))
    }

    fn operand(&self, index: u32, number: usize) -> Option<String> {
        let operands = self.function.operands_of(self.instruction(index)?.operands);
        self.body
            .operand_text(self.statement(index)?, operands.get(number)?)
    }

    /// Returns the address operand of an access as text in brackets.
    fn address(&self, index: u32) -> Option<String> {
        let mut operands = self
            .function
            .operands_of(self.instruction(index)?.operands)
            .iter();
        let address = operands.find(|own| matches!(own.value, OperandValue::Address(_)))?;
        self.body.operand_text(self.statement(index)?, address)
    }

    /// Returns the state space of an access as the text of a modifier.
    fn space(&self, index: u32) -> Option<String> {
        let action = self.session.program.opcode(self.instruction(index)?)?;
        let space = action.modifiers.state_space();
        Some(match space {
            StateSpace::Generic => String::new(),
            StateSpace::Global | StateSpace::Shared | StateSpace::SharedCluster => {
                format!(".{}", space.name())
            }
            StateSpace::Const
            | StateSpace::Local
            | StateSpace::ParamEntry
            | StateSpace::ParamFunc => return None,
        })
    }

    /// Converts the replacement texts of statements to edits. A statement whose replacement text is empty is deleted.
    fn edits(&self, statements: &Statements) -> Option<RepairEdits> {
        let edits = statements.iter().map(|(index, new)| {
            let at = self.statement(*index)?;
            Some(match new.is_empty() {
                true => self.body.delete(at),
                false => self.body.replace(at, new),
            })
        });
        let mut edits = edits.collect::<Option<RepairEdits>>()?;
        edits.sort_by_key(|edit| edit.change == Change::Delete);
        Some(edits)
    }
}

/// Returns the signed type with the same width as `ty`, because `neg` requires a signed type.
fn signed(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::U16 => "s16",
        ScalarType::U32 => "s32",
        ScalarType::U64 => "s64",
        _ => ty.name(),
    }
}

/// Returns the type of `red` and `atom` for an operation on values of type `ty` (PTX ISA, `red`). Integer addition is modulo 2^n, so an
/// `add` of `.s64` values is equivalent to an `add` of `.u64` values.
fn atomic_type(ty: ScalarType, operation: &str) -> Option<String> {
    use ScalarType as T;
    let name = match (operation, ty) {
        ("add", T::S64) => "u64",
        ("add", T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2) => {
            return Some(format!("noftz.{}", ty.name()));
        }
        ("add", T::U32 | T::S32 | T::U64 | T::F32 | T::F64)
        | ("min" | "max", T::U32 | T::S32 | T::U64 | T::S64)
        | ("and" | "or" | "xor", T::B32 | T::B64) => ty.name(),
        _ => return None,
    };
    Some(name.to_owned())
}
