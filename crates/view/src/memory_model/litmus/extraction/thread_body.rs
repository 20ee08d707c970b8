//! Body of a thread in an extracted litmus test. The body consists of assignments of constants to the live-in registers of the thread,
//! followed by the selected lines. The module takes a kernel, the selected instructions, and register values, and returns lines of PTX.

use crate::memory_model::litmus::extraction::access_watch::{LineSelection, LineVisit, ThreadKey};
use crate::memory_model::litmus::extraction::call_parameters::CallParameters;
use crate::memory_model::litmus::extraction::location_table::name_of;
use crate::memory_model::litmus::extraction::slicing::ORIGIN;
use crate::memory_model::litmus::location::number;
use crate::memory_model::litmus::test_module::{LitmusError, STEMS, fail};
use crate::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::{MemoryOp, ScalarType, StateSpace};
use warpgrid_program::syntax::InstructionSyntax;
use warpgrid_program::{AddressBase, Function, Instruction, OperandValue, RegisterId, Source};

/// Builder for the thread bodies of an extracted test, which contains the data that all threads have in common.
pub(crate) struct BodyBuilder<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) lines: &'a LineSelection,
    /// Names of buffers and variables in global memory, indexed by address.
    pub(crate) bases: &'a BTreeMap<u64, String>,
    /// All threads of the extracted test.
    pub(crate) threads: BTreeSet<ThreadKey>,
    /// Instructions of the source, indexed by the start offset of their span.
    pub(crate) syntax: &'a BTreeMap<u32, InstructionSyntax>,
}

/// Statement of the kernel in the selected lines, with its syntactic parts and its source line.
pub(crate) struct Statement {
    pub(crate) index: u32,
    pub(crate) syntax: InstructionSyntax,
    line: u32,
}

