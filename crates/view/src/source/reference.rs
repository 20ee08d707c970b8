//! Reference pages of all instruction forms and all diagnostics, and the text of the `explain` command. The pages of instruction forms are
//! generated from the instruction tables.

use crate::diagnostics;
use crate::model::text::DiagnosticView;
use crate::source::check::{CheckOptions, check};
use crate::source::{front_ends, glossary};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use warpgrid_launch::SourceLanguage;
use warpgrid_program::{DiagnosticDoc, Explanation, FormDoc, TokenDoc, TokenDocKind};
pub use warpgrid_program::{ModifierDoc, OperandDoc, SlotDoc, TermDoc};

/// Codes of unknown modifiers, illegal combinations of modifiers, and missing modifiers.
const FAULTS_OF_FORMS: [&str; 6] = ["W0100", "W0101", "W0102", "W0103", "W0104", "W0105"];

/// Reference page of an instruction form, which hosts display: syntax, requirements, rules and modifiers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FormPage {
    /// Opcode of the instruction: `st`.
    pub opcode: String,
    /// Opcode with the modifiers that always follow it in this form: `wmma.store.d.sync`.
    pub title: String,
    /// Syntax line of the instruction form.
    pub syntax: String,
    pub help: String,
    /// PTX version and target that the form requires: "since PTX 8.1, on `sm_90` and later".
    pub needs: Option<String>,
    /// Anchor of the section in the PTX ISA manual that describes the form. The text is empty for an instruction of which only the
    /// modifiers are known.
    pub section: String,
    pub slots: Vec<SlotDoc>,
    pub operands: Vec<OperandDoc>,
    /// Phrases that state the rules for combinations of the modifiers.
    pub rules: Vec<String>,
    pub examples: Vec<String>,
}

/// Reference page of a diagnostic code, which hosts display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CodePage {
    pub code: String,
    pub title: String,
    pub explanation: String,
    pub wrong: String,
    pub right: String,
}

/// All reference pages of instruction forms, diagnostics and terms, which the page loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferencePages {
    pub forms: Vec<FormPage>,
    pub codes: Vec<CodePage>,
    pub terms: Vec<TermDoc>,
}

/// Returns all instruction forms, diagnostics and terms.
pub fn pages() -> ReferencePages {
    ReferencePages {
        forms: forms(),
        codes: codes(),
        terms: terms(),
    }
}

/// Returns all terms that the reference explains. General terms precede the terms of each language.
pub fn terms() -> Vec<TermDoc> {
    let languages = SourceLanguage::ALL
        .iter()
        .flat_map(|front| front_ends::reference(*front).terms());
    glossary::terms().chain(languages).collect()
}

/// Returns the opcodes of all instructions of a language, without modifiers.
pub fn opcodes(front: SourceLanguage) -> BTreeSet<String> {
    let forms = front_ends::reference(front).forms().into_iter();
    let first_word = |opcode: String| opcode.split('.').next().unwrap_or_default().to_owned();
    forms.map(|form| first_word(form.opcode)).collect()
}

/// Returns the pages of all forms of PTX instructions in table order.
pub fn forms() -> Vec<FormPage> {
    let forms = front_ends::reference(SourceLanguage::default()).forms();
    forms.into_iter().map(FormPage::from).collect()
}

/// Returns the pages of all diagnostics in order of their codes.
pub fn codes() -> Vec<CodePage> {
    let own = SourceLanguage::ALL
        .iter()
        .flat_map(|front| front_ends::reference(*front).codes());
    let mut pages: Vec<DiagnosticDoc> = own.collect();
    pages.extend(warpgrid_launch::diagnostics::PAGES);
    pages.extend(diagnostics::PAGES);
    #[cfg(feature = "paste")]
    pages.extend(warpgrid_paste::diagnostics::CODES);
    pages.sort_by_cached_key(|page| page.code);
    pages.into_iter().map(CodePage::from).collect()
}

/// Explains a diagnostic code (`W0123`), an assembler remark (`C7510`), an instruction (`st.global.v4.f32`), a special register (`%tid.x`) or a term (`bank conflict`).
/// Returns `None` for any other subject.
pub fn explain(subject: &str) -> Option<String> {
    let subject = subject.trim();
    let mut pages = codes().into_iter();
    if let Some(page) = pages.find(|page| page.code.eq_ignore_ascii_case(subject)) {
        return Some(code_text(&page));
    }
    let mut terms = terms().into_iter();
    if let Some(term) = terms.find(|term| term.is_called(subject)) {
        return Some(term_text(&term));
    }
    #[cfg(feature = "paste")]
    if let Some(text) = warpgrid_paste::explain_remark(subject) {
        return Some(text);
    }
    let mut languages = SourceLanguage::ALL.iter();
    languages.find_map(|front| {
        let explanation = front_ends::reference(*front).explain(subject)?;
        Some(explanation_text(*front, explanation))
    })
}

