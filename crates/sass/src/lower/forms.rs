//! Tests the table of forms against the lowering: the lowering must accept each syntax line with each of its modifiers, and must reject
//! every other modifier.

use super::dispatch;
use super::instruction_cursor::words_asked;
use super::kernel::lower;
use crate::listing;
use crate::syntax::parse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use warpgrid_isa::form::layouts;
use warpgrid_isa::sass::forms::{SassModifierSlot, SyntaxLine, syntax_lines};
use warpgrid_isa::sass::modifiers::SETS;
use warpgrid_isa::sass::opcodes::OPCODES;
use warpgrid_isa::sass::{Counterpart, find_forms, find_store};
use warpgrid_isa::{ControlOp, MoveOp, Operation, SyncOp, Target, Version};

/// Modifier that no opcode has.
const NO_MODIFIER: &str = "NOMODIFIER";

/// Modifiers that the lowering accepts although disassemblers do not print them for these opcodes, because one function reads the modifiers
/// of all opcodes in a family.
#[rustfmt::skip]
const ALSO_ACCEPTED: &[(&[&str], &[&str])] = &[
    // A single function reads the cache, ordering and scope modifiers of all memory accesses.
    (
        &["ATOM", "ATOMG", "ATOMS", "LD", "LDG", "LDGSTS", "LDL", "LDS", "RED", "REDG", "USTGR"],
        &[
            "CA", "CG", "CGA", "CI", "CONSTANT", "CONSTPRED", "CS", "CTA", "CV", "E", "EF", "EFL2", "EL", "ELL2", "EN", "ENL2", "EU", "EVICT_FIRST",
            "EVICT_LAST", "GPU", "LTC128B", "LTC256B", "LTC64B", "LU", "MMIO", "NA", "PRIVATE", "SM", "STRONG", "SYS", "U", "VC", "WB", "WEAK", "WT",
        ],
    ),
    (&["ATOM", "ATOMS", "RED"], &["BF16x4", "BF16x8", "F16x4", "F16x8", "F32x2", "F32x4"]),
    (&["ATOMS", "SURED", "UBLKRED"], &["FTZ", "RN"]),
    (&["RED", "REDG", "SURED", "UBLKRED"], &["POPC"]),
    (&["SURED", "SUST"], &["CONSTANT"]),
    (&["UBLKRED"], &["DST_G_BYTE_MASK", "MULTICAST"]),
    // Conversion instructions.
    (&["F2F", "F2I", "F2IP", "FRND", "I2F", "I2FP", "UF2F", "UF2I", "UF2IP", "UFRND", "UI2F", "UI2FP"], &["FTZ", "NTZ", "SAT"]),
    // Floating point: instructions with literals, and pairs.
    (&["FADD32I", "FFMA32I", "FMUL32I"], &["RM", "RN", "RP", "RZ"]),
    (&["FMUL32I"], &["D2", "D4", "D8", "M2", "M4", "M8"]),
    (&["FADD2", "FFMA2", "FMUL2"], &["SAT"]),
    (&["FHADD", "FHFMA"], &["BF16", "F16_V2"]),
    (&["FHADD", "FHFMA", "HADD2", "HMNMX2", "HMUL2", "HSET2", "HSETP2", "VHMNMX"], &["MMA"]),
    // Integer instructions.
    (&["IADD32I", "MOV32I"], &["64"]),
    (&["IDP"], &["S2", "S32", "S4", "U2", "U32", "U4"]),
    (&["IMNMX", "UIMNMX"], &["RELU", "S16x2", "U16x2"]),
    (&["UVIADDMNMX", "UVIMNMX", "UVIMNMX3", "VIADDMNMX", "VIMNMX", "VIMNMX3"], &["S64", "U64"]),
    (&["IMUL"], &["IADD", "MOV", "SHL"]),
    (&["SHL", "USHL"], &["S32", "U32"]),
    (&["UVIADD", "VIADD"], &["X"]),
    // Branch instructions.
    (&["JMP"], &["ANY", "CONV", "DIV"]),
    // Texture and tensor-memory instructions.
    (&["TLD"], &["DC"]),
    (&["TLD4"], &["LL", "LZ"]),
    (&["TXD"], &["LL", "LZ", "SCR"]),
    (&["UTCOMMA"], &["ASHIFT", "WS"]),
];

fn is_also_accepted(opcode: &str, word: &str) -> bool {
    let mut rows = ALSO_ACCEPTED.iter();
    rows.any(|(opcodes, words)| opcodes.contains(&opcode) && words.contains(&word))
}