impl BodyBuilder<'_> {
    /// Returns the body of a thread, which starts at the instruction at which the thread entered the selected lines.
    pub(crate) fn body(
        &mut self,
        thread: ThreadKey,
        stay: &LineVisit,
    ) -> Result<Vec<String>, LitmusError> {
        let program = std::sync::Arc::clone(&self.session.program);
        let Some(function) = program.functions.get(self.lines.function.0 as usize) else {
            return fail("the source no longer contains the kernel");
        };
        let mut body = self.declarations(function)?;
        let parameters = CallParameters::of(function, self.lines)?;
        body.extend(parameters.declarations());
        let Some(entry) = stay.entry else {
            return Ok(body);
        };
        self.session.seek(entry.position);
        for register in self.live_in(function, entry.instruction) {
            let name = function.registers.name(register);
            let set = self.set(function, thread, register)?;
            // Emit no assignment for a register with the name of a location, because it already contains the start address of this
            // location. In a snippet, however, emit the addition for a lane that starts at another element.
            let is_place = self.bases.values().any(|place| place == name);
            if !is_place || set.starts_with("add") {
                body.push(set);
            }
        }
        let first = self.lines.instructions.start;
        let starts_later = entry.instruction != first;
        if starts_later {
            body.push(format!("bra {START};"));
        }
        let labels = labels_within(function, self.lines);
        for statement in self.statements(function) {
            let here = labels.iter().filter(|(at, _)| *at == statement.index);
            body.extend(here.map(|(_, name)| format!("{name}:")));
            if starts_later && statement.index == entry.instruction {
                body.push(format!("{START}:"));
            }
            let line = statement.line;
            let text = match parameters.moved(&program, function, &statement) {
                Some(text) => text,
                None => match self.constant(function, thread, stay, statement.index)? {
                    Some(text) => text,
                    None => self.with_places(function, thread, stay, statement),
                },
            };
            body.push(format!("{text}{ORIGIN}{line}"));
        }
        let end = labels_outside(function, self.lines);
        body.extend(end.iter().map(|name| format!("{name}:")));
        Ok(body)
    }

    /// Returns the statements of the selected lines. A statement that consists of several instructions occurs only one time in the result.
    fn statements(&self, function: &Function) -> Vec<Statement> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for index in self.lines.instructions.clone() {
            let Some(instruction) = function.instructions.get(index as usize) else {
                continue;
            };
            let span = instruction.span;
            if !seen.insert((span.start, span.end)) {
                continue;
            }
            let Some(syntax) = self.syntax.get(&span.start) else {
                continue;
            };
            found.push(Statement {
                index,
                syntax: syntax.clone(),
                line: self.session.range_of(self.lines.function, index).line,
            });
        }
        found
    }

    /// Returns the declarations of the registers whose names do not imply their types.
    fn declarations(&self, function: &Function) -> Result<Vec<String>, LitmusError> {
        let mut names: BTreeMap<&str, RegisterId> = BTreeMap::new();
        let mut lines = Vec::new();
        for instruction in chosen(function, self.lines) {
            let all = function.sources(instruction).into_iter();
            for register in all.chain(function.destinations(instruction)) {
                let name = function.registers.name(register);
                // Emit no declaration for a register with the name of a buffer, because both a snippet and the litmus test define this
                // register as the address of the buffer.
                let is_place = self.bases.values().any(|place| place == name);
                if !function.registers.is_named(register) || is_place {
                    continue;
                }
                match names.get(name) {
                    Some(known) if *known == register => continue,
                    Some(_) => {
                        return fail(format!(
                            "the selected lines use two registers with the name `{name}`: select lines that use only one of these registers"
                        ));
                    }
                    None => names.insert(name, register),
                };
                let ty = type_of(function, register);
                if !is_implied(name, ty) {
                    lines.push(format!("{DECLARATION}.{} {name};", ty.name()));
                }
            }
        }
        Ok(lines)
    }

    /// Returns an instruction that sets a register to its value at the present position of the session.
    fn set(
        &self,
        function: &Function,
        thread: ThreadKey,
        register: RegisterId,
    ) -> Result<String, LitmusError> {
        let name = function.registers.name(register);
        let machine = self.session.timeline.machine();
        let (warp, lane) = (thread.thread / 32, thread.thread % 32);
        let held = machine.register(thread.block, warp, lane, self.lines.function, register);
        self.number_in(function, register, name, held.unwrap_or(0))
    }

    fn number_in(
        &self,
        function: &Function,
        register: RegisterId,
        name: &str,
        held: u128,
    ) -> Result<String, LitmusError> {
        let ty = type_of(function, register);
        let Ok(value) = u64::try_from(held) else {
            return fail(format!(
                "the register `{name}` is wider than 64 bits: select lines that do not use this register"
            ));
        };
        if ty == ScalarType::Pred {
            return Ok(format!("mov.pred {name}, {};", value & 1));
        }
        let bits = ty.width_bits();
        let below = self.bases.range(..=value).next_back();
        let base = below.filter(|(base, _)| bits == 64 && value - **base < MAX_BUFFER_OFFSET);
        Ok(match base {
            Some((base, place)) if *base == value => format!("mov.b64 {name}, {place};"),
            Some((base, place)) => format!("add.s64 {name}, {place}, {};", value - base),
            None => format!("mov.b{bits} {name}, {};", number(value)),
        })
    }

    /// Replaces addresses in statements of a snippet by explicit locations. In a snippet, an unnamed register contains the address of the
    /// buffer element at which each lane starts.
    fn with_places(
        &mut self,
        function: &Function,
        thread: ThreadKey,
        stay: &LineVisit,
        statement: Statement,
    ) -> String {
        let mut syntax = statement.syntax;
        let span = function.instructions.get(statement.index as usize);
        let same = |index: &u32| {
            let other = function.instructions.get(*index as usize);
            other.map(|i| i.span) == span.map(|i| i.span)
        };
        let all: Vec<u32> = self.lines.instructions.clone().filter(same).collect();
        for index in all {
            let operands = function.instructions.get(index as usize);
            let operands = operands.map_or(&[][..], |i| function.operands_of(i.operands));
            for operand in operands {
                let OperandValue::Address(address) = operand.value else {
                    continue;
                };
                let AddressBase::Register(run) = address.base else {
                    continue;
                };
                let Some(after) = stay.after(index) else {
                    continue;
                };
                let name = function.registers.name(run.first);
                let is_place = self.bases.values().any(|place| place == name);
                if function.registers.is_named(run.first) && !is_place {
                    continue;
                }
                self.session.seek(after);
                let machine = self.session.timeline.machine();
                let (warp, lane) = (thread.thread / 32, thread.thread % 32);
                let id = self.lines.function;
                let held = machine.register(thread.block, warp, lane, id, run.first);
                let at = (held.unwrap_or(0) as u64).wrapping_add(address.offset as u64);
                let Some((base, place)) = self.bases.range(..=at).next_back() else {
                    continue;
                };
                if let Some(index) = syntax.operand_at(operand.span) {
                    let new = format!("[{place}+{}]", at - base);
                    syntax = syntax.with_operand(index, new).unwrap_or_default();
                }
            }
        }
        syntax.to_string()
    }

    /// Returns the named registers that are live at the instruction `from`. A register is live if, on some path, the selected lines read
    /// the register before they write it.
    fn live_in(&self, function: &Function, from: u32) -> Vec<RegisterId> {
        let range = self.lines.instructions.clone();
        let at = from.saturating_sub(range.start) as usize;
        let live = self.session.program.live_registers(function, range, &[]);
        let here = live.into_iter().nth(at).unwrap_or_default().into_iter();
        here.filter(|register| function.registers.is_named(*register))
            .collect()
    }

    /// Checks whether all existing lanes of the warp that executes an exchange instruction are tested threads. The exchange can remain part
    /// of the test only in this case.
    fn are_all_here(
        &self,
        function: &Function,
        thread: ThreadKey,
        instruction: &Instruction,
    ) -> bool {
        let operands = function.operands_of(instruction.operands);
        let mask = match operands.last().map(|operand| &operand.value) {
            Some(OperandValue::Source(Source::Immediate(bits), _)) => *bits as u32,
            _ => return false,
        };
        let block = self.session.scenario().block.unwrap_or([1; 3]);
        let first = thread.thread / 32 * 32;
        let last = block.iter().product::<u32>().min(first + 32);
        (first..last).all(|other| {
            let other = ThreadKey {
                thread: other,
                ..thread
            };
            mask >> (other.thread - first) & 1 == 0 || self.threads.contains(&other)
        })
    }

    /// Returns a statement that replaces an instruction with the assignment of a constant, if the result of the instruction does not depend
    /// on communication through shared or global memory. The replacement is possible for loads of parameters, constants and stack
    /// variables, for addresses of variables, and for values that lanes of a warp exchange.
    fn constant(
        &mut self,
        function: &Function,
        thread: ThreadKey,
        stay: &LineVisit,
        index: u32,
    ) -> Result<Option<String>, LitmusError> {
        let program = std::sync::Arc::clone(&self.session.program);
        let Some(instruction) = function.instructions.get(index as usize) else {
            return Ok(None);
        };
        let Some(action) = program.opcode(instruction) else {
            return Ok(None);
        };
        let is_load = action.operation.memory() == Some(MemoryOp::Load);
        let is_own = is_load && is_own_space(action.modifiers.state_space())
            || action.operation.memory().is_none() && names_variable(function, instruction)
            || action.operation.warp().is_some()
                && !self.are_all_here(function, thread, instruction);
        let Some(after) = stay.after(index).filter(|_| is_own) else {
            return Ok(None);
        };
        self.session.seek(after);
        let guard = instruction.guard.map_or_else(String::new, |guard| {
            let not = if guard.negated { "!" } else { "" };
            format!("@{not}{} ", function.registers.name(guard.predicate))
        });
        let mut text = String::new();
        for register in function.destinations(instruction) {
            let set = self.set(function, thread, register)?;
            text.push_str(&format!("{guard}{set} "));
        }
        Ok(Some(text.trim_end().to_owned()))
    }
}

