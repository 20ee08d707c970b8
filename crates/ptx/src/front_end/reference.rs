//! Reference documentation of PTX: converts the instruction tables to forms and explained instructions.

use crate::hover::keywords;
use warpgrid_isa::form::syntax::OperandPosition;
use warpgrid_isa::form::{
    BoundForm, FactSource, Form, FormSyntax, ModifierSlot, SlotKind, bind, forms_of, layouts,
};
use warpgrid_isa::sass::ptx_mapping;
use warpgrid_isa::{ModifierSpelling, SpecialRegister, Target};
use warpgrid_program::{
    Explanation, FormDoc, ModifierDoc, OperandDoc, SlotDoc, TermDoc, TokenDoc, TokenDocKind,
};

/// Returns the documentation of all forms, in table order.
pub(crate) fn forms() -> Vec<FormDoc> {
    layouts().iter().map(form).collect()
}

/// CUDA C++ names of special registers.
const CUDA_NAMES: &[(&str, &str)] = &[
    ("%tid", "threadIdx"),
    ("%ntid", "blockDim"),
    ("%ctaid", "blockIdx"),
    ("%nctaid", "gridDim"),
];

/// Returns the documentation of the special registers, the state spaces and the directives.
pub(crate) fn terms() -> Vec<TermDoc> {
    let families = SpecialRegister::families().into_iter();
    let term = |(register, spelled): (SpecialRegister, Vec<String>)| {
        let (first, last) = (spelled.first()?, spelled.last()?);
        let stem = first.split_once('.').map(|(stem, _)| stem.to_owned());
        Some(TermDoc {
            name: match spelled.len() {
                1 => first.clone(),
                _ => format!("{first} to {last}"),
            },
            help: format!(
                "Special register: {}. The register is read-only and has {} bits.",
                register.help(),
                register.width_bits()
            ),
            needs: register.gate().phrase(),
            aliases: stem
                .into_iter()
                .chain(spelled)
                .flat_map(|spelling| [cuda_name(&spelling), Some(spelling)])
                .flatten()
                .collect(),
        })
    };
    families.filter_map(term).chain(keywords::terms()).collect()
}

/// Returns the CUDA C++ name of a special register, such as `threadIdx.x` for `%tid.x`.
fn cuda_name(register: &str) -> Option<String> {
    let (stem, component) = match register.split_once('.') {
        Some((stem, component)) => (stem, Some(component)),
        None => (register, None),
    };
    let (_, name) = CUDA_NAMES.iter().find(|(own, _)| *own == stem)?;
    Some(match component {
        Some(component) => format!("{name}.{component}"),
        None => (*name).to_owned(),
    })
}

/// Explains an opcode, or each modifier of an instruction.
pub(crate) fn explain(instruction: &str) -> Option<Explanation> {
    let mnemonic = instruction.split_whitespace().next()?.trim_end_matches(';');
    let mut words = mnemonic.split('.');
    let opcode = words.next()?;
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        let forms: Vec<FormDoc> = forms_of(opcode).map(form).collect();
        return (!forms.is_empty()).then_some(Explanation::Opcode(forms));
    }
    let named: Vec<FormDoc> = forms_of(opcode)
        .filter(|layout| begins_with(layout, &words))
        .map(form)
        .collect();
    if !named.is_empty() {
        return Some(Explanation::Opcode(named));
    }
    let bound = bind(opcode, &words, None)?;
    let explained = words.iter().enumerate();
    Some(Explanation::Instruction {
        mnemonic: mnemonic.to_owned(),
        form: Box::new(form(bound.layout)),
        words: explained
            .map(|(index, word)| TokenDoc {
                text: (*word).to_owned(),
                meaning: meaning(&bound, index),
            })
            .collect(),
        faults: Vec::new(),
        equivalents: beside(&bound),
    })
}