fn explanation_text(front: SourceLanguage, explanation: Explanation) -> String {
    match explanation {
        Explanation::Opcode(forms) => {
            let pages = forms.into_iter().map(|mut form| {
                let beside = std::mem::take(&mut form.beside);
                form_text(&form.into()) + &beside_text(&beside)
            });
            pages.collect::<Vec<_>>().join("\n")
        }
        Explanation::Instruction {
            mnemonic,
            form,
            words,
            mut faults,
            equivalents: beside,
        } => {
            faults.extend(faults_of_form(front, &mnemonic));
            // A SASS form that is missing in the tables may exist, because the forms of SASS instructions are not documented.
            let fault = match front {
                SourceLanguage::Ptx => "no such form",
                SourceLanguage::Sass => "unknown form",
            };
            let faults = faults.iter().map(|reason| format!("  {fault}: {reason}\n"));
            instruction_text(
                &mnemonic,
                &(*form).into(),
                &words,
                &faults.collect::<String>(),
                &beside,
            )
        }
    }
}

/// Returns the reasons why no form of a PTX instruction has this mnemonic, with the legal modifiers. Returns an empty list if the mnemonic
/// is legal. The check ignores operands.
fn faults_of_form(front: SourceLanguage, mnemonic: &str) -> Vec<String> {
    if front != SourceLanguage::Ptx {
        return Vec::new();
    }
    let report = check(&format!("{mnemonic};"), &CheckOptions::default());
    let errors = report.diagnostics.into_iter();
    let errors = errors.filter(|found| FAULTS_OF_FORMS.contains(&found.code.as_str()));
    let text = |found: DiagnosticView| match found.help {
        Some(help) => format!("{} ({help})", found.message),
        None => found.message,
    };
    errors.map(text).collect()
}

impl From<DiagnosticDoc> for CodePage {
    fn from(facts: DiagnosticDoc) -> CodePage {
        let lines: Vec<&str> = facts.explanation.lines().map(str::trim).collect();
        CodePage {
            code: facts.code.to_owned(),
            title: facts.title.to_owned(),
            explanation: lines.join(" ").trim().to_owned(),
            wrong: facts.wrong.to_owned(),
            right: facts.right.to_owned(),
        }
    }
}

impl From<FormDoc> for FormPage {
    fn from(facts: FormDoc) -> FormPage {
        let mut slots = facts.slots;
        for slot in &mut slots {
            slot.values = families(&slot.values);
        }
        let names = slots.iter().take_while(|slot| slot.is_name());
        FormPage {
            title: names.fold(facts.opcode.clone(), |title, slot| title + "." + &slot.name),
            opcode: facts.opcode,
            syntax: facts.syntax,
            help: facts.help,
            needs: facts.needs,
            section: facts.section,
            slots,
            operands: facts.operands,
            rules: facts.rules,
            examples: facts.examples,
        }
    }
}

/// Returns the values of a modifier. The function combines values that differ only in one number: `m64n{8…256 step 8}k16`.
fn families(values: &[ModifierDoc]) -> Vec<ModifierDoc> {
    let mut families = Vec::new();
    let mut rest = values;
    while let Some(first) = rest.first() {
        let (page, n) = family(rest).unwrap_or_else(|| (first.clone(), 1));
        families.push(page);
        rest = rest.get(n..).unwrap_or_default();
    }
    families
}

/// Minimum number of values that the function combines to one value.
const FAMILY: usize = 4;

/// Returns the combination of the first values of the list, and the number of values that the combination represents.
fn family(values: &[ModifierDoc]) -> Option<(ModifierDoc, usize)> {
    let [first, second, ..] = values else {
        return None;
    };
    let numbers = |text: &str| -> Vec<(usize, usize)> {
        let bytes = text.as_bytes();
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let starts = (0..bytes.len()).filter(|at| is_digit(*at) && !(*at > 0 && is_digit(at - 1)));
        starts
            .map(|start| (start, (start..).find(|at| !is_digit(*at)).unwrap_or(start)))
            .collect()
    };
    numbers(&first.text).into_iter().find_map(|(start, end)| {
        let (before, after) = (first.text.get(..start)?, first.text.get(end..)?);
        let number = |value: &ModifierDoc| -> Option<u64> {
            let facts = |value: &ModifierDoc| ModifierDoc {
                text: String::new(),
                ..value.clone()
            };
            let is_like = facts(value) == facts(first);
            let rest = value.text.strip_prefix(before).filter(|_| is_like)?;
            rest.strip_suffix(after)?.parse().ok()
        };
        let least = number(first)?;
        let step = number(second)?
            .checked_sub(least)
            .filter(|step| *step > 0)?;
        let expected = (0..).map(|i| least.checked_add(step.checked_mul(i)?));
        let n = values.iter().zip(expected);
        let n = n
            .take_while(|(value, expected)| number(value) == *expected)
            .count();
        let most = number(values.get(n.checked_sub(1)?)?)?;
        let text = format!("{before}{{{least}…{most} step {step}}}{after}");
        (n >= FAMILY).then(|| {
            let members = values.iter().take(n).map(|value| value.text.clone());
            let page = ModifierDoc {
                text,
                members: members.collect(),
                ..first.clone()
            };
            (page, n)
        })
    })
}

