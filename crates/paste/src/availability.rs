//! Lookup of the version and target requirement of a PTX feature by its name in assembler messages (`tcgen05.wait`, `.bf16x2`, `redux`).

use warpgrid_isa::form::{FormSyntax, SlotKind, bind, forms_of, layouts};
use warpgrid_isa::{Gate, Target, TargetRequirement, Version};

/// Returns the requirement of a feature in an assembler message, or `None` for an unknown feature.
pub(crate) fn gate_of(name: &str) -> Option<Gate> {
    match name.strip_prefix('.') {
        Some(word) => of_word(word),
        None => of_instruction(name.split_whitespace().next()?),
    }
}

/// Returns the requirement of an instruction with the named modifiers.
fn of_instruction(name: &str) -> Option<Gate> {
    let mut words = name.split('.');
    let opcode = words.next()?;
    let words: Vec<&str> = words.collect();
    if let Some(bound) = bind(opcode, &words, None).filter(|_| !words.is_empty()) {
        return Some(bound.layout.form.gate);
    }
    let mut forms = forms_of(opcode).filter(|layout| has_words(layout, &words));
    forms.next().map(|layout| layout.form.gate)
}

fn has_words(layout: &FormSyntax, words: &[&str]) -> bool {
    words.iter().all(|word| {
        layout.slots.iter().any(|slot| match slot.kind {
            SlotKind::Literal(text, _) => text == *word,
            SlotKind::Set(set) => set.values.iter().any(|value| value.text == *word),
        })
    })
}

/// Returns the requirement of a modifier. The result is the requirement of the first instruction form with this modifier.
fn of_word(word: &str) -> Option<Gate> {
    let gates = layouts().iter().flat_map(|layout| {
        layout.slots.iter().filter_map(|slot| match slot.kind {
            SlotKind::Literal(text, _) => (text == word).then_some(layout.form.gate),
            SlotKind::Set(set) => {
                let found = set.values.iter().find(|value| value.text == word)?;
                // If a modifier value has no gate, use the gate of its instruction form.
                Some(match found.gate.phrase() {
                    Some(_) => found.gate,
                    None => layout.form.gate,
                })
            }
        })
    });
    let known = gates.filter(|gate| gate.phrase().is_some());
    known.min_by_key(|gate| {
        let lacking = gate.lacking(Version::NEWEST, Target::default_target());
        (lacking.target.is_some(), gate.ptx)
    })
}

/// Returns the nearest target that satisfies `gate`, as a replacement for a target that does not satisfy it.
pub(crate) fn nearest_target(
    gate: Gate,
    stated: &Target,
    version: Version,
) -> Option<&'static Target> {
    let lacking: Option<TargetRequirement> = gate.lacking(version, stated).target;
    lacking?.lowest_from(stated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptxas_feature_names_resolve_to_gates() {
        let phrase = |name| {
            gate_of(name)
                .and_then(|gate| gate.phrase())
                .unwrap_or_default()
        };
        for name in [
            "tcgen05.wait",
            "redux",
            "elect",
            ".bf16x2",
            ".block_scale",
            "wgmma.fence",
        ] {
            assert!(!phrase(name).is_empty(), "{name}");
        }
        assert_eq!(gate_of("frobnicate").and_then(|gate| gate.phrase()), None);
    }
}
