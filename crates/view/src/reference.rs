//! The reference: every instruction form and every diagnostic, generated from the tables, and what
//! `explain` says of one of them.

use serde::{Deserialize, Serialize};
use warpgrid_isa::form::{Bound, Layout, Slot, SlotKind, bind, forms_of, layouts};
use warpgrid_isa::{Gate, Origin};
use warpgrid_ptx::diagnostics;

/// One instruction form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormPage {
    /// The first word: `st`.
    pub opcode: String,
    /// The syntax line.
    pub syntax: String,
    pub help: String,
    /// "since PTX 8.1, on `sm_90` and later".
    pub needs: Option<String>,
    /// Anchor of the section in the PTX ISA.
    pub section: String,
    pub slots: Vec<SlotPage>,
    /// What excludes or needs what, one phrase each.
    pub rules: Vec<String>,
    pub examples: Vec<String>,
}

/// One modifier position of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SlotPage {
    pub name: String,
    /// What the slot says, as a noun: "state space".
    pub title: String,
    pub required: bool,
    pub values: Vec<ValuePage>,
}

/// One modifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValuePage {
    pub text: String,
    pub help: String,
    pub needs: Option<String>,
    /// Where the fact comes from: "PTX ISA", "assembler 13.5", "measured on `sm_80`".
    pub origin: String,
}

/// The reference page of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CodePage {
    pub code: String,
    pub title: String,
    pub explanation: String,
    pub wrong: String,
    pub right: String,
}

/// Every form, in table order.
pub fn forms() -> Vec<FormPage> {
    layouts().iter().map(form_page).collect()
}

/// Every diagnostic, in order of its code.
pub fn codes() -> Vec<CodePage> {
    diagnostics::codes()
        .map(code_page)
        .chain(crate::catalogue::pages())
        .collect()
}

fn code_page(code: &diagnostics::Code) -> CodePage {
    CodePage {
        code: code.code.to_owned(),
        title: code.title.to_owned(),
        explanation: code
            .explanation
            .lines()
            .map(str::trim)
            .collect::<Vec<_>>()
            .join(" ")
            .trim()
            .to_owned(),
        wrong: code.wrong.to_owned(),
        right: code.right.to_owned(),
    }
}

fn form_page(layout: &Layout) -> FormPage {
    let form = layout.form;
    FormPage {
        opcode: layout.opcode.to_owned(),
        syntax: form.syntax.to_owned(),
        help: form.help.to_owned(),
        needs: gate_text(form.gate),
        section: form.section.to_owned(),
        slots: layout.slots.iter().map(slot_page).collect(),
        rules: form.rules().iter().map(|rule| rule.sentence()).collect(),
        examples: form
            .good
            .iter()
            .map(|&example| example.to_owned())
            .collect(),
    }
}

fn slot_page(slot: &Slot) -> SlotPage {
    let (title, values) = match slot.kind {
        SlotKind::Set(set) => (set.title, set.values.iter().map(value_page).collect()),
        SlotKind::Literal(_) => ("modifier", Vec::new()),
    };
    SlotPage {
        name: slot.name.to_owned(),
        title: title.to_owned(),
        required: slot.required,
        values,
    }
}

fn value_page(value: &warpgrid_isa::Value) -> ValuePage {
    ValuePage {
        text: value.text.to_owned(),
        help: value.help.to_owned(),
        needs: gate_text(value.gate),
        origin: origin_text(value.gate.origin),
    }
}

/// A gate as a person reads it; nothing for what was always there.
pub(crate) fn gate_text(gate: Gate) -> Option<String> {
    let version =
        (gate.ptx > warpgrid_isa::Version::new(1, 0)).then(|| format!("since PTX {}", gate.ptx));
    let target = (gate.sm > 10).then(|| format!("on `sm_{}` and later", gate.sm));
    match (version, target) {
        (None, None) => None,
        (Some(version), None) => Some(version),
        (None, Some(target)) => Some(target),
        (Some(version), Some(target)) => Some(format!("{version}, {target}")),
    }
}

