//! Outlines: what is known of an instruction that has no row yet. In: opcode words; out: its name, the gates of its words,
//! how many of each kind it takes, and what kinds of operands. What it does, and the types of its operands, a row says.

use super::Gate;
use crate::dialect::Dialect;

/// Words with the gate they have in common, separated by blanks. A `*` is a multiple of 8 from 8 to 256: `m64n*k16`.
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
    /// Words that have a gate of their own where they are written in this order.
    pub together: &'static [Gated],
    /// Words that do not go together.
    pub apart: &'static [&'static str],
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
        together: &[],
        apart: &[],
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

/// Whether a word is one of these, which are separated by blanks.
fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|other| match other.split_once('*') {
        Some((before, after)) => {
            let middle = word.strip_prefix(before);
            let number = middle.and_then(|rest| rest.strip_suffix(after)?.parse::<u32>().ok());
            number.is_some_and(|n| n.is_multiple_of(8) && (8..=256).contains(&n))
        }
        None => other == word,
    })
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

    /// The same, with a gate for words that are written in this order.
    pub const fn together(self, together: &'static [Gated]) -> Outline {
        Outline { together, ..self }
    }

    /// The same, with words that do not go together.
    pub const fn apart(self, apart: &'static [&'static str]) -> Outline {
        Outline { apart, ..self }
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
            let found = list.find(|(_, words)| is_among(words, word));
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

#[cfg(test)]
mod tests {
    use super::is_among;

    #[test]
    fn a_star_is_a_multiple_of_eight() {
        let words = "m64n*k16 m64n*k8";
        assert!(
            ["m64n8k16", "m64n256k8", "m64n40k16"]
                .iter()
                .all(|word| is_among(words, word))
        );
        assert!(
            !["m64n264k16", "m64n12k8", "m64nk8", "m64n8k32", "m64n*k8"]
                .iter()
                .any(|word| is_among(words, word))
        );
    }
}
