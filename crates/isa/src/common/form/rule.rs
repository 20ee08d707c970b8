//! Constraints between the modifiers of one opcode: conflicts, requirements, and gates of combinations. The rules are table data. The
//! checker enforces the rules, and hover and the reference pages display them.

use super::{BoundForm, FactSource, Gate, SlotName};

/// Predicate on the modifier in one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotPredicate {
    pub slot: SlotName,
    /// Spellings that satisfy the predicate. If the list is empty, any value satisfies it.
    pub values: &'static [&'static str],
}

/// Creates a predicate that any value of the slot satisfies.
pub const fn any(slot: SlotName) -> SlotPredicate {
    SlotPredicate { slot, values: &[] }
}

/// Creates a predicate that these values of the slot satisfy.
pub const fn of(slot: SlotName, values: &'static [&'static str]) -> SlotPredicate {
    SlotPredicate { slot, values }
}

impl SlotPredicate {
    /// Returns whether the slot has a value that satisfies the predicate.
    pub fn holds(self, value: Option<&str>) -> bool {
        value.is_some_and(|value| self.values.is_empty() || self.values.contains(&value))
    }
}

/// Constraint that a rule expresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// `a` and `b` are mutually exclusive.
    Conflict { a: SlotPredicate, b: SlotPredicate },
    /// If `when` is satisfied, the slot must contain one of the values in `among`, or any value if `among` is empty.
    Requires {
        when: SlotPredicate,
        slot: SlotName,
        among: &'static [&'static str],
    },
    /// If `when` is satisfied, the slot must be empty or contain one of the values in `among`.
    Restricts {
        when: SlotPredicate,
        slot: SlotName,
        among: &'static [&'static str],
    },
    /// The combination of two modifiers has this gate.
    CombinationGate {
        a: SlotPredicate,
        b: SlotPredicate,
        gate: Gate,
    },
    /// This value of one modifier has this gate.
    ValueGate { when: SlotPredicate, gate: Gate },
    /// An instruction without a modifier in this slot has this gate.
    OmissionGate { slot: SlotName, gate: Gate },
    /// The elements of the access must have at most `most` bits in total, unless the access is listed in `wide`.
    VectorBits {
        most: u32,
        wide: &'static WideAccess,
    },
    /// The modifier is permitted only for accesses that are listed in `wide`.
    WideOnly {
        when: SlotPredicate,
        wide: &'static WideAccess,
    },
    /// The modifier of the first slot must precede the modifier of the second slot.
    Before { first: SlotName, second: SlotName },
    /// Modifiers of other instructions that users often mistake for modifiers of this opcode.
    ForeignModifier { words: &'static [&'static str] },
}

/// Vector accesses that may exceed the general limit of the access width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WideAccess {
    pub bits: u32,
    /// Vector modifier and element width in bits of each permitted access.
    pub shapes: &'static [(&'static str, u32)],
    pub gate: Gate,
    /// State spaces that support these accesses, in addition to generic addressing.
    pub spaces: &'static [&'static str],
}

impl WideAccess {
    /// Returns whether the vector modifier `vector` with elements of `width_bits` bits is one of these accesses.
    pub fn has(&self, vector: Option<&str>, width_bits: u32) -> bool {
        self.shapes
            .iter()
            .any(|(word, bits)| Some(*word) == vector && *bits == width_bits)
    }
}

/// Distinguishes rules that the reference assembler enforces from rules that only the manual states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// The assembler rejects violations of the rule.
    Error,
    /// The assembler accepts violations of the rule, although the manual forbids them.
    Warning,
}

/// Rule together with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub kind: RuleKind,
    pub verdict: Enforcement,
    pub origin: FactSource,
    /// Reason of the rule, or a suggested alternative, as one phrase.
    pub reason: &'static str,
}

impl Rule {
    /// Returns whether the rule constrains this value of this slot. If it does, the documentation of the value displays the reason of the
    /// rule.
    pub fn concerns(&self, slot: SlotName, value: &str) -> bool {
        let selects = |pick: SlotPredicate| {
            pick.slot == slot && (pick.values.is_empty() || pick.values.contains(&value))
        };
        match self.kind {
            RuleKind::Conflict { a, b } => selects(a) || selects(b),
            RuleKind::Requires { when, .. }
            | RuleKind::Restricts { when, .. }
            | RuleKind::ValueGate { when, .. }
            | RuleKind::WideOnly { when, .. } => selects(when),
            RuleKind::CombinationGate { a, b, .. } => selects(a) && !b.values.is_empty(),
            RuleKind::VectorBits { .. } => slot == SlotName::Vector,
            RuleKind::Before { first, second } => first == slot || second == slot,
            RuleKind::OmissionGate { .. } | RuleKind::ForeignModifier { .. } => false,
        }
    }
}

