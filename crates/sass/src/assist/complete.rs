//! Completion of opcodes, store modifiers, store addresses and labels.

use super::{at, touches};
use crate::store_modifiers::bind;
use crate::syntax::{Instruction, StatementKind, Tree};
use warpgrid_isa::sass::opcodes::OPCODES;
use warpgrid_isa::sass::{AddressShape, SassOpcode, StoreOpcode, find_store};
use warpgrid_isa::{Target, TargetRequirement};
use warpgrid_program::{CompletionItem, CompletionItemKind, Overrides, Span};

/// Lists the completions at `offset`, best first.
pub(crate) fn complete(
    source: &str,
    tree: &Tree,
    overrides: &Overrides,
    offset: u32,
) -> Vec<CompletionItem> {
    let Some(before) = source.get(..offset as usize) else {
        return Vec::new();
    };
    // After a trailing dot, comma or blank, the completion continues the preceding instruction.
    let anchor = before.trim_end_matches([' ', '\t', ',', '.']).len() as u32;
    let (instruction, target) = at(source, tree, overrides, anchor);
    let is_word = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let word = before.len() - before.chars().rev().take_while(is_word).count();
    let span = Span::new(word as u32, offset);
    let Some(instruction) = instruction else {
        return match before[..word].trim_end_matches([' ', '\t']) {
            text if text.is_empty() || text.ends_with(['\n', ';', '/']) => opcodes(target, span),
            _ => Vec::new(),
        };
    };
    if touches(instruction.opcode, offset) {
        return opcodes(target, span);
    }
    let modifiers = tree.modifiers(instruction);
    let mnemonic_end = modifiers.last().unwrap_or(&instruction.opcode).end;
    let store = find_store(instruction.opcode.text(source));
    if before[..word].ends_with('.') && word as u32 <= mnemonic_end + 1 {
        let Some(store) = store else {
            return Vec::new();
        };
        return words(source, tree, instruction, store, target, span);
    }
    let written = before.get(instruction.opcode.start as usize..);
    match (store, written.unwrap_or("").matches(',').count()) {
        (Some(store), 0) => addresses(store, target, span),
        (Some(_), _) => vec![register("R0", span), register("RZ", span)],
        (None, _) => labels(source, tree, span),
    }
}

fn needs(gate: TargetRequirement) -> Option<String> {
    gate.text().map(|text| format!("on {text}"))
}

/// Lists the opcodes that the architecture supports, sorted by name, with the stores first.
fn opcodes(target: &Target, span: Span) -> Vec<CompletionItem> {
    let (stores, others): (Vec<&SassOpcode>, Vec<&SassOpcode>) = OPCODES
        .iter()
        .filter(|row| row.on.met_by(target))
        .partition(|row| find_store(row.name).is_some());
    let rows = stores.into_iter().chain(others);
    rows.map(|row| CompletionItem {
        text: row.name.to_owned(),
        kind: CompletionItemKind::Opcode,
        help: row.help.to_owned(),
        needs: needs(row.on),
        span,
    })
    .collect()
}

/// Lists the modifiers of all slots to which the instruction has not bound a modifier.
fn words(
    source: &str,
    tree: &Tree,
    instruction: &Instruction,
    store: &'static StoreOpcode,
    target: &Target,
    span: Span,
) -> Vec<CompletionItem> {
    let written = tree.modifiers(instruction).iter();
    let written: Vec<&str> = written
        .filter(|word| !touches(**word, span.end))
        .map(|word| word.text(source))
        .collect();
    let bound = bind(store, &written);
    let is_free = |index: usize| bound.words.iter().all(|word| word.slot != index);
    let slots = store.slots.iter().enumerate();
    slots
        .filter(|(index, _)| is_free(*index))
        .flat_map(|(_, slot)| slot.words)
        .filter(|word| word.on.met_by(target))
        .map(|word| CompletionItem {
            text: word.text.to_owned(),
            kind: match word.text.bytes().all(|byte| byte.is_ascii_digit()) {
                true => CompletionItemKind::Type,
                false => CompletionItemKind::Modifier,
            },
            help: word.help.to_owned(),
            needs: needs(word.on),
            span,
        })
        .collect()
}

/// Lists one template address for each address form that the architecture supports.
fn addresses(store: &StoreOpcode, target: &Target, span: Span) -> Vec<CompletionItem> {
    let forms = store.addresses.iter();
    forms
        .filter(|form| form.on.met_by(target))
        .map(|form| CompletionItem {
            text: example(form.shape).to_owned(),
            kind: CompletionItemKind::Register,
            help: form.shape.help().to_owned(),
            needs: needs(form.on),
            span,
        })
        .collect()
}

/// Returns a template address with this shape.
const fn example(shape: AddressShape) -> &'static str {
    match shape {
        AddressShape::Absolute => "[0x10]",
        AddressShape::Register => "[R2]",
        AddressShape::Pair => "[R2.64]",
        AddressShape::RegisterAndUniform => "[R2+UR4]",
        AddressShape::PairAndUniform => "[R2.64+UR4]",
        AddressShape::LowHalfAndUniform => "[R2.U32+UR4]",
        AddressShape::ZeroAndUniform => "[RZ.U32+UR4]",
        AddressShape::Uniform => "[UR4]",
        AddressShape::Scaled => "[R2.X4]",
        AddressShape::ScaledAndUniform => "[R2.X4+UR4]",
        AddressShape::Descriptor => "desc[UR4][R2.64]",
    }
}

fn register(name: &str, span: Span) -> CompletionItem {
    let help = match name {
        "RZ" => "Zero.",
        _ => "Register with 32 bits per lane, or first register of a 64-bit or 128-bit operand.",
    };
    CompletionItem {
        text: name.to_owned(),
        kind: CompletionItemKind::Register,
        help: help.to_owned(),
        needs: None,
        span,
    }
}

fn labels(source: &str, tree: &Tree, span: Span) -> Vec<CompletionItem> {
    let statements = tree.statements.iter();
    statements
        .filter_map(|statement| match statement.kind {
            StatementKind::Label(name) => Some(CompletionItem {
                text: format!("`({})", name.text(source)),
                kind: CompletionItemKind::Label,
                help: "A label in the code.".to_owned(),
                needs: None,
                span,
            }),
            StatementKind::Instruction(_)
            | StatementKind::Directive { .. }
            | StatementKind::Header { .. }
            | StatementKind::Encoding(_)
            | StatementKind::Unknown => None,
        })
        .collect()
}
