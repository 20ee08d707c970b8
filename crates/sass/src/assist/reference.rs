//! SASS reference as plain data: converts table entries to documentation of instruction forms, and explains instructions.

mod operands;

use crate::lower::{ignores_modifiers, is_executed};
use crate::store_modifiers::bind;
use operands::{operands, store_operands};
use warpgrid_isa::TargetRequirement;
use warpgrid_isa::form::{alternatives, distance, nearest};
use warpgrid_isa::sass::control::Control;
use warpgrid_isa::sass::forms::{ModifierMeaning, ModifierName, SassModifierSlot, syntax_lines};
use warpgrid_isa::sass::opcodes::OPCODES;
use warpgrid_isa::sass::stores::STORES;
use warpgrid_isa::sass::{
    Counterpart, MnemonicSlot, SassOpcode, StoreModifier, StoreOpcode, SyntaxLine, find_forms,
    find_opcode, find_store, ptx_mapping,
};
use warpgrid_program::{Explanation, FormDoc, ModifierDoc, SlotDoc, TokenDoc, TokenDocKind};

/// Returns the documentation of all forms: first the stores with their modifiers, then all other opcodes.
pub(crate) fn forms() -> Vec<FormDoc> {
    let others = OPCODES.iter().filter(|row| find_store(row.name).is_none());
    STORES.iter().map(store).chain(others.map(opcode)).collect()
}

/// Explains an instruction or a control code. Accepts an opcode, a store with modifiers, a control code, or a control code before an
/// instruction.
pub(crate) fn explain(instruction: &str) -> Option<Explanation> {
    let instruction = instruction.trim();
    let Some((control, length)) = Control::read(instruction) else {
        return explain_instruction(instruction);
    };
    let sentences = control.fields(None).sentences();
    let (text, rest) = instruction.split_at(length);
    let mut forms = vec![FormDoc {
        opcode: text.to_owned(),
        syntax: text.to_owned(),
        help: format!(
            "Control information for the scheduler, which has no effect on results. {}",
            sentences.join(" ")
        ),
        needs: None,
        section: String::new(),
        slots: Vec::new(),
        operands: Vec::new(),
        rules: Vec::new(),
        examples: Vec::new(),
        beside: Vec::new(),
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
    match (find_store(name), find_opcode(name)) {
        (Some(row), _) if words.is_empty() => Some(Explanation::Opcode(vec![store(row)])),
        (Some(row), _) => Some(explain_store(mnemonic, row, &words)),
        (None, Some(row)) => Some(explain_opcode(mnemonic, row, &words)),
        (None, None) => None,
    }
}

fn explain_store(mnemonic: &str, row: &StoreOpcode, words: &[&str]) -> Explanation {
    let bound = bind(row, words);
    let mut explained: Vec<(usize, TokenDoc)> = Vec::new();
    for found in &bound.words {
        let slot = row.slots[found.slot];
        explained.push((
            found.parts.start,
            TokenDoc {
                text: found.word.text.to_owned(),
                meaning: Some(TokenDocKind::Value {
                    slot: slot.title.to_owned(),
                    value: value(found.word),
                }),
            },
        ));
    }
    let all: Vec<&str> = store_words(row).map(|word| word.text).collect();
    let mut faults = Vec::new();
    for &index in &bound.unknown {
        faults.push(no_modifier(row.opcode, words[index], &all));
        let text = words[index].to_owned();
        let meaning = None;
        explained.push((index, TokenDoc { text, meaning }));
    }
    for (index, word) in bound.words.iter().enumerate() {
        let mut earlier = bound.words[..index].iter();
        if let Some(first) = earlier.find(|first| first.slot == word.slot) {
            faults.push(format!(
                "`.{}` and `.{}` are mutually exclusive",
                first.word.text, word.word.text
            ));
        }
    }
    let found: Vec<&StoreModifier> = bound.words.iter().map(|bound| bound.word).collect();
    let ptx = ptx_mapping::ptx(row, &found);
    explained.sort_by_cached_key(|(index, _)| *index as u64);
    Explanation::Instruction {
        mnemonic: mnemonic.to_owned(),
        form: Box::new(store(row)),
        words: explained.into_iter().map(|(_, word)| word).collect(),
        faults,
        equivalents: vec![format!("PTX counterparts include `{ptx}`")],
    }
}

fn store_words(row: &StoreOpcode) -> impl Iterator<Item = &'static StoreModifier> {
    row.slots.iter().flat_map(|slot| slot.words)
}

/// Explains an instruction other than a store. The explanation of the modifiers is based on the syntax line that matches the modifiers
/// best.
fn explain_opcode(mnemonic: &str, row: &SassOpcode, words: &[&str]) -> Explanation {
    let mut form = opcode(row);
    let lines = syntax_lines(row.name);
    form.beside.extend(remarks(row.name, &lines));
    let fits = lines
        .iter()
        .map(|line| match_modifiers(row.name, line, words));
    let best = fits
        .min_by_key(ModifierMatch::n_faults)
        .filter(|_| !words.is_empty());
    // The table specifies modifiers only for opcodes that the emulator supports.
    let Some(best) = best.filter(|_| is_executed(row.name)) else {
        return Explanation::Opcode(vec![form]);
    };
    let all = all_words(row.name, &lines);
    let mut words = best.words;
    let mut faults: Vec<String> = Vec::new();
    if ignores_modifiers(row.name) {
        for word in words.iter_mut().filter(|word| word.meaning.is_none()) {
            let meaning = "undocumented modifier without effect on execution".to_owned();
            word.meaning = Some(TokenDocKind::Literal(meaning));
        }
    } else {
        let unknown = best.unknown.iter().map(|word| match all.contains(word) {
            true => format!("`.{word}` cannot be combined with the other modifiers"),
            false => no_modifier(row.name, word, &all),
        });
        faults.extend(unknown);
        let missing = best.missing.iter().map(|slot| {
            let words: Vec<&str> = slot
                .words(row.name)
                .into_iter()
                .map(|(word, _)| word)
                .collect();
            format!(
                "missing modifier, expected {}",
                alternatives(&words).unwrap_or_default()
            )
        });
        // An unknown modifier may be a misspelling of the missing modifier, so the missing modifier is not reported in addition.
        faults.extend(missing.filter(|_| best.unknown.is_empty()));
    }
    Explanation::Instruction {
        mnemonic: mnemonic.to_owned(),
        equivalents: form.beside.clone(),
        form: Box::new(form),
        words,
        faults,
    }
}

/// Match between the modifiers of an instruction and a syntax line.
struct ModifierMatch<'a> {
    words: Vec<TokenDoc>,
    unknown: Vec<&'a str>,
    /// Required modifier positions of the syntax line that have no modifier.
    missing: Vec<SassModifierSlot>,
}

