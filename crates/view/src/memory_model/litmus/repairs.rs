//! Repairs of a litmus test. A repair consists of edits that strengthen memory orders, widen scopes, or insert fences.

use crate::memory_model::litmus::test::LitmusTest;
use crate::memory_model::litmus::test_module::{PreparedTest, shown_line};
use crate::model::text::EditView;
use crate::source::front_ends::front_end;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpgrid_isa::{Operation, Scope, Sem, SyncOp};
use warpgrid_launch::SourceLanguage;
use warpgrid_order::explore::{MemoryOrdering, RepairKind, RepairResult, RepairStep};
use warpgrid_program::syntax::{self, InstructionSyntax, StatementEdit, instructions_of};
use warpgrid_program::{Document, Overrides};

/// Weakest repairs of a litmus test, which hosts display, and the extent of the search for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LitmusRepairs {
    /// Outcomes that the repairs forbid.
    #[cfg_attr(feature = "typescript", ts(type = "number[][]"))]
    pub bad: Vec<Vec<u64>>,
    pub repairs: Vec<Vec<LitmusEdit>>,
    /// Largest number n for which the search tried all combinations of at most n edits.
    #[serde(rename = "completeTo")]
    pub exhaustive_up_to: u32,
    /// Number of combinations of edits that the search evaluated.
    #[serde(rename = "tried")]
    pub candidates_tried: u64,
}

/// Edit of a line in the body of a thread, as part of a repair of a litmus test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LitmusEdit {
    pub thread: u32,
    /// Line of the thread body that the edit changes, starting at 0.
    pub line: u32,
    pub op: LitmusEditOp,
    /// Complete text of the new statement that the edit inserts.
    pub text: String,
    /// Line number of the edited line that a host displays.
    pub shown_line: u32,
    /// Text of the statement that the edit replaces. The text is empty if the edit inserts a statement.
    pub before: String,
    /// Text replacement in the source of the test that performs the edit.
    pub edit: EditView,
}

/// Kind of a [`LitmusEdit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum LitmusEditOp {
    Replace,
    InsertBefore,
}

pub(crate) fn view(
    test: &LitmusTest,
    prepared: &PreparedTest,
    repairs: &RepairResult,
    bad: &[Vec<u64>],
) -> LitmusRepairs {
    let document =
        front_end(SourceLanguage::Ptx).open(prepared.source().into(), &Overrides::default());
    let editor = Editor {
        test,
        prepared,
        document: &*document,
        instructions: instructions_of(&document.statements()),
    };
    let edits = |repair: &Vec<RepairStep>| {
        let edits = repair.iter().filter_map(|change| editor.edit(change));
        edits.collect()
    };
    LitmusRepairs {
        bad: bad.to_vec(),
        repairs: repairs.repairs.iter().map(edits).collect(),
        exhaustive_up_to: repairs.exhaustive_up_to as u32,
        candidates_tried: repairs.candidates_tried,
    }
}

struct Editor<'a> {
    test: &'a LitmusTest,
    prepared: &'a PreparedTest,
    document: &'a dyn Document,
    /// Instructions of the test, indexed by the start offset of their span.
    instructions: BTreeMap<u32, InstructionSyntax>,
}

impl Editor<'_> {
    fn edit(&self, change: &RepairStep) -> Option<LitmusEdit> {
        let (thread, instruction) = (change.thread, change.instruction);
        let line = self.prepared.line(thread, instruction);
        let statement = self.prepared.span(thread, instruction);
        let (op, text) = match change.repair {
            RepairKind::Strengthen(words) => {
                let syntax = self.instructions.get(&statement.start)?;
                let operation = self.operation(thread, instruction)?;
                let text = strengthened(syntax, operation, words).to_string();
                (LitmusEditOp::Replace, text)
            }
            RepairKind::Fence(words) => {
                let text = format!("fence.{}.{};", words.sem.name(), words.scope.name());
                (LitmusEditOp::InsertBefore, text)
            }
            RepairKind::ProxyFence => (LitmusEditOp::InsertBefore, "fence.proxy.async;".to_owned()),
        };
        let (change, before) = match op {
            LitmusEditOp::Replace => {
                let before = statement.text(self.prepared.source()).to_owned();
                (syntax::Change::Replace(text.clone()), before)
            }
            LitmusEditOp::InsertBefore => {
                (syntax::Change::InsertBefore(text.clone()), String::new())
            }
        };
        let edit = self.document.edit(&StatementEdit { statement, change })?;
        Some(LitmusEdit {
            thread: thread as u32,
            line,
            op,
            text,
            shown_line: shown_line(self.test, thread, line),
            before,
            edit: self.prepared.edit(self.test, edit),
        })
    }

    fn operation(&self, thread: usize, instruction: u32) -> Option<Operation> {
        let question = &self.prepared.question;
        let function = question.threads.get(thread)?.function;
        let function = question.program.functions.get(function.0 as usize)?;
        let instruction = function.instructions.get(instruction as usize)?;
        Some(question.program.opcode(instruction)?.operation)
    }
}

