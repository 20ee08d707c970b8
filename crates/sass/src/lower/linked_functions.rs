//! Static linking of device functions that the assembler emits in separate sections: unoptimized code calls these functions by symbol, and
//! function tables contain their addresses. The linking appends all referenced functions as one block to the code of each kernel.

use crate::listing::{ArchUnit, FunctionCode, Section};
use crate::syntax::{OperandKind, Tree};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Alignment of functions in bytes.
const ALIGN_BYTES: u64 = 128;
/// Distance between instructions in bytes.
const STRIDE: u64 = 16;

/// Device functions that kernels reference, linked at addresses that are identical for every kernel.
#[derive(Default)]
pub(super) struct LinkedFunctions {
    text: FunctionCode,
    /// Start address of each device function, by name.
    starts: HashMap<String, u64>,
    /// Names and addresses of the referenced system functions.
    system: Vec<(String, u64)>,
    /// Names of the functions and objects that the source defines.
    defined: HashSet<String>,
}

/// System function that the emulator implements. No listing contains its code, because the driver resolves its symbol.
pub(super) struct SystemFunction {
    pub(super) name: &'static str,
    /// First register and number of registers of each argument.
    pub(super) arguments: &'static [(u16, u8)],
    pub(super) result: Option<(u16, u8)>,
}

/// Supported system functions. The arguments are in the registers starting at `R4`, with 64-bit arguments in aligned register pairs. The
/// result is in `R4` (observed in code of assembler 13.5, `sm_75` to `sm_120`).
const SYSTEM: &[SystemFunction] = &[
    // The arguments are the format string and the argument buffer.
    SystemFunction {
        name: "vprintf",
        arguments: &[(4, 2), (6, 2)],
        result: Some((4, 1)),
    },
    // The arguments are the message, file, line, function and character size.
    SystemFunction {
        name: "__assertfail",
        arguments: &[(4, 2), (6, 2), (8, 1), (10, 2), (12, 2)],
        result: None,
    },
];

impl SystemFunction {
    pub(super) fn of_name(name: &str) -> Option<&'static SystemFunction> {
        SYSTEM.iter().find(|function| function.name == name)
    }
}

impl LinkedFunctions {
    pub(super) fn of(tree: &Tree, source: &str, part: &ArchUnit) -> LinkedFunctions {
        let mut named: HashSet<&str> = HashSet::new();
        for text in &part.functions {
            let names = names_of(tree, source, text);
            named.extend(names.filter(|name| *name != text.name));
        }
        for section in part.sections.iter().filter(|section| is_data(section)) {
            let references = section.references.iter();
            named.extend(references.filter_map(|item| Some(read_reference(&item.text)?.0)));
        }
        let system = SYSTEM.iter().map(|function| function.name);
        let system: Vec<&str> = system.filter(|name| named.contains(name)).collect();
        if part.functions.len() == 1 {
            named.clear();
        }
        let is_named = |text: &&FunctionCode| named.contains(text.name.as_str());
        let functions = part.functions.iter().map(|text| &text.name);
        let symbols = part.sections.iter().flat_map(|section| &section.symbols);
        let mut library = LinkedFunctions {
            defined: functions
                .chain(symbols.map(|symbol| &symbol.name))
                .cloned()
                .collect(),
            ..LinkedFunctions::default()
        };
        let mut start = part.functions.iter().map(end_of).max().unwrap_or(0);
        // An unreferenced function is a kernel. Link nothing if every function is referenced, because there is no kernel to which functions
        // could be appended.
        if !part.functions.iter().all(|text| is_named(&text)) {
            for text in part.functions.iter().filter(is_named) {
                start = start.next_multiple_of(ALIGN_BYTES);
                library.starts.insert(text.name.clone(), start);
                library.text.append(text, start);
                start += end_of(text);
            }
        }
        for name in system {
            if !library.defined.contains(name) {
                start = start.next_multiple_of(ALIGN_BYTES);
                library.system.push((name.to_owned(), start));
                start += ALIGN_BYTES;
            }
        }
        library
    }

    /// Returns whether the library contains a function.
    pub(super) fn has(&self, name: &str) -> bool {
        self.starts.contains_key(name)
    }

    /// Returns the code of a kernel, followed by the linked functions if the kernel references any of them.
    pub(super) fn linked<'t>(
        &self,
        tree: &Tree,
        source: &str,
        text: &'t FunctionCode,
    ) -> Cow<'t, FunctionCode> {
        let is_outside = |name: &str| text.label(name).is_none() && self.has(name);
        let needs = !self.starts.is_empty()
            && (calls_register(tree, source, text) || names_of(tree, source, text).any(is_outside));
        if !needs && self.system.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut combined = text.clone();
        if needs {
            combined.append(&self.text, 0);
        }
        combined.system.clone_from(&self.system);
        Cow::Owned(combined)
    }

    /// Returns a section in which the values that refer to functions contain the addresses of these functions.
    pub(super) fn with_relocations_applied<'s>(&self, section: &'s Section) -> Cow<'s, Section> {
        let mut filled = Cow::Borrowed(section);
        for item in &section.references {
            let Some((name, addend)) = read_reference(&item.text) else {
                continue;
            };
            let mut system = self.system.iter();
            let system = system.find_map(|(own, start)| (own == name).then_some(start));
            let address = match self.starts.get(name).or(system) {
                Some(address) => Some(address.wrapping_add_signed(addend)),
                // The driver provides system calls such as `malloc`. References to system calls are relocated to an invalid address, so
                // that a call does not jump to the kernel entry at address 0.
                None if is_data(section) && !self.defined.contains(name) => Some(NOWHERE),
                None => None,
            };
            if let Some(address) = address {
                let start = item.byte_offset as usize;
                let width = item.width_bytes.min(8) as usize;
                if let Some(place) = filled.to_mut().bytes.get_mut(start..start + width) {
                    place.copy_from_slice(&address.to_le_bytes()[..width]);
                }
            }
        }
        filled
    }
}