/// Returns the variants of a syntax line with and without each part in braces.
fn expand(text: &str) -> Vec<String> {
    let Some(start) = text.find('{') else {
        return vec![text.to_owned()];
    };
    let mut depth = 0;
    let end = text[start..].char_indices().find_map(|(index, letter)| {
        depth += match letter {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        (depth == 0).then_some(start + index)
    });
    let end = end.expect("a closing brace");
    let (before, inside, after) = (&text[..start], &text[start + 1..end], &text[end + 1..]);
    [
        format!("{before}{after}"),
        format!("{before}{inside}{after}"),
    ]
    .iter()
    .flat_map(|text| expand(text))
    .collect()
}

/// Converts the operand names of a syntax line to operands in disassembler notation.
fn operands(names: &str) -> String {
    let mut text = String::new();
    let mut rest = names;
    while let Some(letter) = rest.chars().next() {
        let n_bytes = rest
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .unwrap_or(rest.len());
        if n_bytes == 0 {
            text.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        let (name, after) = rest.split_at(n_bytes);
        text += &operand(name);
        rest = after;
    }
    text
}

fn operand(name: &str) -> String {
    let text = match name {
        "bank" => "0x0",
        "mask" => "0xf",
        "imm" => "0x1",
        "label" => "`(.L_x_1)",
        "special" => "SR_CLOCKLO",
        "geometry" => "2D",
        _ => return register(name),
    };
    text.to_owned()
}

/// Converts an operand name such as `URa` to a register. Returns other names unchanged.
fn register(name: &str) -> String {
    let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let [letter] = name.as_bytes()[prefix.len()..] else {
        return name.to_owned();
    };
    let index = usize::from(letter - b'a');
    match prefix {
        "R" => format!("R{}", 8 * index),
        "UR" => format!("UR{}", 2 * index),
        "P" | "UP" | "B" => format!("{prefix}{}", index % 6),
        "SB" => "SB0".to_owned(),
        _ => name.to_owned(),
    }
}

/// Returns all instructions of an opcode that the table specifies: each operand list with the required modifiers of the line, and with one
/// additional or different modifier.
fn instructions(opcode: &str, line: &SyntaxLine) -> Vec<(String, Option<&'static str>)> {
    let base = base_words(opcode, line);
    let mut found = Vec::new();
    for names in expand(&line.operands) {
        let operands = operands(&names);
        found.push((
            join(opcode, base.iter().flatten().copied(), &operands),
            None,
        ));
        for (index, slot) in line.modifiers.iter().enumerate() {
            for (word, _) in slot.words(opcode) {
                let mut words = base.clone();
                words[index] = Some(word);
                found.push((
                    join(opcode, words.into_iter().flatten(), &operands),
                    Some(word),
                ));
            }
        }
    }
    found
}

/// Returns the first modifier of each required position, and `None` for optional positions.
fn base_words(opcode: &str, line: &SyntaxLine) -> Vec<Option<&'static str>> {
    let slots = line.modifiers.iter();
    let first = |slot: &SassModifierSlot| {
        let words = slot.words(opcode);
        words
            .first()
            .filter(|_| slot.required)
            .map(|(word, _)| *word)
    };
    slots.map(first).collect()
}

fn join<'a>(opcode: &'a str, words: impl Iterator<Item = &'a str>, operands: &str) -> String {
    let mnemonic: Vec<&str> = std::iter::once(opcode).chain(words).collect();
    format!("{} {operands}", mnemonic.join("."))
}

/// Results of lowering instructions, one per instruction.
struct LoweredTexts {
    /// Reason why the instruction is not supported, or `None` if the lowering accepts the instruction.
    reasons: Vec<Option<String>>,
    /// Operations of each instruction, in execution order.
    operation: Vec<Vec<Operation>>,
}

fn lower_texts(instructions: &[String]) -> LoweredTexts {
    let mut source = "NOP;\n.L_x_1:\n".to_owned();
    let mut starts = Vec::new();
    for instruction in instructions {
        starts.push(source.len() as u32);
        source += instruction;
        source += ";\n";
    }
    let tree = parse(&source);
    let listing = listing::read(&tree, &source);
    let target = Target::from_name("sm_100a").expect("a target");
    let lowered = lower(&tree, &source, &listing.parts[0], target, Version::NEWEST);
    let index_at = |at: u32| starts.partition_point(|start| *start <= at).checked_sub(1);
    let mut reasons = vec![None; instructions.len()];
    let not_run = lowered
        .not_run
        .into_iter()
        .map(|found| (found.span, found.what));
    let errors = tree
        .errors
        .iter()
        .map(|error| (error.span, format!("{:?}", error.kind)));
    for (span, reason) in not_run.chain(errors) {
        if let Some(index) = index_at(span.start) {
            reasons[index] = Some(reason);
        }
    }
    let mut operation = vec![Vec::new(); instructions.len()];
    for instruction in &lowered.module.functions[0].instructions {
        if let Some(index) = index_at(instruction.span.start) {
            operation[index].push(lowered.module.opcodes[instruction.opcode.0 as usize].operation);
        }
    }
    LoweredTexts { reasons, operation }
}