fn code_text(page: &CodePage) -> String {
    format!(
        "{}: {}\n\n{}\n\nwrong:  {}\nright:  {}\n",
        page.code, page.title, page.explanation, page.wrong, page.right
    )
}

fn term_text(page: &TermDoc) -> String {
    let help = page.help.replace('\n', "\n  ");
    let mut text = format!("{}\n  {help}\n", page.name);
    text.extend(page.needs.iter().map(|needs| format!("  {needs}\n")));
    text
}

/// Formats a requirement in parentheses, for the end of a sentence.
fn in_brackets(needs: Option<&String>) -> String {
    needs.map_or(String::new(), |needs| format!(" ({needs})"))
}

fn form_text(page: &FormPage) -> String {
    let mut text = format!("{}\n  {}\n", page.syntax, page.help);
    text.extend(page.needs.iter().map(|needs| format!("  {needs}\n")));
    for slot in page.slots.iter().filter(|slot| !slot.is_name()) {
        let optional = if slot.required { "" } else { ", optional" };
        if let [value] = slot.values.as_slice()
            && value.text == slot.name
        {
            let help = value.help.trim_end_matches('.');
            text += &format!("\n  .{}  {help}{optional}\n", slot.name);
            continue;
        }
        text += &format!("\n  .{}  {}{optional}\n", slot.name, slot.title);
        for value in &slot.values {
            let needs = in_brackets(value.needs.as_ref());
            text += &format!("    .{}  {}{needs}\n", value.text, value.help);
        }
    }
    if !page.operands.is_empty() {
        text += "\n  operands\n";
    }
    for operand in &page.operands {
        let optional = if operand.required { "" } else { ", optional" };
        text += &format!("    {}  {}{optional}\n", operand.name, operand.help);
    }
    if !page.rules.is_empty() {
        text += "\n  rules\n";
        text.extend(page.rules.iter().map(|rule| format!("    {rule}\n")));
    }
    text
}

/// Formats the explanation of each modifier of an instruction.
fn instruction_text(
    mnemonic: &str,
    page: &FormPage,
    words: &[TokenDoc],
    faults: &str,
    beside: &[String],
) -> String {
    let mut text = format!("{mnemonic}\n{faults}");
    text += &format!("  {}\n  {}\n", page.help, page.syntax.replace('\n', "\n  "));
    text.extend(page.needs.iter().map(|needs| format!("  {needs}\n")));
    for word in words {
        text += &match &word.meaning {
            Some(TokenDocKind::Value { slot, value }) => {
                let needs = in_brackets(value.needs.as_ref());
                format!("\n  .{}  {slot}: {}{needs}", word.text, value.help)
            }
            Some(TokenDocKind::Literal(help)) => format!("\n  .{}  {help}", word.text),
            None => format!(
                "\n  .{}  this form does not support the modifier",
                word.text
            ),
        };
    }
    if !words.is_empty() {
        text.push('\n');
    }
    text + &beside_text(beside)
}

