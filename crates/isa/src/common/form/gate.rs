//! Since when, and on which targets, something exists. In: a version and a target; out: whether both suffice, and what
//! is missing.

use crate::target::{Feature, Target, TargetGate};
use crate::version::Version;

/// A condition on the PTX ISA version and the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// First PTX ISA version.
    pub ptx: Version,
    /// Targets that have it.
    pub target: TargetGate,
    /// Where the fact comes from.
    pub origin: Origin,
}

/// Where a fact comes from; shown beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The section of the PTX ISA that the form names.
    Documented,
    /// Verdicts of this version of the reference assembler.
    Assembler(&'static str),
    /// Measured on this target.
    Measured(&'static str),
}

/// What a gate asks for beyond a version and a target; empty where the gate is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Lacking {
    /// The version that is needed.
    pub version: Option<Version>,
    /// The condition that the target does not meet.
    pub target: Option<TargetGate>,
}

impl Gate {
    /// No condition at all.
    pub const ALWAYS: Gate = Gate::ptx(1, 0);

    /// A documented first version, any target.
    pub const fn ptx(major: u8, minor: u8) -> Gate {
        Gate {
            ptx: Version::new(major, minor),
            target: TargetGate::Any,
            origin: Origin::Documented,
        }
    }

    /// The same gate, from the architecture `sm` on.
    pub const fn sm(self, sm: u16) -> Gate {
        self.on(TargetGate::From(sm))
    }

    /// The same gate, for the specific features of the architecture `sm` alone: `sm_90a`.
    pub const fn only_a(self, sm: u16) -> Gate {
        self.on(TargetGate::Only(sm))
    }

    /// The same gate, for the family of the architecture `sm`: `sm_100f`.
    pub const fn family(self, sm: u16) -> Gate {
        self.on(TargetGate::Family(sm))
    }

    /// The same gate, on these targets.
    pub const fn on(self, target: TargetGate) -> Gate {
        Gate { target, ..self }
    }

    /// The same gate, on the targets that have the feature.
    pub const fn with(self, feature: Feature) -> Gate {
        self.on(feature.gate())
    }

    /// The same gate, as the reference assembler of this version has it, against or beyond the manual.
    pub const fn assembler(self, version: &'static str) -> Gate {
        Gate {
            origin: Origin::Assembler(version),
            ..self
        }
    }

    /// Whether version and target suffice.
    pub fn met_by(self, version: Version, target: &Target) -> bool {
        version >= self.ptx && self.target.met_by(target)
    }

    /// What is missing.
    pub fn lacking(self, version: Version, target: &Target) -> Lacking {
        Lacking {
            version: (version < self.ptx).then_some(self.ptx),
            target: (!self.target.met_by(target)).then_some(self.target),
        }
    }

    /// What the gate asks for beyond `other`: what is left to say about a part once the whole was reported.
    #[must_use]
    pub fn beyond(self, other: Gate) -> Gate {
        Gate {
            ptx: match self.ptx <= other.ptx {
                true => Version::FIRST,
                false => self.ptx,
            },
            target: match self.target == other.target
                || matches!(self.target, TargetGate::From(sm) if sm <= other.target.first_sm())
            {
                true => TargetGate::Any,
                false => self.target,
            },
            origin: self.origin,
        }
    }

    /// The later version and the stricter target of both.
    #[must_use]
    pub fn and(self, other: Gate) -> Gate {
        Gate {
            ptx: self.ptx.max(other.ptx),
            target: match (self.target, other.target) {
                (TargetGate::Any, target) | (target, TargetGate::Any) => target,
                // A specific target says more than a lowest number.
                (specific, TargetGate::From(sm)) | (TargetGate::From(sm), specific)
                    if specific.first_sm() >= sm =>
                {
                    specific
                }
                (a, b) if a.first_sm() >= b.first_sm() => a,
                (_, b) => b,
            },
            origin: self.origin,
        }
    }

    /// The lowest architecture number; 0 for every target.
    pub const fn first_sm(self) -> u16 {
        self.target.first_sm()
    }

    /// The gate as a list of names: "PTX 8.8 and `sm_100`".
    pub fn text(self) -> String {
        match self.target.name() {
            None => format!("PTX {}", self.ptx),
            Some(target) => format!("PTX {} and {target}", self.ptx),
        }
    }

    /// The gate as a phrase: "since PTX 8.8, on `sm_100` and later"; `None` for what was always there.
    pub fn phrase(self) -> Option<String> {
        let version = (self.ptx > Version::FIRST).then(|| format!("since PTX {}", self.ptx));
        let target = self.target.text().map(|target| format!("on {target}"));
        match (version, target) {
            (Some(version), Some(target)) => Some(format!("{version}, {target}")),
            (version, target) => version.or(target),
        }
    }
}

impl Origin {
    /// The origin as a noun: "PTX ISA", "assembler 13.5", "measured on `sm_90`".
    pub fn text(self) -> String {
        match self {
            Origin::Documented => "PTX ISA".to_owned(),
            Origin::Assembler(version) => format!("assembler {version}"),
            Origin::Measured(target) => format!("measured on `{target}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_met_by_version_and_target() {
        let gate = Gate::ptx(8, 0).only_a(90);
        let specific = Target::from_name("sm_90a").expect("a target");
        let plain = Target::from_name("sm_90").expect("a target");
        assert!(gate.met_by(Version::new(8, 0), specific));
        assert!(!gate.met_by(Version::new(7, 8), specific));
        let lacking = gate.lacking(Version::new(8, 0), plain);
        assert_eq!(lacking.version, None);
        let lowest = lacking.target.and_then(TargetGate::lowest);
        assert_eq!(lowest.map(|target| target.name), Some("sm_90a"));
    }

    #[test]
    fn texts_name_version_and_target() {
        let gate = Gate::ptx(8, 8).sm(100);
        assert_eq!(gate.text(), "PTX 8.8 and `sm_100`");
        let phrase = gate.phrase();
        assert_eq!(
            phrase.as_deref(),
            Some("since PTX 8.8, on `sm_100` and later")
        );
        assert_eq!(Gate::ALWAYS.phrase(), None);
        assert_eq!(Gate::ALWAYS.text(), "PTX 1.0");
        assert_eq!(Gate::ptx(8, 8).family(100).text(), "PTX 8.8 and `sm_100f`");
    }

    #[test]
    fn two_gates_make_the_stricter_one() {
        let both = Gate::ptx(8, 0).only_a(90).and(Gate::ptx(8, 6).sm(80));
        assert_eq!(
            (both.ptx, both.target),
            (Version::new(8, 6), TargetGate::Only(90))
        );
        let rest = Gate::ptx(8, 0).sm(90).beyond(Gate::ptx(7, 8).sm(90));
        assert_eq!(
            (rest.ptx, rest.target),
            (Version::new(8, 0), TargetGate::Any)
        );
    }
}