/// Returns the SASS counterparts of a store by architecture.
fn beside(bound: &BoundForm) -> Vec<String> {
    let modifiers = bound.modifiers();
    let operation = bound.layout.form.operation;
    let codes = ptx_mapping::GENERATIONS.iter().filter_map(|(name, on)| {
        let target = Target::from_name(name)?;
        let code = ptx_mapping::machine_code(operation, &modifiers, target)?;
        Some(format!("{}: `{code}`", on.text()?))
    });
    let mut lines: Vec<String> = codes.collect();
    if !lines.is_empty() {
        lines.insert(0, format!("SASS, {}", ptx_mapping::APPROXIMATION));
    }
    lines
}

/// Returns whether the words equal the first required literal modifiers of the form. For example, `cp.async.bulk` is not an instruction,
/// but the common prefix of several names.
fn begins_with(layout: &FormSyntax, words: &[&str]) -> bool {
    let mut literals = layout.slots.iter().map_while(|slot| match slot.kind {
        SlotKind::Literal(text, _) if slot.required => Some(text),
        SlotKind::Literal(..) | SlotKind::Set(_) => None,
    });
    words.iter().all(|word| literals.next() == Some(*word))
}

/// Returns the meaning of the modifier at `index` of a bound instruction.
fn meaning(bound: &BoundForm, index: usize) -> Option<TokenDocKind> {
    let bindings = bound.layout.slots.iter().zip(&bound.slots);
    let mut found = bindings.filter_map(|(slot, binding)| Some((slot, binding.as_ref()?)));
    let (slot, binding) = found.find(|(_, binding)| binding.word == index)?;
    Some(match binding.value {
        Some(found) => TokenDocKind::Value {
            slot: title(slot).to_owned(),
            value: ModifierDoc {
                needs: bound.gate_of(index).phrase(),
                ..value(found)
            },
        },
        None => TokenDocKind::Literal(slot.help().unwrap_or_default().to_owned()),
    })
}

fn form(layout: &FormSyntax) -> FormDoc {
    let form = layout.form;
    FormDoc {
        opcode: layout.opcode.to_owned(),
        syntax: form.syntax.to_owned(),
        help: form.help.to_owned(),
        needs: form.gate.phrase(),
        section: form.section.to_owned(),
        slots: layout.slots.iter().map(slot).collect(),
        operands: layout
            .operands
            .iter()
            .filter_map(|o| operand(o, layout))
            .collect(),
        rules: form.rules.iter().map(|rule| rule.sentence()).collect(),
        examples: examples(form).iter().map(|&line| line.to_owned()).collect(),
        beside: Vec::new(),
    }
}

#[cfg(feature = "examples")]
const fn examples(form: &Form) -> &'static [&'static str] {
    form.accepted_examples
}

/// Returns no examples, because the table rows contain examples only with the feature `examples`.
#[cfg(not(feature = "examples"))]
const fn examples(_: &Form) -> &'static [&'static str] {
    &[]
}

fn operand(operand: &OperandPosition, layout: &FormSyntax) -> Option<OperandDoc> {
    Some(OperandDoc {
        name: operand.name.to_owned(),
        help: layout.help_of(operand)?,
        required: !operand.optional,
    })
}

fn slot(slot: &ModifierSlot) -> SlotDoc {
    SlotDoc {
        name: slot.name.to_owned(),
        title: title(slot).to_owned(),
        required: slot.required,
        values: match slot.kind {
            SlotKind::Set(set) => set.values.iter().map(value).collect(),
            // The name of a form contains the modifiers that all instructions of the form share.
            SlotKind::Literal(..) if slot.required => Vec::new(),
            SlotKind::Literal(text, _) => vec![ModifierDoc {
                text: text.to_owned(),
                members: Vec::new(),
                help: slot.help().unwrap_or_default().to_owned(),
                needs: None,
                origin: FactSource::Documented.text(),
            }],
        },
    }
}

fn title(slot: &ModifierSlot) -> &'static str {
    match slot.kind {
        SlotKind::Set(set) => set.title,
        SlotKind::Literal(..) => "modifier",
    }
}

fn value(value: &ModifierSpelling) -> ModifierDoc {
    ModifierDoc {
        text: value.text.to_owned(),
        members: Vec::new(),
        help: value.help.to_owned(),
        needs: value.gate.phrase(),
        origin: value.gate.origin.text(),
    }
}
