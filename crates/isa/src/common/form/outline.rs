//! Outlines: what is known of an instruction that has no row yet. In: opcode words; out: its name, the gates of its words,
//! how many of each kind it takes, and what kinds of operands. What it does, and the types of its operands, a row says.

use super::Gate;
use crate::dialect::Dialect;

/// Words with the gate they have in common, separated by blanks.
pub type Gated = (Gate, &'static str);

/// An instruction without a row.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// The words of its name: `cp.async.bulk`.
    pub name: &'static str,
    pub gate: Gate,
    /// Words that are always written.
    pub required: &'static str,
    /// Words that may be written, each once.
    pub flags: &'static [Gated],
    /// One text for each number of operands; a group of letters says what an operand may be: `R` a register or name, `I` a
    /// number, `A` an address, `V` values in braces.
    pub operands: &'static [&'static str],
    /// Words of which a given number is written.
    pub groups: &'static [Group],
    /// Since when a predicate after the bar says whether what is read is resident.
    pub residency: Gate,
    /// Whether its operands are those of `tex`: results, a texture with coordinates, levels and offsets.
    pub reads_texture: bool,
}

/// Words of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The kind, as a noun: "state space".
    pub title: &'static str,
    pub least: usize,
    pub most: usize,
    pub words: &'static [Gated],
}

/// An outline, in the order of the tables.
pub const fn outline(
    name: &'static str,
    gate: Gate,
    required: &'static str,
    flags: &'static [Gated],
    operands: &'static [&'static str],
    groups: &'static [Group],
) -> Outline {
    Outline {
        name,
        gate,
        required,
        flags,
        operands,
        groups,
        residency: Gate::ALWAYS,
        reads_texture: false,
    }
}

/// `n` of these words.
pub const fn exactly(n: usize, title: &'static str, words: &'static [Gated]) -> Group {
    between(n, n, title, words)
}

/// At most `most` of these words.
pub const fn up_to(most: usize, title: &'static str, words: &'static [Gated]) -> Group {
    between(0, most, title, words)
}

/// From `least` to `most` of these words.
pub const fn between(
    least: usize,
    most: usize,
    title: &'static str,
    words: &'static [Gated],
) -> Group {
    Group {
        title,
        least,
        most,
        words,
    }
}

impl Group {
    /// Every word.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.words.iter().flat_map(|(_, words)| words.split(' '))
    }
}

/// What an outline says of one word.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub gate: Gate,
    /// Index of its group; none for words that come at most once each.
    pub group: Option<usize>,
}

impl Outline {
    /// The same with the gate of the predicate after the bar.
    pub const fn resident(self, gate: Gate) -> Outline {
        Outline {
            residency: gate,
            ..self
        }
    }

    /// The same, with the operands of `tex`.
    pub const fn texture(self) -> Outline {
        Outline {
            reads_texture: true,
            ..self
        }
    }

    /// The first word of the name.
    pub fn opcode(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }

    /// Number of words of the name, the opcode included.
    pub fn n_names(&self) -> usize {
        self.name.split('.').count()
    }

    /// Whether the first modifiers are the rest of the name.
    fn is_named(&self, words: &[&str]) -> bool {
        let mut names = self.name.split('.').skip(1).enumerate();
        names.all(|(index, name)| words.get(index) == Some(&name))
    }

    /// What is known of a word after the name.
    pub fn find(&self, word: &str) -> Option<Known> {
        let gate_in = |list: &[Gated]| {
            let mut list = list.iter();
            let found = list.find(|(_, words)| words.split(' ').any(|other| other == word));
            found.map(|(gate, _)| *gate)
        };
        if self.required.split(' ').any(|other| other == word) {
            let gate = Gate::ALWAYS;
            return Some(Known { gate, group: None });
        }
        if let Some(gate) = gate_in(self.flags) {
            return Some(Known { gate, group: None });
        }
        let mut groups = self.groups.iter().enumerate();
        groups.find_map(|(index, group)| {
            let gate = gate_in(group.words)?;
            let group = Some(index);
            Some(Known { gate, group })
        })
    }

    /// The kinds of `n` operands; none where the instruction never has `n`.
    pub fn shape(&self, n_operands: usize) -> Option<&'static str> {
        let mut shapes = self.operands.iter().copied();
        shapes.find(|shape| shape.split_whitespace().count() == n_operands)
    }
}

impl Dialect {
    /// The outline whose name has the most words of those written.
    pub fn outline(&'static self, opcode: &str, words: &[&str]) -> Option<&'static Outline> {
        self.outlines_of(opcode)
            .filter(|outline| outline.is_named(words))
            .max_by_key(|outline| outline.n_names())
    }
}