/// Prefix of the register declarations at the start of a body.
pub(crate) const DECLARATION: &str = ".reg ";
/// Label at the entry of a thread that does not start at the first selected line.
const START: &str = "START";
/// Maximum distance in bytes between an address and the start of its buffer.
const MAX_BUFFER_OFFSET: u64 = 1 << 30;

/// Checks whether a state space contains only memory that no other thread can write.
fn is_own_space(space: StateSpace) -> bool {
    match space {
        StateSpace::ParamEntry | StateSpace::ParamFunc | StateSpace::Const | StateSpace::Local => {
            true
        }
        StateSpace::Generic
        | StateSpace::Global
        | StateSpace::Shared
        | StateSpace::SharedCluster => false,
    }
}

pub(crate) fn chosen<'f>(
    function: &'f Function,
    lines: &LineSelection,
) -> std::slice::Iter<'f, Instruction> {
    let range = lines.instructions.start as usize..lines.instructions.end as usize;
    function.instructions.get(range).unwrap_or(&[]).iter()
}

fn names_variable(function: &Function, instruction: &Instruction) -> bool {
    let operands = function.operands_of(instruction.operands).iter();
    operands.into_iter().any(|operand| {
        matches!(
            operand.value,
            OperandValue::Source(Source::VariableAddress { .. }, _)
        )
    })
}

