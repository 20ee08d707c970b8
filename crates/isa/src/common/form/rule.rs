//! Rules that hold between the modifiers of one opcode, beyond one value per slot: what excludes what, what needs what,
//! and from which version on a combination exists. Rows of data: the checker applies them, hover and reference page
//! show them.

use super::{Bound, Gate, Origin, SlotName};

/// Values of one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub slot: SlotName,
    /// The spellings meant; empty for whatever fills the slot.
    pub values: &'static [&'static str],
}

/// Whatever fills the slot.
pub const fn any(slot: SlotName) -> Pick {
    Pick { slot, values: &[] }
}

/// These values of the slot.
pub const fn of(slot: SlotName, values: &'static [&'static str]) -> Pick {
    Pick { slot, values }
}

impl Pick {
    /// Whether the slot's value, if it has one, is meant.
    pub fn holds(self, value: Option<&str>) -> bool {
        value.is_some_and(|value| self.values.is_empty() || self.values.contains(&value))
    }
}

/// What a rule demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Never both.
    Clash { a: Pick, b: Pick },
    /// Where `when` holds, the slot must be filled, with one of `among` (empty: with anything).
    Needs {
        when: Pick,
        slot: SlotName,
        among: &'static [&'static str],
    },
    /// Where `when` holds, the slot is empty or has one of `among`.
    Only {
        when: Pick,
        slot: SlotName,
        among: &'static [&'static str],
    },
    /// Both together from this gate on.
    Together { a: Pick, b: Pick, gate: Gate },
    /// The value from this gate on.
    From { when: Pick, gate: Gate },
    /// The slot may be left empty from this gate on.
    Empty { slot: SlotName, gate: Gate },
    /// All elements together have at most `most` bits, or make one of the `wide` accesses.
    VectorBits { most: u32, wide: &'static Wide },
    /// Only with one of the `wide` accesses.
    WideOnly { when: Pick, wide: &'static Wide },
    /// The word of one slot comes before that of another.
    Before { first: SlotName, second: SlotName },
    /// Words of other instructions that people try here.
    Refused { words: &'static [&'static str] },
}

/// Accesses wider than the rule for all allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    pub bits: u32,
    /// Vector word and element width in bits.
    pub shapes: &'static [(&'static str, u32)],
    pub gate: Gate,
    /// Spaces that have them besides generic addressing.
    pub spaces: &'static [&'static str],
}

impl Wide {
    /// Whether `vector` elements of `width_bits` bits form one of these accesses.
    pub fn has(&self, vector: Option<&str>, width_bits: u32) -> bool {
        self.shapes
            .iter()
            .any(|(word, bits)| Some(*word) == vector && *bits == width_bits)
    }
}

/// Who breaks a rule: the reference assembler, or only the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The assembler refuses it.
    Error,
    /// The assembler takes it although the manual does not.
    Warning,
}

/// A rule with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub kind: RuleKind,
    pub verdict: Verdict,
    pub origin: Origin,
    /// One phrase in our own words: why, or what to do instead.
    pub why: &'static str,
}

impl Rule {
    /// Whether the rule says something about this value of this slot, so that its reason is worth showing there.
    pub fn concerns(&self, slot: SlotName, value: &str) -> bool {
        let meant = |pick: Pick| {
            pick.slot == slot && (pick.values.is_empty() || pick.values.contains(&value))
        };
        match self.kind {
            RuleKind::Clash { a, b } => meant(a) || meant(b),
            RuleKind::Needs { when, .. }
            | RuleKind::Only { when, .. }
            | RuleKind::From { when, .. }
            | RuleKind::WideOnly { when, .. } => meant(when),
            RuleKind::Together { a, b, .. } => meant(a) && !b.values.is_empty(),
            RuleKind::VectorBits { .. } => slot == SlotName::Vector,
            RuleKind::Before { first, second } => first == slot || second == slot,
            RuleKind::Empty { .. } | RuleKind::Refused { .. } => false,
        }
    }
}