/// Returns the text of an instruction with the memory order and scope `words`.
fn strengthened(
    syntax: &InstructionSyntax,
    operation: Operation,
    words: MemoryOrdering,
) -> InstructionSyntax {
    let mut new = syntax.clone();
    let sync = operation.sync();
    // Keep the modifier `cluster` of an arrival at a cluster barrier, because it is part of the opcode. The arrival has release semantics
    // without a modifier.
    let is_cluster_arrival = sync == Some(SyncOp::ClusterArrive);
    let is_old = |word: &String| {
        Sem::from_name(word).is_some() || !is_cluster_arrival && Scope::from_name(word).is_some()
    };
    let stated = new.words.iter().position(is_old);
    new.words.retain(|word| !is_old(word));
    if sync == Some(SyncOp::Membar) {
        new.words = vec!["fence".to_owned()];
    }
    if is_cluster_arrival {
        return new;
    }
    // Insert the memory order after the last modifier of the opcode, because the opcode of an mbarrier operation consists of several
    // modifiers.
    let ends_name =
        |word: &&str| ["shared", "shared::cta", "shared::cluster", "b64"].contains(word);
    let after_name = || {
        operation.mbarrier()?;
        new.words.iter().position(|word| ends_name(&word.as_str()))
    };
    let at = stated.or_else(after_name).unwrap_or(1).min(new.words.len());
    let words = [words.sem.name(), words.scope.name()].map(str::to_owned);
    new.words.splice(at..at, words);
    new
}

/// Applies the edits of a repair to the text of a litmus test.
pub fn apply(text: &str, repair: &[LitmusEdit]) -> String {
    EditView::apply_all(text, repair.iter().map(|edit| &edit.edit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengthened_rewrites_memory_order_and_scope() {
        let cases = [
            (
                "@%p0 ld.global.u32 %r0, [x];",
                (Sem::Acquire, Scope::Gpu),
                "@%p0 ld.acquire.gpu.global.u32 %r0, [x];",
            ),
            ("membar.cta;", (Sem::Sc, Scope::Gpu), "fence.sc.gpu;"),
            (
                "st.volatile.shared.u32 [x], 1;",
                (Sem::Release, Scope::Sys),
                "st.release.sys.shared.u32 [x], 1;",
            ),
            (
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];",
                (Sem::Release, Scope::Cluster),
                "mbarrier.arrive.release.cluster.shared::cta.b64 _, [m];",
            ),
            (
                "mbarrier.arrive.shared::cta.b64 _, [m];",
                (Sem::Release, Scope::Cluster),
                "mbarrier.arrive.release.cluster.shared::cta.b64 _, [m];",
            ),
            (
                "barrier.cluster.arrive.relaxed.aligned;",
                (Sem::Release, Scope::Cluster),
                "barrier.cluster.arrive.aligned;",
            ),
        ];
        for (before, (sem, scope), after) in cases {
            let source = format!(
                ".version 8.6\n.target sm_90\n.address_size 64\n.entry k() {{ .reg .b64 x, m; .reg .b32 %r0; .reg .pred %p0; {before} }}"
            );
            let document =
                front_end(SourceLanguage::Ptx).open(source.as_str().into(), &Overrides::default());
            let program = document.check().program.expect("a program");
            let operation = program.opcodes.first().expect("an action").operation;
            let instructions = instructions_of(&document.statements());
            let syntax = instructions.values().next().expect("an instruction");
            let found = strengthened(syntax, operation, MemoryOrdering { sem, scope });
            assert_eq!(found.to_string(), after);
        }
    }
}