fn lower_all(instructions: &[String]) -> Vec<Option<String>> {
    lower_texts(instructions).reasons
}

fn executed() -> impl Iterator<Item = &'static str> {
    let names = OPCODES.iter().map(|opcode| opcode.name);
    names.filter(|name| dispatch::find(name).is_some() && find_store(name).is_none())
}

#[test]
fn listed_forms_are_lowered() {
    let mut refused = Vec::new();
    for opcode in executed() {
        for line in syntax_lines(opcode) {
            let instructions = instructions(opcode, &line);
            let texts: Vec<String> = instructions.into_iter().map(|(text, _)| text).collect();
            let reasons = lower_all(&texts);
            let found = texts.iter().zip(reasons);
            refused.extend(found.filter_map(|(text, reason)| Some(format!("{text}: {}", reason?))));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// Returns the modifiers of the tables, and the modifiers that lowering functions query.
fn vocabulary() -> BTreeSet<String> {
    let mut words: BTreeSet<&str> = BTreeSet::new();
    words.extend(SETS.iter().flat_map(|set| set.words).map(|(word, _)| *word));
    for opcode in executed() {
        for line in syntax_lines(opcode) {
            let instructions = instructions(opcode, &line);
            words.extend(instructions.iter().filter_map(|(_, word)| *word));
            lower_all(
                &instructions
                    .into_iter()
                    .map(|(text, _)| text)
                    .collect::<Vec<_>>(),
            );
        }
    }
    let words = words.into_iter().map(str::to_owned);
    words.chain(words_asked()).collect()
}

/// Returns the modifiers that the lowering of an opcode accepts in addition to the modifiers in the table.
fn accepted_beyond_the_table(opcode: &str, vocabulary: &BTreeSet<String>) -> BTreeSet<String> {
    let lines = syntax_lines(opcode);
    let slots = lines.iter().flat_map(|line| &line.modifiers);
    let known = slots.flat_map(|slot| slot.words(opcode));
    let known: BTreeSet<&str> = known.map(|(word, _)| word).collect();
    let others = vocabulary
        .iter()
        .filter(|word| !known.contains(word.as_str()));
    let mut accepted = BTreeSet::new();
    for line in &lines {
        let base = base_words(opcode, line);
        for names in expand(&line.operands) {
            let operands = operands(&names);
            let with = |word: &str| {
                let words = base.iter().flatten().copied().chain([word]);
                join(opcode, words, &operands)
            };
            // The lowering of some opcodes accepts any modifier, including this nonexistent modifier.
            if lower_all(&[with(NO_MODIFIER)]) == [None] {
                continue;
            }
            let texts: Vec<String> = others.clone().map(|word| with(word)).collect();
            let found = others.clone().zip(lower_all(&texts));
            accepted
                .extend(found.filter_map(|(word, reason)| reason.is_none().then(|| word.clone())));
        }
    }
    accepted
}

#[test]
fn unlisted_modifiers_are_rejected() {
    let vocabulary = vocabulary();
    let mut unlisted = Vec::new();
    let mut accepted_of = BTreeMap::new();
    for opcode in executed() {
        let accepted = accepted_beyond_the_table(opcode, &vocabulary);
        let missing = accepted
            .iter()
            .filter(|word| !is_also_accepted(opcode, word));
        unlisted.extend(missing.map(|word| format!("{opcode}.{word}")));
        accepted_of.insert(opcode, accepted);
    }
    assert!(unlisted.is_empty(), "{}", unlisted.join(" "));
    for (opcodes, words) in ALSO_ACCEPTED {
        let has = |opcode: &str, word: &str| accepted_of[opcode].contains(word);
        for word in *words {
            let is_needed = opcodes.iter().any(|opcode| has(opcode, word));
            assert!(
                is_needed,
                "{opcodes:?}: `.{word}` is refused or in the table"
            );
        }
        for opcode in *opcodes {
            let is_needed = words.iter().any(|word| has(opcode, word));
            assert!(is_needed, "{opcode}: {words:?} are refused or in the table");
        }
    }
}

#[test]
fn executed_opcodes_have_forms() {
    let without: Vec<&str> = executed()
        .filter(|opcode| syntax_lines(opcode).is_empty())
        .collect();
    assert_eq!(without, [""; 0]);
}

/// Operations that do not identify a PTX counterpart: copies, to which loads of constants are lowered, branches, to which calls are
/// lowered, and fences, to which instructions without effect are lowered.
const GENERAL: [Operation; 4] = [
    Operation::Sync(SyncOp::Fence),
    Operation::Move(MoveOp::Mov),
    Operation::Control(ControlOp::Branch),
    Operation::Control(ControlOp::BranchIndirect),
];

/// If an instruction is lowered to a single operation, the table must list a PTX counterpart with this operation.
#[test]
fn counterparts_match_lowered_operation() {
    let mut missing = BTreeSet::new();
    for opcode in executed() {
        let forms = find_forms(opcode).map(|(forms, _)| forms.counterpart);
        let Some(Counterpart::Ptx(mnemonics)) = forms else {
            continue;
        };
        let stated: Vec<&str> = mnemonics
            .split(", ")
            .filter_map(|mnemonic| mnemonic.split('.').next())
            .collect();
        for line in syntax_lines(opcode) {
            let texts = instructions(opcode, &line)
                .into_iter()
                .map(|(text, _)| text);
            for operation in lower_texts(&texts.collect::<Vec<_>>()).operation {
                let [operation] = operation[..] else {
                    continue;
                };
                let same = layouts()
                    .iter()
                    .filter(|layout| layout.form.operation == operation);
                let opcodes: BTreeSet<&str> = same.map(|layout| layout.opcode).collect();
                let is_stated = opcodes.iter().any(|opcode| stated.contains(opcode));
                if !opcodes.is_empty() && !is_stated && !GENERAL.contains(&operation) {
                    missing.insert(format!("{opcode}: {opcodes:?}"));
                }
            }
        }
    }
    let missing: Vec<String> = missing.into_iter().collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Returns the operand kinds of an instruction in a listing, as a string with `P` for each predicate, `R` for any other operand.
fn kinds<'a>(operands: impl Iterator<Item = &'a str>) -> String {
    let is_predicate = |text: &str| {
        let name = text.trim_start_matches(['!', 'U']);
        let is_number = |rest: &str| rest == "T" || rest.parse::<u8>().is_ok();
        name.strip_prefix('P').is_some_and(is_number)
    };
    operands
        .map(|text| if is_predicate(text) { 'P' } else { 'R' })
        .collect()
}

/// Returns the listings of this crate and of the tests of complete kernels.
fn listings() -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![
        crates.join("sass/tests/data"),
        crates.join("view/tests/machine_code"),
    ];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "sass")
            {
                texts.push(std::fs::read_to_string(&path).expect("a text"));
            }
        }
    }
    texts
}

