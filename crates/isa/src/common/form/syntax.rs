//! Parser for the syntax line of a form: converts `add{.sat}.type d, a, b` into a [`FormSyntax`] of slots and operands.
//!
//! Grammar: an opcode (`ld`), then required (`.type`) and optional (`{.ss}`) slots without whitespace, then comma-separated operands. An
//! operand is a name (`a`), an address (`[a]`), a pair of destinations (`d|p`; `d{|p}` if the second is optional), a negatable predicate
//! (`{!}c`), or an optional operand in a group (`{, c}`). A slot with the name of one of the form's sets accepts a value of this set. Any
//! other slot is a literal modifier.

use super::{
    Form, ModifierSet, ModifierSpelling, ModifierValue, OperandAccess, OperandType, SlotName,
};
use crate::modifier::Flag;
use crate::modifiers::TypeRole;

/// Modifiers that a slot of the syntax line accepts.
#[derive(Clone, Copy, Debug)]
pub enum SlotKind {
    /// One value of the set.
    Set(&'static ModifierSet),
    /// Exactly this modifier (without the dot), with the flag that the modifier sets. A test verifies that every literal has a flag.
    Literal(&'static str, Option<Flag>),
}

/// Modifier slot of an instruction form.
#[derive(Clone, Copy, Debug)]
pub struct ModifierSlot {
    /// Name in the syntax line without the dot, such as `type` or `sat`.
    pub name: &'static str,
    /// Identifier of the slot name, or `None` for a literal without a flag. A test verifies that no such literal exists.
    pub id: Option<SlotName>,
    pub required: bool,
    pub kind: SlotKind,
    /// Type of the instruction that a type modifier in this slot specifies.
    pub role: TypeRole,
}

impl ModifierSlot {
    /// Returns the one-line description of a literal modifier. Returns `None` for sets, whose values have individual descriptions.
    pub fn help(&self) -> Option<&'static str> {
        match self.kind {
            SlotKind::Literal(_, flag) => flag.map(Flag::help),
            SlotKind::Set(_) => None,
        }
    }

    /// Returns whether the slot accepts types. Type modifiers fill the slots that accept types in source order.
    pub fn is_type(&self) -> bool {
        match self.kind {
            SlotKind::Set(set) => set
                .values
                .first()
                .is_some_and(|value| matches!(value.meaning, ModifierValue::Type(_))),
            SlotKind::Literal(..) => false,
        }
    }

    /// Returns the value with this spelling, `Some(None)` if the slot is a literal with this spelling, or `None` if the slot does not
    /// accept the spelling.
    pub fn find(&self, word: &str) -> Option<Option<&'static ModifierSpelling>> {
        match self.kind {
            SlotKind::Set(set) => set.values.iter().find(|v| v.text == word).map(Some),
            SlotKind::Literal(text, _) => (text == word).then_some(None),
        }
    }

    /// Returns all spellings that the slot accepts.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> {
        let (values, literal): (&'static [ModifierSpelling], _) = match self.kind {
            SlotKind::Set(set) => (set.values, None),
            SlotKind::Literal(text, _) => (&[], Some(text)),
        };
        values.iter().map(|value| value.text).chain(literal)
    }
}

/// Syntactic shape of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandShape {
    /// Value or register without brackets.
    Plain,
    /// Address in square brackets.
    Address,
    /// Two destinations, separated by a vertical bar. `optional` states whether the second destination may be omitted.
    Pair { optional: bool },
    /// Predicate that may be negated with `!`.
    Negatable,
}

/// Operand position of a form.
#[derive(Clone, Copy, Debug)]
pub struct OperandPosition {
    /// Name in the syntax line, such as `d` or `a`.
    pub name: &'static str,
    pub shape: OperandShape,
    pub ty: OperandType,
    /// Whether the instruction writes or reads the operand.
    pub role: OperandAccess,
    pub optional: bool,
}

/// Parsed syntax line: the opcode, the modifier slots and the operand positions of a form.
#[derive(Clone, Debug)]
pub struct FormSyntax {
    pub form: &'static Form,
    /// Opcode without modifiers, such as `st` for `st.async`.
    pub opcode: &'static str,
    pub slots: Vec<ModifierSlot>,
    pub operands: Vec<OperandPosition>,
}

impl FormSyntax {
    /// Parses the syntax line of a form. Malformed lines are not reported, because the tables are static and a test compares each line with
    /// [`FormSyntax::spelled`].
    pub fn read(form: &'static Form) -> FormSyntax {
        let (mnemonic, operands) = form
            .syntax
            .split_once(char::is_whitespace)
            .unwrap_or((form.syntax, ""));
        let end = mnemonic.find(['.', '{']).unwrap_or(mnemonic.len());
        let (opcode, slots) = mnemonic.split_at(end);
        FormSyntax {
            form,
            opcode,
            slots: read_slots(slots, form),
            operands: read_operands(operands, form),
        }
    }

    /// Returns the slots that belong to the instruction name, such as `.async` of `st.async`.
    pub fn leads(&self) -> &[ModifierSlot] {
        self.slots
            .get(..self.form.n_name_modifiers)
            .unwrap_or(&self.slots)
    }

    /// Returns the instruction name including its literals, such as `wmma.store.d` or `bar.red`. Slots of the name that accept several
    /// values are omitted, so the name of `mul.lo` is `mul`.
    pub fn name(&self) -> String {
        let mut name = self.opcode.to_owned();
        for slot in self.leads() {
            if let (SlotKind::Literal(text, _), true) = (slot.kind, slot.required) {
                name.push('.');
                name.push_str(text);
            }
        }
        name
    }

