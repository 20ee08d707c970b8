//! Availability gates: required PTX ISA versions and targets, and the requirements that a given version and target do not satisfy.

use crate::target::{Feature, Target, TargetRequirement};
use crate::version::Version;

/// Required PTX ISA version and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// First PTX ISA version that satisfies the gate.
    pub ptx: Version,
    /// Targets that satisfy the gate.
    pub target: TargetRequirement,
    /// Source of the requirement: documentation, assembler or measurement.
    pub origin: FactSource,
}

/// Source of a fact in a table entry. Hover and the reference display the source next to the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactSource {
    /// The section of the PTX ISA that the form references.
    Documented,
    /// Behavior of this version of the reference assembler.
    Assembler(&'static str),
    /// Result of a measurement on this target.
    Measured(&'static str),
}

/// Unmet requirements of a gate for a given version and target. Both fields are `None` if the gate is satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct UnmetRequirements {
    /// Required version, if the version is too old.
    pub version: Option<Version>,
    /// Required targets, if the target is not one of them.
    pub target: Option<TargetRequirement>,
}

impl Gate {
    /// Gate that is always satisfied.
    pub const ALWAYS: Gate = Gate::ptx(1, 0);

    /// Creates a gate for any target, with the first version that the PTX ISA documents.
    pub const fn ptx(major: u8, minor: u8) -> Gate {
        Gate {
            ptx: Version::new(major, minor),
            target: TargetRequirement::Any,
            origin: FactSource::Documented,
        }
    }

    /// Returns the gate, restricted to the architecture `sm` and later architectures.
    pub const fn sm(self, sm: u16) -> Gate {
        self.on(TargetRequirement::From(sm))
    }

    /// Returns the gate, restricted to the architecture-specific target of `sm`, such as `sm_90a`.
    pub const fn arch_specific(self, sm: u16) -> Gate {
        self.on(TargetRequirement::Only(sm))
    }

    /// Returns the gate, restricted to the family-specific targets of the architecture `sm`, such as `sm_100f`.
    pub const fn family(self, sm: u16) -> Gate {
        self.on(TargetRequirement::Family(sm))
    }

    /// Returns the gate, restricted to these targets.
    pub const fn on(self, target: TargetRequirement) -> Gate {
        Gate { target, ..self }
    }

    /// Returns the gate, restricted to the targets that have the feature.
    pub const fn with(self, feature: Feature) -> Gate {
        self.on(feature.gate())
    }

    /// Returns the gate with this version of the reference assembler as its source. Tables use this source for behavior that contradicts or
    /// extends the manual.
    pub const fn assembler(self, version: &'static str) -> Gate {
        Gate {
            origin: FactSource::Assembler(version),
            ..self
        }
    }

    /// Returns whether version and target satisfy the gate.
    pub fn is_satisfied_by(self, version: Version, target: &Target) -> bool {
        version >= self.ptx && self.target.met_by(target)
    }

    /// Returns the requirements that the version and the target do not satisfy.
    pub fn lacking(self, version: Version, target: &Target) -> UnmetRequirements {
        UnmetRequirements {
            version: (version < self.ptx).then_some(self.ptx),
            target: (!self.target.met_by(target)).then_some(self.target),
        }
    }

    /// Returns the requirements of this gate that `other` does not imply. If the checker has already reported the gate of the instruction,
    /// these requirements remain to be reported for a modifier.
    #[must_use]
    pub fn beyond(self, other: Gate) -> Gate {
        Gate {
            ptx: match self.ptx <= other.ptx {
                true => Version::FIRST,
                false => self.ptx,
            },
            target: match self.target == other.target
                || matches!(self.target, TargetRequirement::From(sm) if sm <= other.target.first_sm())
            {
                true => TargetRequirement::Any,
                false => self.target,
            },
            origin: self.origin,
        }
    }

    /// Returns a gate with the later version and the stricter target requirement of both gates.
    #[must_use]
    pub fn and(self, other: Gate) -> Gate {
        Gate {
            ptx: self.ptx.max(other.ptx),
            target: match (self.target, other.target) {
                (TargetRequirement::Any, target) | (target, TargetRequirement::Any) => target,
                // An exact target is stricter than a minimum architecture.
                (specific, TargetRequirement::From(sm))
                | (TargetRequirement::From(sm), specific)
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

    /// Returns the lowest architecture number that satisfies the gate, or 0 if every target satisfies it.
    pub const fn first_sm(self) -> u16 {
        self.target.first_sm()
    }

    /// Formats the gate as a list of names, such as "PTX 8.8 and `sm_100`".
    pub fn text(self) -> String {
        match self.target.name() {
            None => format!("PTX {}", self.ptx),
            Some(target) => format!("PTX {} and {target}", self.ptx),
        }
    }

    /// Formats the gate as a phrase, such as "since PTX 8.8, on `sm_100` and later", or `None` if the gate has no requirement.
    pub fn phrase(self) -> Option<String> {
        let version = (self.ptx > Version::FIRST).then(|| format!("since PTX {}", self.ptx));
        let target = self.target.text().map(|target| format!("on {target}"));
        match (version, target) {
            (Some(version), Some(target)) => Some(format!("{version}, {target}")),
            (version, target) => version.or(target),
        }
    }
}

impl FactSource {
    /// Formats the source as a noun phrase, such as "PTX ISA", "assembler 13.5" or "measured on `sm_90`".
    pub fn text(self) -> String {
        match self {
            FactSource::Documented => "PTX ISA".to_owned(),
            FactSource::Assembler(version) => format!("assembler {version}"),
            FactSource::Measured(target) => format!("measured on `{target}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gate_requires_both_version_and_target() {
        let gate = Gate::ptx(8, 0).arch_specific(90);
        let specific = Target::from_name("sm_90a").expect("a target");
        let plain = Target::from_name("sm_90").expect("a target");
        assert!(gate.is_satisfied_by(Version::new(8, 0), specific));
        assert!(!gate.is_satisfied_by(Version::new(7, 8), specific));
        let lacking = gate.lacking(Version::new(8, 0), plain);
        assert_eq!(lacking.version, None);
        let lowest = lacking.target.and_then(TargetRequirement::lowest);
        assert_eq!(lowest.map(|target| target.name), Some("sm_90a"));
    }

    #[test]
    fn gate_descriptions_name_version_and_target() {
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
    fn gates_combine_to_stricter_gate_and_subtract() {
        let both = Gate::ptx(8, 0)
            .arch_specific(90)
            .and(Gate::ptx(8, 6).sm(80));
        assert_eq!(
            (both.ptx, both.target),
            (Version::new(8, 6), TargetRequirement::Only(90))
        );
        let rest = Gate::ptx(8, 0).sm(90).beyond(Gate::ptx(7, 8).sm(90));
        assert_eq!(
            (rest.ptx, rest.target),
            (Version::new(8, 0), TargetRequirement::Any)
        );
    }
}