impl ModifierMatch<'_> {
    fn n_faults(&self) -> usize {
        self.unknown.len() + self.missing.len()
    }
}

/// Binds each modifier to the first free position of the syntax line that accepts the modifier.
fn match_modifiers<'a>(opcode: &str, line: &SyntaxLine, words: &[&'a str]) -> ModifierMatch<'a> {
    let mut free: Vec<&SassModifierSlot> = line.modifiers.iter().collect();
    let (mut explained, mut unknown) = (Vec::new(), Vec::new());
    for word in words {
        let found = free.iter().enumerate().find_map(|(index, slot)| {
            let mut names = slot.alternatives.iter();
            Some((index, names.find_map(|name| name.meaning(opcode, word))?))
        });
        let meaning = found.map(|(index, meaning)| {
            free.remove(index);
            word_meaning(word, meaning)
        });
        if meaning.is_none() {
            unknown.push(*word);
        }
        explained.push(TokenDoc {
            text: (*word).to_owned(),
            meaning,
        });
    }
    let missing = free.into_iter().filter(|slot| slot.required);
    ModifierMatch {
        words: explained,
        unknown,
        missing: missing.cloned().collect(),
    }
}

fn word_meaning(word: &str, meaning: ModifierMeaning) -> TokenDocKind {
    match meaning.title {
        Some(title) => TokenDocKind::Value {
            slot: title.to_owned(),
            value: plain_value(word, meaning.help),
        },
        None => TokenDocKind::Literal(meaning.help.to_owned()),
    }
}

/// Maximum number of legal modifiers listed in a message.
const MAX_NAMED: usize = 12;

/// Returns the message for a modifier that the opcode does not accept.
fn no_modifier(opcode: &str, found: &str, legal: &[&str]) -> String {
    if legal.is_empty() {
        return format!(
            "unknown modifier `.{found}` of `{opcode}`, whose modifiers are not documented"
        );
    }
    let near = nearest(found, legal.iter().copied());
    let near = near.map_or(String::new(), |near| format!("did you mean `.{near}`? "));
    let mut nearest_first = legal.to_vec();
    if legal.len() > MAX_NAMED {
        nearest_first.sort_by_cached_key(|word| distance(found, word) as u64);
    }
    let n_named = legal.len().min(MAX_NAMED);
    let expected = match legal.len() - n_named {
        0 => alternatives(&nearest_first).unwrap_or_default(),
        n_others => {
            let named = nearest_first[..n_named].iter();
            let named: Vec<String> = named.map(|word| format!("`.{word}`")).collect();
            format!("{} or {n_others} others", named.join(", "))
        }
    };
    format!("unknown modifier `.{found}` of `{opcode}` ({near}known modifiers: {expected})")
}

fn needs(gate: TargetRequirement) -> Option<String> {
    gate.text().map(|text| format!("on {text}"))
}

