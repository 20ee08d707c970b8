//! Slicing of an extracted litmus test (M. Weiser, "Program Slicing", 1981). The module takes a test whose threads contain all selected
//! lines, and returns the test without the instructions that a thread never executes, and without the instructions whose results no other
//! instruction uses.

use crate::memory_model::litmus::extraction::thread_body::DECLARATION;
use crate::memory_model::litmus::test::{LitmusTest, LitmusThread};
use crate::memory_model::litmus::test_module::{LitmusError, PreparedTest, prepare};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::{ControlOp, MbarrierOp, MemoryOp, Operation};
use warpgrid_order::explore::reached;
use warpgrid_program::{Function, Instruction, OperandValue, Program, RegisterId};

/// Comment marker at the end of each statement of a thread body. The source line of the statement in the kernel follows the marker.
pub(crate) const ORIGIN: &str = " // line ";

/// Sliced body of a thread, and the registers of the thread that the test observes.
struct SlicedThread {
    body: Vec<String>,
    loaded: Vec<String>,
}

/// Returns the test without its unused instructions. The observed registers of the returned test are the registers that its threads load.
pub(crate) fn prune(mut test: LitmusTest) -> Result<LitmusTest, LitmusError> {
    let prepared = prepare(&test).map_err(|error| in_kernel(&test, error))?;
    let reached = reached(&prepared.question)
        .map_err(|error| in_kernel(&test, prepared.error(&test, &error)))?;
    let program = &prepared.question.program;
    let mut observe = Vec::new();
    for (number, thread) in test.threads.iter_mut().enumerate() {
        let spec = prepared.question.threads.get(number);
        let function = spec.and_then(|spec| program.functions.get(spec.function.0 as usize));
        let (Some(function), Some(ran)) = (function, reached.get(number)) else {
            continue;
        };
        let kept = Slicer::new(program, function, ran);
        let pruned = kept.text(thread, &prepared, number);
        thread.body = pruned.body;
        observe.extend(pruned.loaded.iter().map(|name| format!("{number}:{name}")));
    }
    test.observe = observe;
    Ok(test)
}

/// Replaces the line of an error in the test with the corresponding line of the kernel.
fn in_kernel(test: &LitmusTest, error: LitmusError) -> LitmusError {
    let body = error
        .thread
        .and_then(|thread| test.threads.get(thread as usize));
    let line = error
        .line
        .and_then(|line| body?.body.get(line as usize - 1));
    let origin = line.and_then(|text| text.rsplit_once(ORIGIN)?.1.parse().ok());
    LitmusError {
        thread: None,
        line: origin,
        message: match origin {
            Some(_) => format!("{}: select lines without this instruction", error.message),
            None => error.message,
        },
    }
}

/// State of the slicing of one thread: the instructions that remain in the sliced test.
struct Slicer<'a> {
    program: &'a Program,
    function: &'a Function,
    is_kept: Vec<bool>,
}

