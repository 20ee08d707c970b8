//! Instructions without a row in the reference: an outline goes in, a form comes out, with all that is known of it.

use warpgrid_isa::PTX;
use warpgrid_isa::form::outline::{Gated, Group};
use warpgrid_isa::form::{Gate, Outline};
use warpgrid_program::{FormFacts, SlotFacts, ValueFacts};

/// What is said in the place of what the instruction does.
const HELP: &str =
    "The words and their versions are checked, and the kinds of the operands; it does not run yet.";

/// Every outline, in table order.
pub(super) fn forms() -> impl Iterator<Item = FormFacts> {
    PTX.outlines().map(form)
}

/// The outlines that an opcode with these words may mean: those whose names begin so, or the one with the longest name that
/// is written.
pub(super) fn explain(opcode: &str, words: &[&str]) -> Vec<FormFacts> {
    let written = |outline: &&Outline| {
        let mut names = outline.name.split('.');
        names.next() == Some(opcode) && words.iter().all(|word| names.next() == Some(word))
    };
    let named: Vec<FormFacts> = PTX.outlines().filter(written).map(form).collect();
    match named.is_empty() {
        true => PTX.outline(opcode, words).map(form).into_iter().collect(),
        false => named,
    }
}

fn form(outline: &Outline) -> FormFacts {
    let flags = slot("flags", "further words", false, outline.flags, outline);
    let groups = outline.groups.iter().map(|group| {
        let required = group.least > 0;
        slot(group.title, group.title, required, group.words, outline)
    });
    let slots = groups.chain([flags]);
    FormFacts {
        opcode: outline.opcode().to_owned(),
        syntax: syntax(outline),
        help: HELP.to_owned(),
        needs: outline.gate.phrase(),
        section: String::new(),
        slots: slots.filter(|slot| !slot.values.is_empty()).collect(),
        rules: rules(outline),
        examples: Vec::new(),
    }
}

/// A line as the manual has it; the words may be written in another order.
fn syntax(outline: &Outline) -> String {
    let mut line = outline.name.to_owned();
    for word in outline.required.split_whitespace() {
        line += &format!(".{word}");
    }
    for group in outline.groups {
        let name = slot_name(group.title);
        line += &match group.least {
            0 => format!("{{.{name}}}"),
            _ => format!(".{name}"),
        };
    }
    if !outline.flags.is_empty() {
        line += "{.flags}";
    }
    let operands: Option<Vec<&str>> = outline
        .operands
        .first()
        .map(|shape| shape.split_whitespace().map(operand).collect());
    match operands.filter(|operands| !operands.is_empty()) {
        Some(operands) => format!("{line} {}", operands.join(", ")),
        None => line,
    }
}

/// An operand, by the kinds that it may have.
fn operand(kinds: &str) -> &'static str {
    match kinds.chars().next() {
        Some('A') => "[address]",
        Some('V') => "{values}",
        Some('I') => "number",
        _ => "value",
    }
}

fn slot_name(title: &str) -> String {
    title.replace(' ', "_")
}

fn slot(name: &str, title: &str, required: bool, words: &[Gated], outline: &Outline) -> SlotFacts {
    let value = |gate: Gate, word: &str| ValueFacts {
        text: word.to_owned(),
        help: String::new(),
        needs: gate.beyond(outline.gate).phrase(),
        origin: outline.gate.origin.text(),
    };
    let values = words
        .iter()
        .flat_map(|(gate, words)| words.split_whitespace().map(move |word| value(*gate, word)));
    SlotFacts {
        name: slot_name(name),
        title: title.to_owned(),
        required,
        values: values.collect(),
    }
}

fn rules(outline: &Outline) -> Vec<String> {
    let spelled = |words: &str| {
        let words: Vec<String> = words.split(' ').map(|word| format!("`.{word}`")).collect();
        words.join(" and ")
    };
    let mut rules: Vec<String> = outline
        .groups
        .iter()
        .filter(|group| group.most > 1)
        .map(|group: &Group| format!("at most {} words of its {}", group.most, group.title))
        .collect();
    rules.extend(
        outline
            .apart
            .iter()
            .map(|pair| format!("{} do not go together", spelled(pair))),
    );
    let gates = outline.together.iter().filter_map(|(gate, words)| {
        Some(format!("{} together: {}", spelled(words), gate.phrase()?))
    });
    rules.extend(gates);
    let counts = outline
        .operands
        .iter()
        .map(|shape| shape.split_whitespace().count());
    let counts: Vec<String> = counts.map(|n| n.to_string()).collect();
    if counts.len() > 1 {
        rules.push(format!("takes {} operands", counts.join(" or ")));
    }
    rules
}