fn store(row: &StoreOpcode) -> FormDoc {
    let addresses = row.addresses.iter().map(|form| {
        let needs = needs(form.on).map_or(String::new(), |needs| format!(" ({needs})"));
        format!("`{}`: {}{needs}", form.shape.syntax(), form.shape.help())
    });
    FormDoc {
        opcode: row.opcode.to_owned(),
        syntax: row.syntax.to_owned(),
        help: row.help.to_owned(),
        needs: needs(row.on),
        section: String::new(),
        slots: row.slots.iter().map(|row| slot(row)).collect(),
        operands: store_operands(row),
        rules: addresses.collect(),
        examples: row
            .good
            .iter()
            .map(|(_, text)| (*text).to_owned())
            .collect(),
        beside: vec![format!(
            "PTX counterparts include `{}`",
            ptx_mapping::ptx(row, &[])
        )],
    }
}

fn opcode(row: &SassOpcode) -> FormDoc {
    let lines = syntax_lines(row.name);
    let syntax: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let counterpart = find_forms(row.name).map(|(forms, _)| forms.counterpart);
    FormDoc {
        opcode: row.name.to_owned(),
        syntax: match syntax.is_empty() {
            true => row.name.to_owned(),
            false => syntax.join("\n"),
        },
        help: row.help.to_owned(),
        needs: needs(row.on),
        section: String::new(),
        slots: modifier_slots(row.name, &lines),
        operands: operands(&lines),
        rules: Vec::new(),
        examples: Vec::new(),
        beside: counterpart.into_iter().map(counterpart_line).collect(),
    }
}

fn counterpart_line(counterpart: Counterpart) -> String {
    match counterpart {
        Counterpart::Ptx(mnemonics) => {
            let quoted = mnemonics.split(", ").map(|name| format!("`{name}`"));
            format!(
                "PTX counterparts include {}",
                quoted.collect::<Vec<_>>().join(", ")
            )
        }
        Counterpart::None(reason) => format!("PTX counterpart: none, because {reason}."),
    }
}

/// Returns remarks about the execution of an opcode in the emulator.
fn remarks(opcode: &str, lines: &[SyntaxLine]) -> Vec<String> {
    let mut remarks = Vec::new();
    if !is_executed(opcode) {
        remarks.push(
            "The emulator recognizes this opcode, but does not execute the instruction.".to_owned(),
        );
        if lines.is_empty() {
            remarks.push("The operands are not documented.".to_owned());
        }
    } else if ignores_modifiers(opcode) {
        remarks
            .push("The emulator executes this opcode with all operands and modifiers.".to_owned());
    }
    remarks
}

/// Returns the distinct modifier positions of all syntax lines. A position is required if every syntax line requires it.
fn modifier_slots(opcode: &str, lines: &[SyntaxLine]) -> Vec<SlotDoc> {
    let mut names: Vec<ModifierName> = Vec::new();
    let all = lines.iter().flat_map(|line| &line.modifiers);
    for name in all.flat_map(|slot| &slot.alternatives) {
        if !names.contains(name) {
            names.push(*name);
        }
    }
    let is_required = |name: &ModifierName| {
        let requires = |slot: &SassModifierSlot| slot.required && slot.alternatives == [*name];
        let mut lines = lines.iter();
        lines.all(|line| line.modifiers.iter().any(requires))
    };
    let facts = |name: ModifierName| {
        let words = name.words(opcode).into_iter();
        let (text, title) = match name {
            ModifierName::Literal(text) => (text, "modifier"),
            ModifierName::Set(set) => (set.name, set.title),
        };
        SlotDoc {
            name: text.to_owned(),
            title: title.to_owned(),
            required: is_required(&name),
            values: words.map(|(word, help)| plain_value(word, help)).collect(),
        }
    };
    names.into_iter().map(facts).collect()
}

/// Returns the distinct modifiers of all syntax lines.
fn all_words(opcode: &str, lines: &[SyntaxLine]) -> Vec<&'static str> {
    let mut words = Vec::new();
    for slot in lines.iter().flat_map(|line| &line.modifiers) {
        for (word, _) in slot.words(opcode) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }
    words
}

fn plain_value(word: &str, help: &str) -> ModifierDoc {
    ModifierDoc {
        text: word.to_owned(),
        members: Vec::new(),
        help: help.to_owned(),
        needs: None,
        origin: "listings of code generated by `ptxas` 11.8 to 13.5".to_owned(),
    }
}

fn slot(slot: &MnemonicSlot) -> SlotDoc {
    SlotDoc {
        name: slot.name.to_owned(),
        title: slot.title.to_owned(),
        required: false,
        values: slot.words.iter().map(value).collect(),
    }
}

fn value(word: &StoreModifier) -> ModifierDoc {
    ModifierDoc {
        text: word.text.to_owned(),
        members: Vec::new(),
        help: word.help.to_owned(),
        needs: needs(word.on),
        origin: "assembler 13.5".to_owned(),
    }
}
