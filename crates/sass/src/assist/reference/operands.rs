//! Descriptions of the operands in syntax lines, derived from the operand names.

use warpgrid_isa::sass::{StoreOpcode, SyntaxLine};
use warpgrid_program::OperandDoc;

/// Returns the operands of a store. The reference page of the store describes the address forms as rules.
pub(super) fn store_operands(row: &StoreOpcode) -> Vec<OperandDoc> {
    let names = row.syntax.split_once(' ').map_or("", |(_, names)| names);
    let operand = |(name, help): &(&str, &str)| OperandDoc {
        name: (*name).to_owned(),
        help: (*help).to_owned(),
        required: *name == "Rb" || name.starts_with('['),
    };
    let named = STORE_OPERANDS
        .iter()
        .filter(|(name, _)| names.contains(name));
    named.map(operand).collect()
}

/// Operand names in the syntax lines of stores, with their descriptions.
const STORE_OPERANDS: &[(&str, &str)] = &[
    ("[a]", "address in one of the forms that are listed below"),
    (
        "[Ra + ImmS24]",
        "address in one of the forms that are listed below",
    ),
    ("Rb", "first register of the data to store"),
    ("Rc", "first register of the upper half of 256-bit data"),
    (
        "mask",
        "immediate mask of the words of 256-bit data to store",
    ),
    ("Pp", "source predicate"),
];

/// Returns the distinct operands of all syntax lines. An operand is required if every syntax line contains the operand outside of braces.
pub(super) fn operands(lines: &[SyntaxLine]) -> Vec<OperandDoc> {
    let lists: Vec<Vec<(String, bool)>> = lines.iter().map(operand_names).collect();
    let mut found: Vec<OperandDoc> = Vec::new();
    let mut named: Vec<&String> = Vec::new();
    for (name, _) in lists.iter().flatten() {
        let Some(help) = operand_help(name) else {
            continue;
        };
        if named.contains(&name) {
            continue;
        }
        named.push(name);
        let is_there = |list: &Vec<(String, bool)>| list.contains(&(name.clone(), true));
        let required = lists.iter().all(is_there);
        // Consecutive operands with the same description share an entry.
        match found.last_mut() {
            Some(last) if last.help == help && last.required == required => {
                last.name += ", ";
                last.name += name;
            }
            _ => found.push(OperandDoc {
                name: name.clone(),
                help: help.to_owned(),
                required,
            }),
        }
    }
    found
}

/// Returns the operand names of a syntax line. The flag of each operand states whether the operand is outside of braces.
fn operand_names(line: &SyntaxLine) -> Vec<(String, bool)> {
    let mut names = vec![(String::new(), true)];
    let mut depth = 0;
    for letter in line.operands.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' | ' ' => names.push((String::new(), true)),
            '|' => {}
            _ => {
                if let Some((name, is_required)) = names.last_mut() {
                    name.push(letter);
                    *is_required = depth == 0;
                }
            }
        }
    }
    names.retain(|(name, _)| !name.is_empty());
    names
}

/// Prefixes of operands that are addresses or symbol names, with the description of each operand.
const PLACES: &[(&str, &str)] = &[
    ("tmem[", "address in tensor memory"),
    ("gdesc[", "first uniform register of the matrix descriptors"),
    ("idesc[", "uniform register with the instruction descriptor"),
    ("desc[", "uniform registers with a cache policy"),
    (
        "c[",
        "constant, specified by a constant bank and a byte offset",
    ),
    ("a[", "attribute of the graphics pipeline"),
    ("[U", "address in uniform registers plus a byte offset"),
    (
        "[",
        "address, which is the sum of a register or register pair, a uniform register and a byte offset (`desc[URx][Rx.64]` on `sm_80` and later)",
    ),
    ("imm", "literal"),
    ("mask", "immediate byte mask"),
    ("label", "label or address of an instruction"),
    ("special", "special register such as `SR_TID.X`"),
    (
        "geometry",
        "texture geometry, which is `1D`, `2D`, `3D`, `CUBE`, `ARRAY_1D`, `ARRAY_2D` or `ARRAY_CUBE`",
    ),
    (
        "gsb0",
        "scoreboard that commits the group of MMA operations",
    ),
    ("PR", "all predicates"),
    ("UPR", "all uniform predicates"),
    ("CC", "condition code"),
];

/// Returns the description of an operand with this name in a syntax line, or `None` for a fixed register such as `PT` or `RZ`.
fn operand_help(name: &str) -> Option<&'static str> {
    let mut places = PLACES.iter();
    if let Some((_, help)) = places.find(|(prefix, _)| name.starts_with(prefix)) {
        return Some(help);
    }
    let name = name.split('.').next().unwrap_or(name);
    let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let is_written = match &name[prefix.len()..] {
        "d" | "e" => true,
        letters if letters.len() == 1 => false,
        _ => return None,
    };
    Some(match (prefix, is_written) {
        ("R", true) => "destination register, or first register of a wide result",
        ("R", false) => {
            "source register, or first register of a wide value (for arithmetic, alternatively an immediate, a constant or a uniform register)"
        }
        ("UR", true) => "uniform destination register, or first uniform register of a wide result",
        ("UR", false) => {
            "uniform source register, or first uniform register of a wide value (for arithmetic, alternatively an immediate)"
        }
        ("P", true) => "destination predicate, where `PT` discards the result",
        ("P", false) => "source predicate, optionally negated by `!`",
        ("UP", true) => "uniform destination predicate, where `UPT` discards the result",
        ("UP", false) => "uniform source predicate, optionally negated by `!`",
        ("B", true) => "destination convergence barrier",
        ("B", false) => "convergence barrier",
        ("SB", _) => "scoreboard",
        _ => return None,
    })
}