/// Formats the equivalent lines in another language and the notes, after an empty line.
fn beside_text(lines: &[String]) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let indentation = if index == 0 { "\n  " } else { "    " };
        text += &format!("{indentation}{line}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explain_reports_nonexistent_form() {
        let text = explain("shfl.sync.idx.b64").expect("a known instruction");
        assert!(
            text.contains("no such form: `shfl` does not support type `.b64` (expected `.b32`)"),
            "{text}"
        );
        for legal in ["shfl.sync.idx.b32", "add.sat.u32", "st.global.v4.f32"] {
            let text = explain(legal).expect("a known instruction");
            assert!(!text.contains("no such form"), "{text}");
        }
    }

    #[test]
    fn explain_shows_sass_operands_and_ptx_counterpart() {
        for (subject, part) in [
            ("IADD3", "IADD3 Rd{, Pd{, Pe}}, Ra, Rb, Rc\n"),
            ("IADD3", "PTX counterparts include `add.s32`"),
            (
                "BSSY",
                "PTX counterpart: none, because `ptxas` inserts the opcode",
            ),
            (
                "XMAD",
                "The emulator recognizes this opcode, but does not execute the instruction.\n",
            ),
            (
                "LDG.E.BOGUS",
                "unknown form: unknown modifier `.BOGUS` of `LDG` (known modifiers: `.",
            ),
        ] {
            let text = explain(subject).expect("a known instruction");
            assert!(text.contains(part), "{subject}: {text}");
        }
    }

    #[test]
    fn explain_covers_versions_toolkits_drivers_and_targets() {
        for (subject, part) in [
            ("8.8", "CUDA 12.9 (driver r575). New targets: `sm_100f`"),
            (
                "CUDA 12.6",
                "writes PTX 8.5, and `ptxas` reads PTX up to this version",
            ),
            (
                "12.4",
                "writes PTX 8.4, and `ptxas` reads PTX up to this version",
            ),
            ("r570", "PTX up to version 8.7"),
            (
                "sm_90a",
                "runs only on compute capability 9.0. The target requires PTX 8.0 or later. This version requires CUDA 12.0 (driver r525)",
            ),
            ("sm_100f", "compute capability 10.0, 10.3, 10.7"),
            ("compute_80", "compute capability 8.0 and later"),
            (
                "versions",
                "\n  PTX 7.8: CUDA 11.8 (driver r520). New targets: `sm_89`, `sm_90`.\n",
            ),
        ] {
            let text = explain(subject).expect("a known word");
            assert!(text.contains(part), "{subject}: {text}");
        }
    }

    #[test]
    fn explain_describes_each_modifier_of_instruction() {
        let text = explain("st.global.v4.f32 [p], {a, b, c, d};").expect("a known instruction");
        assert!(
            text.contains(".global  state space:") && text.contains(".v4  "),
            "{text}"
        );
        assert!(
            text.contains("`sm_80` to `sm_89`: `STG.E.128 [R2.64], R4`"),
            "{text}"
        );
        let text = explain("STS.64 [R2], R4").expect("a store of machine code");
        assert!(text.contains("`st.shared.v2.b32`"), "{text}");
        assert!(explain("st").is_some_and(|text| text.contains(".cop")));
        assert_eq!(explain("no such thing"), None);
    }

    #[test]
    fn modifier_availability_depends_on_other_modifiers() {
        let wide = explain("st.global.v8.f32").expect("a known instruction");
        assert!(
            wide.contains(
                ".v8  vector width: eight elements (since PTX 8.8, on `sm_100` and later)"
            ),
            "{wide}"
        );
        let narrow = explain("st.global.v8.b8").expect("a known instruction");
        assert!(!narrow.contains("8.8"), "{narrow}");
    }

    #[test]
    fn shared_opcode_name_lists_all_instructions() {
        let text = explain("cp.async.bulk").expect("a name");
        assert!(
            text.contains("cp.async.bulk.dst.src.completion_mechanism")
                && text.contains("commit_group"),
            "{text}"
        );
    }

    #[test]
    fn explain_covers_special_registers_and_glossary_terms() {
        for (subject, part) in [
            ("%tid", "index of the thread in its block"),
            ("%tid.y", "32 bits"),
            (
                "%lanemask_lt",
                "bit mask of all lanes lower than the executing lane",
            ),
            ("bank conflict", "32 banks"),
            ("Misaligned", "multiple"),
            ("//@", "launch"),
        ] {
            let text = explain(subject).unwrap_or_default();
            assert!(text.contains(part), "{subject}: {text}");
        }
        // No term may have the name of an instruction, because the term would hide the instruction.
        for term in terms()
            .iter()
            .flat_map(|term| term.aliases.iter().chain([&term.name]))
        {
            assert!(forms().iter().all(|form| form.opcode != *term), "{term}");
        }
    }

    #[test]
    fn every_diagnostic_code_has_explanation() {
        for page in codes() {
            assert!(
                !page.explanation.is_empty() && !page.right.is_empty(),
                "{}",
                page.code
            );
            assert!(explain(&page.code).is_some());
        }
    }

    #[test]
    fn modifiers_differing_in_one_number_are_grouped() {
        let form = forms()
            .into_iter()
            .find(|form| form.title == "wgmma.mma_async.sync")
            .expect("a form");
        let slot = form.slots.iter().find(|slot| slot.name == "shape");
        let values = &slot.expect("a slot").values;
        let [shapes] = values.as_slice() else {
            panic!("{values:?}");
        };
        assert_eq!(shapes.text, "m64n{8…256 step 8}k16");
        assert_eq!(shapes.members.len(), 32);
        assert_eq!(
            shapes.members.last().map(String::as_str),
            Some("m64n256k16")
        );
    }

    #[test]
    fn every_ptx_form_with_operands_explains_operands() {
        for form in forms() {
            let names = form.syntax.split_once(' ').map_or("", |(_, names)| names);
            let n = names
                .split(',')
                .filter(|name| !name.trim().is_empty())
                .count();
            assert!(
                n == 0 || !form.operands.is_empty(),
                "{}: no operand is explained",
                form.syntax
            );
        }
    }
}