fn origin_text(origin: Origin) -> String {
    match origin {
        Origin::Documented => "PTX ISA".to_owned(),
        Origin::Assembler(version) => format!("assembler {version}"),
        Origin::Measured(target) => format!("measured on `{target}`"),
    }
}

/// What a diagnostic code (`W0123`) or an instruction (`st.global.v4.f32`) means, as text; `None` when it is neither.
pub fn explain(subject: &str) -> Option<String> {
    let subject = subject.trim();
    if let Some(page) = codes()
        .into_iter()
        .find(|page| page.code.eq_ignore_ascii_case(subject))
    {
        return Some(format!(
            "{}: {}\n\n{}\n\nwrong:  {}\nright:  {}\n",
            page.code, page.title, page.explanation, page.wrong, page.right
        ));
    }
    let mnemonic = subject.split_whitespace().next()?.trim_end_matches(';');
    let mut words = mnemonic.split('.');
    let opcode = words.next()?;
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        let pages: Vec<String> = forms_of(opcode)
            .map(|layout| form_text(&form_page(layout)))
            .collect();
        return (!pages.is_empty()).then(|| pages.join("\n"));
    }
    bind(opcode, &words, None).map(|bound| bound_text(mnemonic, &words, &bound))
}

fn form_text(page: &FormPage) -> String {
    let mut text = format!("{}\n  {}\n", page.syntax, page.help);
    text.extend(page.needs.iter().map(|needs| format!("  {needs}\n")));
    for slot in &page.slots {
        text += &format!(
            "\n  .{}  {}{}\n",
            slot.name,
            slot.title,
            if slot.required { "" } else { ", optional" }
        );
        for value in &slot.values {
            text += &format!(
                "    .{}  {}{}\n",
                value.text,
                value.help,
                value
                    .needs
                    .as_ref()
                    .map_or(String::new(), |needs| format!(" ({needs})"))
            );
        }
    }
    if !page.rules.is_empty() {
        text += "\n  rules\n";
        text.extend(page.rules.iter().map(|rule| format!("    {rule}\n")));
    }
    text
}

/// An instruction word by word.
fn bound_text(mnemonic: &str, words: &[&str], bound: &Bound) -> String {
    let page = form_page(bound.layout);
    let mut text = format!("{mnemonic}\n  {}\n  {}\n", page.help, page.syntax);
    text.extend(page.needs.iter().map(|needs| format!("  {needs}\n")));
    for (index, word) in words.iter().enumerate() {
        let slot = bound
            .slots
            .iter()
            .enumerate()
            .find(|(_, binding)| binding.as_ref().is_some_and(|b| b.word == index));
        let line = match slot
            .and_then(|(at, binding)| Some((bound.layout.slots.get(at)?, binding.as_ref()?.value)))
        {
            Some((slot, Some(value))) => {
                let needs =
                    gate_text(value.gate).map_or(String::new(), |needs| format!(" ({needs})"));
                let title = slot_page(slot).title;
                format!("\n  .{word}  {title}: {}{needs}", value.help)
            }
            Some((_, None)) => format!("\n  .{word}"),
            None => format!("\n  .{word}  not a modifier that this form takes"),
        };
        text += &line;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_explained_word_by_word() {
        let text = explain("st.global.v4.f32 [p], {a, b, c, d};").expect("a known instruction");
        assert!(
            text.contains(".global  state space:") && text.contains(".v4  "),
            "{text}"
        );
        assert!(explain("st").is_some_and(|text| text.contains(".cop")));
        assert_eq!(explain("no such thing"), None);
    }

    #[test]
    fn every_code_has_a_page() {
        for page in codes() {
            assert!(
                !page.explanation.is_empty() && !page.right.is_empty(),
                "{}",
                page.code
            );
            assert!(explain(&page.code).is_some());
        }
    }
}