impl Rule {
    /// Returns the gate that the rule imposes on the bound modifiers, and the slot whose value causes the requirement.
    pub fn gate_in(&self, bound: &BoundForm) -> Option<(SlotName, Gate)> {
        if self.verdict != Enforcement::Error {
            return None;
        }
        let holds = |pick: SlotPredicate| bound.has(pick.slot) && pick.holds(bound.text(pick.slot));
        match self.kind {
            RuleKind::ValueGate { when, gate } => holds(when).then_some((when.slot, gate)),
            RuleKind::CombinationGate { a, b, gate } => {
                (holds(a) && holds(b)).then_some((a.slot, gate))
            }
            RuleKind::VectorBits { wide, .. } => {
                let bits = bound.scalar(SlotName::Type).map_or(0, |ty| ty.width_bits());
                wide.has(bound.text(SlotName::Vector), bits)
                    .then_some((SlotName::Vector, wide.gate))
            }
            RuleKind::Conflict { .. }
            | RuleKind::Requires { .. }
            | RuleKind::Restricts { .. }
            | RuleKind::WideOnly { .. }
            | RuleKind::Before { .. }
            | RuleKind::OmissionGate { .. }
            | RuleKind::ForeignModifier { .. } => None,
        }
    }
}

/// Creates a rule that the manual states and the assembler enforces.
pub const fn rule(kind: RuleKind, reason: &'static str) -> Rule {
    Rule {
        kind,
        verdict: Enforcement::Error,
        origin: FactSource::Documented,
        reason,
    }
}

/// Creates a rule that the assembler enforces, although the manual does not state it.
pub const fn assembler(kind: RuleKind, reason: &'static str) -> Rule {
    Rule {
        origin: FactSource::Assembler("13.5"),
        ..rule(kind, reason)
    }
}

/// Creates a rule that the manual states, although the assembler does not enforce it.
pub const fn manual(kind: RuleKind, reason: &'static str) -> Rule {
    Rule {
        verdict: Enforcement::Warning,
        ..rule(kind, reason)
    }
}

impl SlotPredicate {
    /// Formats the predicate, such as "`.relaxed` or `.release`", or "`.scope`" for any value of the slot.
    fn text(self) -> String {
        match self.values {
            [] => format!("`.{}`", self.slot),
            values => listed(values),
        }
    }
}

/// Formats a list of alternatives, such as "`.a`, `.b` or `.c`". Returns `None` for an empty list.
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
    /// Formats the rule and its reason as one sentence, for hover and the reference pages.
    pub fn sentence(&self) -> String {
        let constraint = self.kind.sentence();
        let weight = match self.verdict {
            Enforcement::Error => "",
            Enforcement::Warning => " (documented in the PTX ISA manual, not enforced by `ptxas`)",
        };
        format!("{constraint}: {}{weight}", self.reason)
    }
}

impl RuleKind {
    fn sentence(&self) -> String {
        match *self {
            RuleKind::Conflict { a, b } => {
                format!("{} cannot be combined with {}", a.text(), b.text())
            }
            RuleKind::Requires { when, slot, among } => {
                let wanted = SlotPredicate {
                    slot,
                    values: among,
                };
                format!("{} requires {}", when.text(), wanted.text())
            }
            RuleKind::Restricts { when, among, .. } => {
                format!(
                    "{} can be combined with {} only",
                    when.text(),
                    listed(among)
                )
            }
            RuleKind::CombinationGate { a, b, gate } => {
                format!("{} with {} requires {}", a.text(), b.text(), gate.text())
            }
            RuleKind::ValueGate { when, gate } => {
                format!("{} requires {}", when.text(), gate.text())
            }
            RuleKind::OmissionGate { slot, gate } => {
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
            RuleKind::ForeignModifier { words } => format!("{} is not allowed", listed(words)),
        }
    }
}

impl WideAccess {
    /// Formats the accesses, such as "256 bits as `.v8` of 32 or `.v4` of 64 bits".
    fn text(&self) -> String {
        let shapes: Vec<String> = self
            .shapes
            .iter()
            .map(|(vector, bits)| format!("`.{vector}` of {bits}-bit elements"))
            .collect();
        format!("{} bits as {}", self.bits, shapes.join(" or "))
    }
}
