//! Reads the syntax line of a form into slots and operands. In: `add{.sat}.type d, a, b`; out: a [`Layout`].
//!
//! The little language: a first word (`ld`), then required (`.type`) and optional (`{.ss}`) slots without blanks,
//! then operands separated by commas. An operand is a name (`a`), an address (`[a]`), a pair of destinations
//! (`d|p`; `d{|p}` when the second may be left out), a predicate that may be negated (`{!}c`), or a destination
//! that may be left out of the list as a group (`{, c}`). A slot whose name is that of one of the form's sets takes
//! a value of the set; any other slot is a literal modifier.

use super::{Form, Meaning, OperandType, Role, Set, SlotName, Value};
use crate::modifier::Flag;
use crate::modifiers::TypeRole;

/// What a slot takes.
#[derive(Clone, Copy, Debug)]
pub enum SlotKind {
    /// One value of the set.
    Set(&'static Set),
    /// This very modifier, without its dot; the flag that it sets. A test proves that every literal has one.
    Literal(&'static str, Option<Flag>),
}

/// Modifier slot of an instruction form.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// As the syntax line writes it, without dot: `type`, `sat`.
    pub name: &'static str,
    /// What the name means; `None` for a literal that has no flag, which a test excludes.
    pub id: Option<SlotName>,
    pub required: bool,
    pub kind: SlotKind,
    /// Which type of the instruction a type word in this slot gives.
    pub role: TypeRole,
}

impl Slot {
    /// What the modifier says, in one line, where the slot takes just one; a set says it of each of its values.
    pub fn help(&self) -> Option<&'static str> {
        match self.kind {
            SlotKind::Literal(_, flag) => flag.map(Flag::help),
            SlotKind::Set(_) => None,
        }
    }

    /// Whether the slot takes types; such slots are filled in the order written.
    pub fn is_type(&self) -> bool {
        match self.kind {
            SlotKind::Set(set) => set
                .values
                .first()
                .is_some_and(|value| matches!(value.meaning, Meaning::Type(_))),
            SlotKind::Literal(..) => false,
        }
    }

    /// The value with this spelling; `Some(None)` for a matching literal, which has no value.
    pub fn find(&self, word: &str) -> Option<Option<&'static Value>> {
        match self.kind {
            SlotKind::Set(set) => set.values.iter().find(|v| v.text == word).map(Some),
            SlotKind::Literal(text, _) => (text == word).then_some(None),
        }
    }

    /// Every spelling that the slot takes.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> {
        let (values, literal): (&'static [Value], _) = match self.kind {
            SlotKind::Set(set) => (set.values, None),
            SlotKind::Literal(text, _) => (&[], Some(text)),
        };
        values.iter().map(|value| value.text).chain(literal)
    }
}

/// How an operand is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandShape {
    /// A value or a register.
    Plain,
    /// In brackets.
    Address,
    /// A destination, and a second one after a bar; whether the second may be left out.
    Pair { optional: bool },
    /// A predicate that may be negated with `!`.
    Negatable,
}

/// One operand position of a form.
#[derive(Clone, Copy, Debug)]
pub struct OperandSlot {
    /// As the syntax line names it: `d`, `a`.
    pub name: &'static str,
    pub shape: OperandShape,
    pub ty: OperandType,
    /// Whether the instruction writes it.
    pub role: Role,
    pub optional: bool,
}

/// A syntax line, read.
#[derive(Clone, Debug)]
pub struct Layout {
    pub form: &'static Form,
    /// The first word of the opcode: `st` for `st.async`.
    pub opcode: &'static str,
    pub slots: Vec<Slot>,
    pub operands: Vec<OperandSlot>,
}

impl Layout {
    /// Reads the syntax line of a row. Rows are written by us: a test reads every one and compares it with
    /// [`Layout::spelled`].
    pub fn read(form: &'static Form) -> Layout {
        let (mnemonic, operands) = form
            .syntax
            .split_once(char::is_whitespace)
            .unwrap_or((form.syntax, ""));
        let end = mnemonic.find(['.', '{']).unwrap_or(mnemonic.len());
        let (opcode, slots) = mnemonic.split_at(end);
        Layout {
            form,
            opcode,
            slots: read_slots(slots, form),
            operands: read_operands(operands, form),
        }
    }

    /// The slots that belong to the name of the instruction: `.async` of `st.async`.
    pub fn leads(&self) -> &[Slot] {
        self.slots.get(..self.form.leads).unwrap_or(&self.slots)
    }

    /// The name of the instruction with its literals: `wmma.store.d`, `bar.red`; a `mul` whose second word is one of
    /// several stays `mul`.
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

    /// The most operands that are not refused by their number alone.
    pub fn n_most(&self) -> usize {
        self.operands.len() + self.form.extra_operands
    }

    /// How many operands must be written.
    pub fn n_required(&self) -> usize {
        self.operands.iter().filter(|o| !o.optional).count()
    }

    /// The opcode with its slots, as the syntax line writes it.
    pub fn mnemonic(&self) -> &'static str {
        self.form
            .syntax
            .split_whitespace()
            .next()
            .unwrap_or(self.form.syntax)
    }

    /// The line again, from what was read.
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

fn read_slots(mut text: &'static str, form: &'static Form) -> Vec<Slot> {
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
        slots.push(Slot {
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

fn read_operands(text: &'static str, form: &'static Form) -> Vec<OperandSlot> {
    let mut operands = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let after_comma = rest.trim_start_matches([',', ' ']);
        // `{, c}` and `{d}` are groups that may be left out; `{!}c` is not a group.
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
        operands.push(OperandSlot {
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

/// Where an operand that is not a group ends: at a comma, or where a group `{, ` begins.
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

/// Reads an operand that is required.
fn required_operand(text: &'static str, form: &'static Form) -> OperandSlot {
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
    OperandSlot {
        name,
        shape,
        ty,
        role: match form.writes.contains(&name) {
            true => Role::Written,
            false => Role::Read,
        },
        optional: false,
    }
}

/// Every form of PTX, read; in table order.
pub fn layouts() -> &'static [Layout] {
    crate::PTX.layouts()
}

/// The forms of an opcode word of PTX (`st`), in table order; empty for words that no row has.
pub fn forms_of(opcode: &str) -> impl Iterator<Item = &'static Layout> {
    crate::PTX.forms_of(opcode)
}