    /// Returns the maximum number of operands that causes no operand-count error.
    pub fn max_operands(&self) -> usize {
        self.operands.len() + self.form.extra_operands
    }

    /// Returns the number of required operands.
    pub fn n_required(&self) -> usize {
        self.operands.iter().filter(|o| !o.optional).count()
    }

    /// Returns the part of the syntax line that contains the opcode and the slots.
    pub fn mnemonic(&self) -> &'static str {
        self.form
            .syntax
            .split_whitespace()
            .next()
            .unwrap_or(self.form.syntax)
    }

    /// Reconstructs the syntax line from the parsed layout.
    pub fn spelled(&self) -> String {
        let mut line = self.opcode.to_owned();
        for slot in &self.slots {
            line.push_str(&match slot.required {
                true => format!(".{}", slot.name),
                false => format!("{{.{}}}", slot.name),
            });
        }
        for (index, operand) in self.operands.iter().enumerate() {
            let name = operand.name;
            let text = match operand.shape {
                OperandShape::Plain => name.to_owned(),
                OperandShape::Address => format!("[{name}]"),
                OperandShape::Pair { optional: false } => format!("{name}|p"),
                OperandShape::Pair { optional: true } => format!("{name}{{|p}}"),
                OperandShape::Negatable => format!("{{!}}{name}"),
            };
            line.push_str(&match (index, operand.optional) {
                (0, false) => format!(" {text}"),
                (0, true) => format!(" {{{text}}}"),
                (_, false) => format!(", {text}"),
                (_, true) => format!("{{, {text}}}"),
            });
        }
        line
    }
}

fn read_slots(mut text: &'static str, form: &'static Form) -> Vec<ModifierSlot> {
    let mut slots = Vec::new();
    while !text.is_empty() {
        let required = !text.starts_with('{');
        let body = text.trim_start_matches(['{', '.']);
        let end = body.find(['.', '{', '}']).unwrap_or(body.len());
        let (name, rest) = body.split_at(end);
        text = rest.strip_prefix('}').unwrap_or(rest);
        let set = form.sets.iter().find(|set| set.slot.name() == name);
        let flag = Flag::from_name(name);
        let id = set.map(|set| set.slot).or(flag.map(SlotName::Literal));
        slots.push(ModifierSlot {
            name,
            id,
            required,
            kind: set.map_or(SlotKind::Literal(name, flag), |set| SlotKind::Set(set)),
            role: id.map_or(TypeRole::Operation, SlotName::role),
        });
        if name.is_empty() {
            break;
        }
    }
    slots
}

fn read_operands(text: &'static str, form: &'static Form) -> Vec<OperandPosition> {
    let mut operands = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let after_comma = rest.trim_start_matches([',', ' ']);
        // `{, c}` and `{d}` are optional groups, but `{!}c` is a negatable predicate.
        let group = after_comma.starts_with('{') && !after_comma.starts_with("{!}");
        let end = match group {
            true => after_comma.find('}').map_or(after_comma.len(), |at| at + 1),
            false => operand_end(after_comma),
        };
        let (part, tail) = after_comma.split_at(end);
        let inner = match group {
            true => part.trim_matches(['{', '}', ',', ' ']),
            false => part.trim(),
        };
        operands.push(OperandPosition {
            optional: group,
            ..required_operand(inner, form)
        });
        rest = tail;
        if end == 0 {
            break;
        }
    }
    operands
}

/// Returns the end of an operand outside optional groups, which is the position of the next comma or of the next group `{, `.
fn operand_end(text: &str) -> usize {
    // `[tensorMap, coordinates]` is one operand.
    let inside = match text.starts_with('[') {
        true => text.find(']').unwrap_or(0),
        false => 0,
    };
    let outside = text.get(inside..).unwrap_or("");
    let comma = outside.find(',').map_or(text.len(), |at| inside + at);
    let mut pairs = text.as_bytes().windows(2);
    let group = pairs.position(|pair| pair == b"{,").unwrap_or(text.len());
    comma.min(group)
}

/// Parses the notation of a required operand.
fn required_operand(text: &'static str, form: &'static Form) -> OperandPosition {
    let (name, shape) = if let Some(inner) = text.strip_prefix('[') {
        (inner.trim_end_matches(']'), OperandShape::Address)
    } else if let Some(name) = text.strip_prefix("{!}") {
        (name, OperandShape::Negatable)
    } else if let Some((name, _)) = text.split_once('|') {
        let required = name.trim_end_matches('{');
        let optional = required != name;
        (required, OperandShape::Pair { optional })
    } else {
        (text, OperandShape::Plain)
    };
    let given = form.types.iter().find(|(n, _)| *n == name);
    let ty = match (given, shape) {
        (Some((_, ty)), _) => *ty,
        (None, OperandShape::Address) => OperandType::Address,
        (None, OperandShape::Negatable) => OperandType::Predicate,
        (None, _) => OperandType::Slot(SlotName::Type),
    };
    OperandPosition {
        name,
        shape,
        ty,
        role: match form.destination_operands.contains(&name) {
            true => OperandAccess::Written,
            false => OperandAccess::Read,
        },
        optional: false,
    }
}

/// Returns the parsed layouts of all PTX forms, in table order.
pub fn layouts() -> &'static [FormSyntax] {
    crate::PTX.layouts()
}

/// Returns the forms of a PTX opcode (`st`), in table order. The result is empty for an opcode without forms.
pub fn forms_of(opcode: &str) -> impl Iterator<Item = &'static FormSyntax> {
    crate::PTX.forms_of(opcode)
}