impl<'a> Slicer<'a> {
    fn new(program: &'a Program, function: &'a Function, ran: &[bool]) -> Slicer<'a> {
        // Exclude the last instruction, which exits the kernel and is not part of the thread body.
        let n = function.instructions.len().saturating_sub(1);
        let is_executed = (0..n).map(|index| ran.get(index) == Some(&true)).collect();
        let mut kept = Slicer {
            program,
            function,
            is_kept: is_executed,
        };
        loop {
            let before = kept.is_kept.clone();
            kept.drop_branches();
            kept.drop_results();
            if kept.is_kept == before {
                return kept;
            }
        }
    }

    fn kept(&self) -> impl Iterator<Item = (usize, &'a Instruction)> + '_ {
        let all = self.function.instructions.iter().enumerate();
        all.filter(|(index, _)| self.is_kept.get(*index) == Some(&true))
    }

    /// Removes each branch that skips no remaining instruction.
    fn drop_branches(&mut self) {
        let over_nothing: Vec<usize> = self
            .kept()
            .filter(|(index, instruction)| {
                let target = self.target(instruction).unwrap_or(0);
                let between = self.is_kept.get(index + 1..target);
                between.is_some_and(|between| !between.contains(&true))
            })
            .map(|(index, _)| index)
            .collect();
        self.drop_dead_code(&over_nothing);
    }

    fn drop_dead_code(&mut self, indices: &[usize]) {
        for index in indices {
            if let Some(stays) = self.is_kept.get_mut(*index) {
                *stays = false;
            }
        }
    }

    fn target(&self, instruction: &Instruction) -> Option<usize> {
        let action = self.program.opcode(instruction)?;
        if action.operation.control() != Some(ControlOp::Branch) {
            return None;
        }
        let operands = self.function.operands_of(instruction.operands).iter();
        operands
            .into_iter()
            .find_map(|operand| match operand.value {
                OperandValue::Label(target) => Some(target as usize),
                _ => None,
            })
    }

    /// Removes each instruction whose only effect is a write to registers that no remaining instruction reads.
    fn drop_results(&mut self) {
        let mut needed: BTreeSet<RegisterId> = BTreeSet::new();
        loop {
            let before = needed.len();
            for (_, instruction) in self.kept() {
                let results = self.function.destinations(instruction);
                let matters = results.iter().any(|register| needed.contains(register));
                if !self.is_pure(instruction) || matters {
                    needed.extend(self.function.sources(instruction));
                }
            }
            if needed.len() == before {
                break;
            }
        }
        let idle: Vec<usize> = self
            .kept()
            .filter(|(_, instruction)| {
                let results = self.function.destinations(instruction);
                self.is_pure(instruction) && !results.iter().any(|r| needed.contains(r))
            })
            .map(|(index, _)| index)
            .collect();
        self.drop_dead_code(&idle);
    }

    fn is_pure(&self, instruction: &Instruction) -> bool {
        let action = self.program.opcode(instruction);
        action.is_some_and(|action| match action.operation {
            Operation::Arithmetic(_)
            | Operation::Video(..)
            | Operation::Compare(_)
            | Operation::Move(_)
            | Operation::Hint(_) => true,
            // Keep these instructions, because they also write the carry flag.
            Operation::Carry(_) => false,
            Operation::Memory(_)
            | Operation::Mbarrier(_)
            | Operation::Async(_)
            | Operation::Sync(_)
            | Operation::Control(_)
            | Operation::Matrix(_)
            | Operation::Warp(_)
            | Operation::Unit(_)
            | Operation::Machine(_)
            | Operation::Unknown => false,
        })
    }

    /// Returns the remaining lines of the thread body, and the registers that these lines load.
    fn text(&self, thread: &LitmusThread, prepared: &PreparedTest, number: usize) -> SlicedThread {
        let lines: BTreeSet<u32> = self
            .kept()
            .map(|(index, _)| prepared.line(number, index as u32))
            .collect();
        let labels: BTreeSet<&str> = self
            .kept()
            .filter_map(|(_, instruction)| self.target(instruction))
            .flat_map(|target| self.labels_at(target))
            .collect();
        // If a line contains a call, keep the complete line, and all instructions of the called function.
        let all = self.function.instructions.iter().enumerate();
        let on_lines = all.filter(|(index, _)| {
            let is_of_body = *index < self.is_kept.len();
            is_of_body && lines.contains(&prepared.line(number, *index as u32))
        });
        let named: BTreeSet<&str> = on_lines
            .flat_map(|(_, instruction)| {
                let read = self.function.sources(instruction);
                read.into_iter()
                    .chain(self.function.destinations(instruction))
            })
            .map(|register| self.function.registers.name(register))
            .collect();
        let is_named = |label: &str| {
            let remaining = thread.body.iter().zip(0..);
            let mut remaining = remaining.filter(|(_, line)| lines.contains(line));
            remaining.any(|(text, _)| words(text).any(|word| word == label))
        };
        let mut declared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut body = Vec::new();
        for (line, text) in (0..).zip(&thread.body) {
            if let Some((ty, name)) = declaration(text) {
                if named.contains(name) {
                    declared.entry(ty).or_default().push(name);
                }
                continue;
            }
            let stays = match text.strip_suffix(':') {
                Some(label) => labels.contains(label) && is_named(label),
                None => lines.contains(&line),
            };
            if stays {
                body.push(text.clone());
            }
        }
        let declared = declared.iter();
        let declared =
            declared.map(|(ty, names)| format!("{DECLARATION}{ty} {};", names.join(", ")));
        SlicedThread {
            body: declared.chain(body).collect(),
            loaded: self.loaded(prepared, number),
        }
    }

    fn labels_at(&self, target: usize) -> impl Iterator<Item = &'a str> {
        let all = self.function.labels.iter();
        let at_target = all.filter(move |(at, _)| *at as usize == target);
        at_target.map(|(_, name)| name.as_str())
    }

    /// Returns the names of the registers that the thread loads from memory. If the thread loads nothing, returns the names of the result
    /// registers of its test instructions.
    fn loaded(&self, prepared: &PreparedTest, number: usize) -> Vec<String> {
        let results =
            |is_wanted: &dyn Fn(Operation) -> bool| self.results_of(prepared, number, is_wanted);
        let loads = results(&|operation| {
            matches!(operation.memory(), Some(MemoryOp::Load | MemoryOp::Atomic))
        });
        match loads.is_empty() {
            false => loads,
            true => results(&|operation| {
                let object = operation.mbarrier();
                matches!(object, Some(MbarrierOp::TestWait | MbarrierOp::TryWait))
            }),
        }
    }

    /// Returns the destination registers of instructions. For an instruction of a called function, returns the destination registers of the
    /// call.
    fn results_of(
        &self,
        prepared: &PreparedTest,
        number: usize,
        is_wanted: &dyn Fn(Operation) -> bool,
    ) -> Vec<String> {
        let spec = prepared.question.threads.get(number);
        let call_of = |index: usize| spec.and_then(|spec| spec.call_sites.get(index).copied()?);
        let mut names: Vec<String> = Vec::new();
        for (index, instruction) in self.kept() {
            let action = self.program.opcode(instruction);
            if !action.is_some_and(|action| is_wanted(action.operation)) {
                continue;
            }
            let results: Vec<RegisterId> = match call_of(index) {
                None => self.function.destinations(instruction),
                Some(call) => {
                    let all = self.function.instructions.iter().enumerate();
                    let of_call = all.filter(|(other, _)| call_of(*other) == Some(call));
                    let results = of_call.flat_map(|(_, i)| self.function.destinations(i));
                    results
                        .filter(|register| self.function.registers.is_named(*register))
                        .collect()
                }
            };
            for register in results {
                let name = self.function.registers.name(register);
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        names
    }
}

/// Returns the identifiers in a line of PTX.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$' | '%'))
}

/// Splits a declaration such as `.reg .b32 %r;` into `.b32` and `%r`.
fn declaration(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix(DECLARATION)?
        .strip_suffix(';')?
        .split_once(' ')
}