fn type_of(function: &Function, register: RegisterId) -> ScalarType {
    let found = function.registers.get(register.0 as usize);
    found.map_or(ScalarType::B32, |register| register.ty)
}

/// Checks whether a register with this name has the type `ty` without a declaration.
fn is_implied(name: &str, ty: ScalarType) -> bool {
    let stem = STEMS.iter().find(|(stem, _)| {
        let digits = name.strip_prefix(stem).unwrap_or("");
        let is_short = digits.len() < 5 && (digits == "0" || !digits.starts_with('0'));
        is_short && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    });
    let Some(implied) = stem.and_then(|(_, ty)| ScalarType::from_name(ty)) else {
        return false;
    };
    let is_float = |ty: ScalarType| matches!(ty, ScalarType::F32 | ScalarType::F64);
    implied == ty
        || implied.width_bits() == ty.width_bits() && !is_float(implied) && ty != ScalarType::Pred
}

/// Returns the instructions that can follow an instruction in an execution.
fn targets<'f>(
    function: &'f Function,
    instruction: &Instruction,
) -> impl Iterator<Item = u32> + 'f {
    let operands = function.operands_of(instruction.operands).iter();
    operands.filter_map(|operand| match operand.value {
        OperandValue::Label(target) => Some(target),
        _ => None,
    })
}

/// Returns the labels of the selected instructions.
fn labels_within<'f>(function: &'f Function, lines: &LineSelection) -> Vec<(u32, &'f str)> {
    let all = function.labels.iter();
    let within = all.filter(|(at, _)| lines.instructions.contains(at));
    within.map(|(at, name)| (*at, name.as_str())).collect()
}

/// Returns the labels outside of the selected lines that are targets of branches in the selected lines. A thread of the test exits when it
/// reaches a label outside of the selected lines.
fn labels_outside<'f>(function: &'f Function, lines: &LineSelection) -> BTreeSet<&'f str> {
    let mut found = BTreeSet::new();
    for instruction in chosen(function, lines) {
        for target in targets(function, instruction) {
            if !lines.instructions.contains(&target) {
                let named = function.labels.iter().filter(|(at, _)| *at == target);
                found.extend(named.map(|(_, name)| name.as_str()));
            }
        }
    }
    found
}

/// Returns the name of an observed memory element.
pub(crate) fn observed_place(name: &str, element: u64, thread: Option<usize>) -> String {
    let name = name_of(name);
    match thread {
        Some(thread) => format!("{thread}:{name}[{element}]"),
        None => format!("{name}[{element}]"),
    }
}
