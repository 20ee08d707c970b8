//! The reference of SASS as plain data: rows of the tables go in, forms and explained instructions come out.

use crate::mnemonic::bind;
use warpgrid_isa::TargetGate;
use warpgrid_isa::sass::control::Control;
use warpgrid_isa::sass::opcodes::OPCODES;
use warpgrid_isa::sass::stores::STORES;
use warpgrid_isa::sass::{Opcode, Slot, Store, Word, find_opcode, find_store, pairs};
use warpgrid_program::{Explanation, FormFacts, SlotFacts, ValueFacts, WordFacts, WordMeaning};

/// Every form: the stores with their words, then the other opcodes.
pub(crate) fn forms() -> Vec<FormFacts> {
    let others = OPCODES.iter().filter(|row| find_store(row.name).is_none());
    STORES.iter().map(store).chain(others.map(opcode)).collect()
}

/// Explains an opcode, or a store word by word, and control information alone or before an instruction.
pub(crate) fn explain(instruction: &str) -> Option<Explanation> {
    let instruction = instruction.trim();
    let Some((control, length)) = Control::read(instruction) else {
        return explain_instruction(instruction);
    };
    let sentences = control.fields(None).sentences();
    let (text, rest) = instruction.split_at(length);
    let mut forms = vec![FormFacts {
        opcode: text.to_owned(),
        syntax: text.to_owned(),
        help: format!(
            "Control information for the scheduler, without effect on results. {}",
            sentences.join(" ")
        ),
        needs: None,
        section: String::new(),
        slots: Vec::new(),
        operands: Vec::new(),
        rules: Vec::new(),
        examples: Vec::new(),
    }];
    match explain_instruction(rest) {
        Some(Explanation::Opcode(opcodes)) => forms.extend(opcodes),
        Some(Explanation::Instruction { form, .. }) => forms.push(*form),
        None => {}
    }
    Some(Explanation::Opcode(forms))
}

fn explain_instruction(instruction: &str) -> Option<Explanation> {
    let mut tokens = instruction.split_whitespace();
    let mnemonic = tokens.find(|token| !token.starts_with('@') && !token.starts_with("/*"))?;
    let mnemonic = mnemonic.trim_end_matches(';');
    let mut words = mnemonic.split('.');
    let name = words.next()?;
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let Some(row) = find_store(name) else {
        return find_opcode(name).map(|row| Explanation::Opcode(vec![opcode(row)]));
    };
    if words.is_empty() {
        return Some(Explanation::Opcode(vec![store(row)]));
    }
    let bound = bind(row, &words);
    let mut explained: Vec<(usize, WordFacts)> = Vec::new();
    for found in &bound.words {
        let slot = row.slots[found.slot];
        explained.push((
            found.parts.start,
            WordFacts {
                text: found.word.text.to_owned(),
                meaning: Some(WordMeaning::Value {
                    slot: slot.title.to_owned(),
                    value: value(found.word),
                }),
            },
        ));
    }
    for &index in &bound.unknown {
        let text = words[index].to_owned();
        let meaning = None;
        explained.push((index, WordFacts { text, meaning }));
    }
    let found: Vec<&Word> = bound.words.iter().map(|bound| bound.word).collect();
    let ptx = pairs::ptx(row, &found);
    explained.sort_by_cached_key(|(index, _)| *index as u64);
    Some(Explanation::Instruction {
        mnemonic: mnemonic.to_owned(),
        form: Box::new(store(row)),
        words: explained.into_iter().map(|(_, word)| word).collect(),
        beside: vec![format!("PTX, among others: `{ptx}`")],
    })
}

fn needs(gate: TargetGate) -> Option<String> {
    gate.text().map(|text| format!("on {text}"))
}

fn store(row: &Store) -> FormFacts {
    let addresses = row.addresses.iter().map(|form| {
        let needs = needs(form.on).map_or(String::new(), |needs| format!(" ({needs})"));
        format!("`{}`: {}{needs}", form.shape.syntax(), form.shape.help())
    });
    FormFacts {
        opcode: row.opcode.to_owned(),
        syntax: row.syntax.to_owned(),
        help: row.help.to_owned(),
        needs: needs(row.on),
        section: String::new(),
        slots: row.slots.iter().map(|row| slot(row)).collect(),
        operands: Vec::new(),
        rules: addresses.collect(),
        examples: row
            .good
            .iter()
            .map(|(_, text)| (*text).to_owned())
            .collect(),
    }
}

fn opcode(row: &Opcode) -> FormFacts {
    FormFacts {
        opcode: row.name.to_owned(),
        syntax: row.name.to_owned(),
        help: row.help.to_owned(),
        needs: needs(row.on),
        section: String::new(),
        slots: Vec::new(),
        operands: Vec::new(),
        rules: Vec::new(),
        examples: Vec::new(),
    }
}

fn slot(slot: &Slot) -> SlotFacts {
    SlotFacts {
        name: slot.name.to_owned(),
        title: slot.title.to_owned(),
        required: false,
        values: slot.words.iter().map(value).collect(),
    }
}

fn value(word: &Word) -> ValueFacts {
    ValueFacts {
        text: word.text.to_owned(),
        help: word.help.to_owned(),
        needs: needs(word.on),
        origin: "assembler 13.5".to_owned(),
    }
}
