//! Every accepted instruction has semantics, so no accepted instruction stops a run as unknown. Covers the modifiers and examples of every
//! instruction form, and the verdict samples that the reference assembler accepts.

use crate::ptxas_verdicts::{is_accepted, module};
use expect_test::expect_file;
use serde_json::Value;
use warpgrid_emulator::{Support, UnsupportedInstruction, refused, supports};
use warpgrid_isa::form::bind::bind_layout;
use warpgrid_isa::form::syntax::FormSyntax;
use warpgrid_isa::form::{SlotKind, layouts};
use warpgrid_isa::{ControlOp, Operation};
use warpgrid_program::Overrides;
use warpgrid_program::{OpcodeInfo, Severity};
use warpgrid_ptx::{check, parse};

/// Returns the instructions of a source that would stop a run. Empty for a rejected source.
fn stopping(source: &str) -> Vec<UnsupportedInstruction> {
    let checked = check(source, &parse(source), &Overrides::default());
    let program = checked.program.iter();
    program.flat_map(refused).collect()
}

/// Like [`stopping`], formatted.
fn unmeant(source: &str) -> Vec<String> {
    let line =
        |found: UnsupportedInstruction| format!("{}: {}", found.span.text(source), found.why);
    stopping(source).into_iter().map(line).collect()
}

/// Declarations of names that most examples use.
const DECLARATIONS: &str =
    ".reg .pred p, q; .reg .b16 h; .reg .b32 r; .reg .b64 d; .reg .f32 f; .reg .f64 g;\n";

#[test]
fn accepted_form_examples_are_executable() {
    let mut n = 0;
    let mut stopped = Vec::new();
    for text in layouts()
        .iter()
        .flat_map(|layout| layout.form.accepted_examples)
    {
        n += 1;
        let sources = ["", DECLARATIONS].map(|names| format!("{names}L: {text}"));
        stopped.extend(sources.iter().flat_map(|source| unmeant(source)));
    }
    assert!(n > 400, "only {n} examples");
    assert!(stopped.is_empty(), "{}", stopped.join("\n"));
}

/// For each modifier of each slot, returns the modifiers of an instruction that contains it, with the first modifier of each other slot.
fn spellings(layout: &FormSyntax) -> Vec<Vec<&'static str>> {
    let words = |index: usize| match layout.slots[index].kind {
        SlotKind::Literal(word, _) => vec![word],
        SlotKind::Set(set) => set.values.iter().map(|value| value.text).collect(),
    };
    let usual = |index: usize| match layout.slots[index].required {
        true => words(index).first().copied(),
        false => None,
    };
    let n = layout.slots.len();
    let mut all = vec![(0..n).filter_map(usual).collect()];
    for varied in 0..n {
        for word in words(varied) {
            let of = |index| match index == varied {
                true => Some(word),
                false => usual(index),
            };
            all.push((0..n).filter_map(of).collect());
        }
    }
    all
}

/// Code of an instruction with legal modifiers but missing operands.
const MISSING_OPERANDS: &str = "W0108";

/// Checks whether the combination of modifiers is legal.
fn are_taken(layout: &FormSyntax, words: &[&str]) -> bool {
    let source = format!("L: {}.{};", layout.opcode, words.join("."));
    let checked = check(&source, &parse(&source), &Overrides::default());
    let mut errors = checked.diagnostics.iter();
    errors.all(|found| found.severity != Severity::Error || found.code == MISSING_OPERANDS)
}

#[test]
fn every_accepted_modifier_spelling_has_semantics() {
    let mut n = 0;
    let mut stopped = Vec::new();
    for layout in layouts() {
        for words in spellings(layout) {
            let bound = bind_layout(layout, &words);
            if !bound.complaints.is_empty() || !are_taken(layout, &words) {
                continue;
            }
            n += 1;
            let action = OpcodeInfo {
                operation: layout.form.operation,
                modifiers: bound.modifiers(),
                opcode: layout.opcode.to_owned(),
            };
            if let Support::NotYet { reason } = supports(&action)
                && action.operation != Operation::Unknown
            {
                stopped.push(format!("{}.{}: {reason}", layout.opcode, words.join(".")));
            }
        }
    }
    assert!(n > 3000, "only {n} spellings");
    assert!(stopped.is_empty(), "{}", stopped.join("\n"));
}

const SAMPLES: [&str; 3] = [
    include_str!("../../ptx/tests/data/verdicts.jsonl"),
    include_str!("../../ptx/tests/data/verdicts_general.jsonl"),
    include_str!("../../ptx/tests/data/verdicts_general_added.jsonl"),
];

/// The remaining instructions have undocumented operands that the assembler accepts. Most of them cannot be compiled: the assembler crashes
/// if their result is used.
#[test]
fn assembler_accepted_samples_execute_except_odd_operands() {
    let mut n = 0;
    let (mut stopped, mut odd) = (Vec::new(), Vec::new());
    for line in SAMPLES.iter().flat_map(|sample| sample.lines()) {
        let case: Value = serde_json::from_str(line).expect("a line of JSON");
        if !is_accepted(&case) {
            continue;
        }
        n += 1;
        let source = module(&case);
        // A call of a function without a body is not an unsupported instruction.
        let calls =
            |found: &UnsupportedInstruction| found.operation == Operation::Control(ControlOp::Call);
        for found in stopping(&source).into_iter().filter(|found| !calls(found)) {
            let text = found.span.text(&source);
            match found.operation {
                Operation::Unknown => odd.push(text.to_owned()),
                _ => stopped.push(format!("{text}: {}", found.why)),
            }
        }
    }
    assert!(n > 1500, "only {n} accepted modules");
    assert!(stopped.is_empty(), "{}", stopped.join("\n"));
    odd.sort();
    odd.dedup();
    expect_file!["data/meanings/odd_operands.txt"].assert_eq(&(odd.join("\n") + "\n"));
}