impl FunctionCode {
    /// Appends the code of another function, relocated by `start`.
    fn append(&mut self, other: &FunctionCode, start: u64) {
        let moved = other.instructions.iter().map(|placed| {
            let mut placed = *placed;
            placed.address += start;
            placed
        });
        self.instructions.extend(moved);
        let labels = other.labels.iter();
        self.labels
            .extend(labels.map(|(name, address)| (name.clone(), address + start)));
    }
}

/// Parses the symbol and offset in a symbol reference of a data section, such as `gb` or `fun@R_CUDA_G64((gb + 0x4))`.
pub(super) fn read_reference(text: &str) -> Option<(&str, i64)> {
    let inside = match text.split_once('@') {
        Some(("fun", rest)) => rest.split_once('(')?.1.strip_suffix(')')?.trim(),
        Some(_) => return None,
        None => text,
    };
    let inside = inside
        .strip_prefix('(')
        .and_then(|inside| inside.strip_suffix(')'))
        .unwrap_or(inside);
    for (sign, negative) in [(" + ", false), (" - ", true)] {
        if let Some((name, offset)) = inside.split_once(sign) {
            let offset = crate::listing::number(offset)? as i64;
            let addend = if negative {
                offset.wrapping_neg()
            } else {
                offset
            };
            return Some((name.trim(), addend));
        }
    }
    Some((inside.trim(), 0))
}

/// Parsed relocation expression, such as `32@lo(name)` or `32@hi((function + label@srel))`.
pub(super) struct RelocationExpression<'a> {
    pub(super) name: &'a str,
    /// Label within the referenced function, from which the offset is added.
    pub(super) label: Option<&'a str>,
    pub(super) is_high: bool,
}

/// Parses a relocation expression.
pub(super) fn read_relocation(text: &str) -> Option<RelocationExpression<'_>> {
    let (bits, rest) = text.split_once('@')?;
    let (half, inside) = rest.split_once('(')?;
    let inside = inside.strip_suffix(')')?.trim();
    let inside = inside
        .strip_prefix('(')
        .and_then(|inside| inside.strip_suffix(')'))
        .unwrap_or(inside);
    if bits != "32" || !matches!(half, "lo" | "hi") {
        return None;
    }
    let (name, label) = match inside.split_once('+') {
        Some((name, label)) => {
            let label = label.trim();
            let label = label.split_once('@').map_or(label, |(label, _)| label);
            (name.trim(), Some(label))
        }
        None => (inside, None),
    };
    Some(RelocationExpression {
        name,
        label,
        is_high: half == "hi",
    })
}

/// Returns the names of the functions and labels to which the instructions of a function refer.
fn names_of<'a>(
    tree: &'a Tree,
    source: &'a str,
    text: &'a FunctionCode,
) -> impl Iterator<Item = &'a str> + 'a {
    let instructions = text.instructions.iter();
    instructions
        .filter_map(|placed| tree.instructions.get(placed.index as usize))
        .flat_map(|instruction| tree.operands(instruction))
        .filter_map(|operand| match &operand.value {
            OperandKind::Target(span) => Some(span.text(source)),
            OperandKind::Relocation(span) => {
                read_relocation(span.text(source)).map(|relocated| relocated.name)
            }
            OperandKind::Register(_)
            | OperandKind::Integer(_)
            | OperandKind::Float(_)
            | OperandKind::Memory(_)
            | OperandKind::Set(_)
            | OperandKind::Word(_)
            | OperandKind::Unknown(_) => None,
        })
}

/// Returns whether a function contains an indirect call.
fn calls_register(tree: &Tree, source: &str, text: &FunctionCode) -> bool {
    let mut instructions = text.instructions.iter();
    instructions.any(|placed| {
        let instruction = tree.instructions.get(placed.index as usize);
        instruction.is_some_and(|instruction| {
            let first = tree.operands(instruction).first();
            let is_register =
                first.is_some_and(|first| matches!(first.value, OperandKind::Register(_)));
            is_register && instruction.opcode.text(source) == "CALL"
        })
    })
}

/// Invalid code address, which is outside of all functions.
const NOWHERE: u64 = u64::MAX << 4;

/// Returns whether a section contains data that code reads, such as variables and constants.
fn is_data(section: &Section) -> bool {
    section.name.starts_with(".nv.global") || section.name.starts_with(".nv.constant")
}

fn end_of(text: &FunctionCode) -> u64 {
    let last = text.instructions.last();
    last.map_or(0, |last| last.address.saturating_add(STRIDE))
}
