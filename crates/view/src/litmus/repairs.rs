//! Repairs as changes of the text: opcodes with other words, fences before lines.

use super::module::{Prepared, shown_line};
use super::test::LitmusTest;
use serde::{Deserialize, Serialize};
use warpgrid_isa::{Scope, Sem};
use warpgrid_order::explore::{Change, Repair, Repairs, Words};

/// All weakest fixes of a litmus test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LitmusRepairs {
    /// Outcomes that the fixes forbid.
    #[cfg_attr(feature = "typescript", ts(type = "number[][]"))]
    pub bad: Vec<Vec<u64>>,
    pub repairs: Vec<Vec<LitmusEdit>>,
    /// Number of edits up to which all combinations were tried.
    pub complete_to: u32,
    /// Number of evaluated combinations.
    pub tried: u64,
}

/// Edit of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LitmusEdit {
    pub thread: u32,
    /// Line of the thread body, starting at 0.
    pub line: u32,
    pub op: LitmusEditOp,
    /// Complete new statement.
    pub text: String,
    /// Displayed line number.
    pub shown_line: u32,
    /// Replaced statement. Empty for an insertion.
    pub before: String,
}

/// Kind of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum LitmusEditOp {
    Replace,
    InsertBefore,
}

pub(super) fn view(
    test: &LitmusTest,
    prepared: &Prepared,
    repairs: &Repairs,
    bad: &[Vec<u64>],
) -> LitmusRepairs {
    let edits = |repair: &Vec<Change>| {
        let edits = repair.iter().map(|change| edit(test, prepared, change));
        edits.collect()
    };
    LitmusRepairs {
        bad: bad.to_vec(),
        repairs: repairs.repairs.iter().map(edits).collect(),
        complete_to: repairs.complete_to as u32,
        tried: repairs.tried,
    }
}

fn edit(test: &LitmusTest, prepared: &Prepared, change: &Change) -> LitmusEdit {
    let line = prepared.line(change.thread, change.instruction);
    let statement = prepared.statement(change.thread, change.instruction);
    let (op, text, before) = match change.repair {
        Repair::Strengthen(words) => (
            LitmusEditOp::Replace,
            strengthened(statement, words),
            statement.to_owned(),
        ),
        Repair::Fence(words) => {
            let text = format!("fence.{}.{};", words.sem.name(), words.scope.name());
            (LitmusEditOp::InsertBefore, text, String::new())
        }
        Repair::ProxyFence => (
            LitmusEditOp::InsertBefore,
            "fence.proxy.async;".to_owned(),
            String::new(),
        ),
    };
    LitmusEdit {
        thread: change.thread as u32,
        line,
        op,
        text,
        shown_line: shown_line(test, change.thread, line),
        before,
    }
}

/// A statement with other words in its opcode.
fn strengthened(statement: &str, words: Words) -> String {
    let start = match statement.starts_with('@') {
        true => statement.find(char::is_whitespace).unwrap_or(0),
        false => 0,
    };
    let (guard, rest) = statement.split_at(start);
    let space = rest.len() - rest.trim_start().len();
    let (space, rest) = rest.split_at(space);
    let end = rest
        .find(|c: char| c.is_whitespace() || c == ';')
        .unwrap_or(rest.len());
    let (opcode, operands) = rest.split_at(end);
    format!("{guard}{space}{}{operands}", opcode_with(opcode, words))
}

fn opcode_with(opcode: &str, words: Words) -> String {
    let mut parts: Vec<&str> = opcode.split('.').collect();
    let is_membar = parts.first() == Some(&"membar");
    if is_membar {
        parts = vec!["fence"];
    }
    let is_cluster_barrier = opcode.starts_with("barrier.cluster");
    // The scope of a barrier is its name.
    let is_old = |part: &&str| {
        Sem::from_name(part).is_some() || !is_cluster_barrier && Scope::from_name(part).is_some()
    };
    parts.retain(|part| !is_old(part));
    let at = match parts.first() {
        Some(&"mbarrier") => parts
            .iter()
            .position(|part| ends_name(part))
            .unwrap_or(parts.len()),
        Some(&"barrier") => 3,
        _ => 1,
    };
    let mut new = Vec::new();
    // An arrival at the barrier of a cluster releases without a word.
    if !is_cluster_barrier {
        new.push(words.sem.name());
        new.push(words.scope.name());
    }
    let at = at.min(parts.len());
    parts.splice(at..at, new);
    parts.join(".")
}

/// Whether a word comes after those for order and scope in the name of an operation on an mbarrier object.
fn ends_name(part: &str) -> bool {
    part.starts_with("shared") || part == "b64"
}

/// The text of a test with a repair.
pub fn apply(text: &str, repair: &[LitmusEdit]) -> String {
    let mut new = String::new();
    for (index, line) in text.lines().enumerate() {
        let number = index as u32 + 1;
        let indent = line.len() - line.trim_start().len();
        let mut line = line.to_owned();
        for edit in repair.iter().filter(|edit| edit.shown_line == number) {
            match edit.op {
                LitmusEditOp::InsertBefore => {
                    new.push_str(line.get(..indent).unwrap_or(""));
                    new.push_str(&edit.text);
                    new.push('\n');
                }
                LitmusEditOp::Replace => line = line.replacen(&edit.before, &edit.text, 1),
            }
        }
        new.push_str(&line);
        new.push('\n');
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_gets_other_words() {
        let words = |sem, scope| Words { sem, scope };
        let cases = [
            (
                "@%p0 ld.global.u32 %r0, [x];",
                words(Sem::Acquire, Scope::Gpu),
                "@%p0 ld.acquire.gpu.global.u32 %r0, [x];",
            ),
            ("membar.cta;", words(Sem::Sc, Scope::Gpu), "fence.sc.gpu;"),
            (
                "st.volatile.shared.u32 [x], 1;",
                words(Sem::Release, Scope::Sys),
                "st.release.sys.shared.u32 [x], 1;",
            ),
            (
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];",
                words(Sem::Release, Scope::Cluster),
                "mbarrier.arrive.release.cluster.shared::cta.b64 _, [m];",
            ),
            (
                "barrier.cluster.arrive.relaxed.aligned;",
                words(Sem::Release, Scope::Cluster),
                "barrier.cluster.arrive.aligned;",
            ),
        ];
        for (before, words, after) in cases {
            assert_eq!(strengthened(before, words), after);
        }
    }
}
