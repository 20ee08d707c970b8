//! Tests of the instruction tables: every row is valid, its good examples are accepted, and each bad example has its code.

use warpgrid_isa::form::bind::bind_layout;
use warpgrid_isa::form::{SlotKind, layouts};
use warpgrid_isa::{Target, Version};
use warpgrid_program::Overrides;
use warpgrid_program::Severity;
use warpgrid_ptx::{check, parse};

/// Declarations of the names in most examples.
const DECLARATIONS: &str =
    ".reg .pred p, q; .reg .b16 h; .reg .b32 r; .reg .b64 d; .reg .f32 f; .reg .f64 g;\n";

/// Returns the diagnostics of a snippet whose severity is at least `least`.
fn findings(declarations: &str, text: &str, options: &Overrides, least: Severity) -> Findings {
    let source = format!("{declarations}L: {text}");
    let checked = check(&source, &parse(&source), options);
    let found = checked.diagnostics.into_iter();
    found
        .filter(|d| d.severity <= least)
        .map(|d| (d.code, d.message))
        .collect()
}

type Findings = Vec<(&'static str, String)>;

/// Returns the errors with all names inferred, and with the usual names declared. The checker may select a suitable version and
/// target.
fn both(text: &str) -> [Findings; 2] {
    ["", DECLARATIONS].map(|d| findings(d, text, &Overrides::default(), Severity::Error))
}

/// Returns the errors and warnings for the default target and the newest version.
fn both_as_usual(text: &str) -> [Findings; 2] {
    let usual = Overrides {
        target: Some(Target::default_target()),
        version: Some(Version::NEWEST),
        ..Overrides::default()
    };
    ["", DECLARATIONS].map(|d| findings(d, text, &usual, Severity::Warning))
}

#[test]
fn form_syntax_has_valid_slots_and_operands() {
    for layout in layouts() {
        let line = layout.form.syntax;
        assert!(!layout.opcode.is_empty(), "{line}");
        for slot in &layout.slots {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
            assert!(
                slot.name.chars().all(plain) && !slot.name.is_empty(),
                "{line}: {slot:?}"
            );
        }
        for set in layout.form.sets {
            let used = layout.slots.iter().any(|slot| match slot.kind {
                SlotKind::Set(own) => std::ptr::eq(own, *set),
                SlotKind::Literal(..) => false,
            });
            assert!(used, "{line} has no slot for the set {}", set.slot);
        }
        // `[tensorMap, coordinates]` is a single operand.
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ',' | ' ');
        for operand in &layout.operands {
            assert!(
                operand.name.chars().all(plain) && !operand.name.is_empty(),
                "{line}: {operand:?}"
            );
        }
        assert!(
            !layout.form.help.is_empty() && !layout.form.section.is_empty(),
            "{line}"
        );
    }
}

#[test]
fn accepted_examples_bind_to_their_form() {
    for layout in layouts() {
        for example in layout.form.accepted_examples {
            let mnemonic = example.split([' ', ';']).next().unwrap_or("");
            let mut words = mnemonic.split('.');
            let opcode = words.next().unwrap_or("");
            let words: Vec<&str> = words.collect();
            let bound = bind_layout(layout, &words);
            assert_eq!(opcode, layout.opcode, "{example}");
            assert_eq!(bound.complaints, [], "{example}");
            assert_eq!(bound.misplaced_lead(), None, "{example}");
        }
    }
}

#[test]
fn accepted_examples_pass_checker() {
    let mut wrong = Vec::new();
    for layout in layouts() {
        for text in layout.form.accepted_examples {
            let found = both(text);
            if found.iter().all(|errors| !errors.is_empty()) {
                wrong.push(format!("{text}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An instruction that is accepted but not lowered would stop the execution.
#[test]
fn accepted_examples_are_lowered() {
    let mut missing = Vec::new();
    for layout in layouts() {
        for text in layout.form.accepted_examples {
            let programs = ["", DECLARATIONS].map(|declarations| {
                let source = format!("{declarations}L: {text}");
                check(&source, &parse(&source), &Overrides::default()).program
            });
            let operation = layout.form.operation;
            let is_there = programs.iter().flatten().any(|program| {
                let mut instructions = program.functions.iter().flat_map(|f| &f.instructions);
                instructions.any(|i| {
                    program
                        .opcode(i)
                        .is_some_and(|action| action.operation == operation)
                })
            });
            if !is_there {
                missing.push(*text);
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn rejected_examples_produce_expected_code() {
    let mut wrong = Vec::new();
    for layout in layouts() {
        for (text, code) in layout.form.rejected_examples {
            let found = both_as_usual(text);
            if !found.iter().flatten().any(|(found, _)| found == code) {
                wrong.push(format!("{text}: expected {code}, found {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