impl Rule {
    /// The gate that the rule puts on an opcode with these words, and the slot whose value is the reason.
    pub fn gate_in(&self, bound: &Bound) -> Option<(SlotName, Gate)> {
        if self.verdict != Verdict::Error {
            return None;
        }
        let holds = |pick: Pick| bound.has(pick.slot) && pick.holds(bound.text(pick.slot));
        match self.kind {
            RuleKind::From { when, gate } => holds(when).then_some((when.slot, gate)),
            RuleKind::Together { a, b, gate } => (holds(a) && holds(b)).then_some((a.slot, gate)),
            RuleKind::VectorBits { wide, .. } => {
                let bits = bound.scalar(SlotName::Type).map_or(0, |ty| ty.width_bits());
                wide.has(bound.text(SlotName::Vector), bits)
                    .then_some((SlotName::Vector, wide.gate))
            }
            RuleKind::Clash { .. }
            | RuleKind::Needs { .. }
            | RuleKind::Only { .. }
            | RuleKind::WideOnly { .. }
            | RuleKind::Before { .. }
            | RuleKind::Empty { .. }
            | RuleKind::Refused { .. } => None,
        }
    }
}

/// A rule of the manual that the assembler enforces.
pub const fn rule(kind: RuleKind, why: &'static str) -> Rule {
    Rule {
        kind,
        verdict: Verdict::Error,
        origin: Origin::Documented,
        why,
    }
}

/// A rule that only the assembler knows.
pub const fn assembler(kind: RuleKind, why: &'static str) -> Rule {
    Rule {
        origin: Origin::Assembler("13.5"),
        ..rule(kind, why)
    }
}

/// A rule of the manual that the assembler does not enforce.
pub const fn manual(kind: RuleKind, why: &'static str) -> Rule {
    Rule {
        verdict: Verdict::Warning,
        ..rule(kind, why)
    }
}

impl Pick {
    /// "`.relaxed` or `.release`", or "`.scope`" for whatever fills the slot.
    fn text(self) -> String {
        match self.values {
            [] => format!("`.{}`", self.slot),
            values => listed(values),
        }
    }
}

/// "`.a`, `.b` or `.c`"; `None` without words.
pub fn alternatives(words: &[&str]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("`.{word}`")).collect();
    let (last, rest) = quoted.split_last()?;
    Some(match rest {
        [] => last.clone(),
        _ => format!("{} or {last}", rest.join(", ")),
    })
}

fn listed(words: &[&str]) -> String {
    alternatives(words).unwrap_or_default()
}

impl Rule {
    /// The rule and its reason as one sentence, for hover and reference.
    pub fn sentence(&self) -> String {
        let what = self.kind.sentence();
        let weight = match self.verdict {
            Verdict::Error => "",
            Verdict::Warning => " (documented in the PTX ISA manual, not enforced by `ptxas`)",
        };
        format!("{what}: {}{weight}", self.why)
    }
}

impl RuleKind {
    fn sentence(&self) -> String {
        match *self {
            RuleKind::Clash { a, b } => {
                format!("{} cannot be combined with {}", a.text(), b.text())
            }
            RuleKind::Needs { when, slot, among } => {
                let wanted = Pick {
                    slot,
                    values: among,
                };
                format!("{} requires {}", when.text(), wanted.text())
            }
            RuleKind::Only { when, among, .. } => {
                format!(
                    "{} can be combined with {} only",
                    when.text(),
                    listed(among)
                )
            }
            RuleKind::Together { a, b, gate } => {
                format!("{} with {} requires {}", a.text(), b.text(), gate.text())
            }
            RuleKind::From { when, gate } => {
                format!("{} requires {}", when.text(), gate.text())
            }
            RuleKind::Empty { slot, gate } => {
                format!("omitting `.{slot}` requires {}", gate.text())
            }
            RuleKind::VectorBits { most, wide } if wide.shapes.is_empty() => {
                format!("a vector has at most {most} bits in total")
            }
            RuleKind::VectorBits { most, wide } => format!(
                "a vector has at most {most} bits in total, or {} with {} in {} and generic memory",
                wide.text(),
                wide.gate.text(),
                listed(wide.spaces)
            ),
            RuleKind::WideOnly { when, wide } => {
                format!("{} requires {}", when.text(), wide.text())
            }
            RuleKind::Before { first, second } => format!("`.{first}` must precede `.{second}`"),
            RuleKind::Refused { words } => format!("{} is not allowed", listed(words)),
        }
    }
}

impl Wide {
    /// "256 bits as `.v8` of 32 or `.v4` of 64 bits"
    fn text(&self) -> String {
        let shapes: Vec<String> = self
            .shapes
            .iter()
            .map(|(vector, bits)| format!("`.{vector}` of {bits}-bit elements"))
            .collect();
        format!("{} bits as {}", self.bits, shapes.join(" or "))
    }
}