/// Verifies that each instruction of the listings has the operands and modifiers of a syntax line in the table.
#[test]
fn listing_instructions_match_listed_forms() {
    let mut unlisted = BTreeSet::new();
    for source in listings() {
        let tree = parse(&source);
        for instruction in &tree.instructions {
            let opcode = instruction.opcode.text(&source);
            let lines = syntax_lines(opcode);
            if lines.is_empty() || super::ignores_modifiers(opcode) {
                continue;
            }
            let words = tree.modifiers(instruction).iter();
            let words: Vec<&str> = words.map(|span| span.text(&source)).collect();
            let operands = tree.operands(instruction).iter();
            let found = kinds(operands.map(|operand| operand.span.text(&source)));
            let is_of = |line: &SyntaxLine| {
                let slots = line.modifiers.iter();
                let known: Vec<&str> = slots
                    .flat_map(|slot| slot.words(opcode))
                    .map(|(word, _)| word)
                    .collect();
                let lists = expand(&line.operands).into_iter();
                let mut lists = lists.map(|names| {
                    let text = self::operands(&names);
                    kinds(text.split([',', ' ']).filter(|name| !name.is_empty()))
                });
                words.iter().all(|word| known.contains(word)) && lists.any(|list| list == found)
            };
            if !lines.iter().any(is_of) {
                let text = instruction.span.text(&source);
                unlisted.insert(format!("{opcode}.{}: {text}", words.join(".")));
            }
        }
    }
    let unlisted: Vec<String> = unlisted.into_iter().collect();
    assert!(unlisted.is_empty(), "{}", unlisted.join("\n"));
}
