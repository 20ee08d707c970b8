//! Determines the instructions that random kernels do not contain. The file `excluded.txt` lists the patterns of these instructions with
//! the reasons.

use regex::Regex;
use std::sync::LazyLock;

/// Selects whether random kernels contain the instructions that `ptxas` is known to miscompile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownMiscompiles {
    #[default]
    Excluded,
    Included,
}

/// Reason for an exclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExclusionReason {
    /// The PTX ISA manual does not define the result.
    Undefined,
    /// `ptxas` compiles the instruction incorrectly.
    Miscompiled,
}

/// Pattern of excluded instructions, with its reason, its exception and its target.
struct Exclusion {
    reason: ExclusionReason,
    pattern: Regex,
    /// Pattern of instructions that are not excluded although they match the pattern of the exclusion.
    exception: Option<Regex>,
    /// Target to which the exclusion applies; `None` if the exclusion applies to all targets.
    target: Option<&'static str>,
}

static EXCLUSIONS: LazyLock<Vec<Exclusion>> = LazyLock::new(|| {
    let mut exclusions: Vec<Exclusion> = Vec::new();
    for line in include_str!("excluded.txt").lines() {
        let (keyword, value) = line.split_once(' ').unwrap_or((line, ""));
        let regex = || Regex::new(value).expect("`excluded.txt` contains valid patterns");
        match (keyword, exclusions.last_mut()) {
            ("#" | "", _) => {}
            ("unless", Some(last)) => last.exception = Some(regex()),
            ("target", Some(last)) => last.target = Some(value),
            _ => exclusions.push(Exclusion {
                reason: match keyword {
                    "undefined" => ExclusionReason::Undefined,
                    "miscompiled" => ExclusionReason::Miscompiled,
                    other => panic!("`{other}` is not a keyword of `excluded.txt`"),
                },
                pattern: regex(),
                exception: None,
                target: None,
            }),
        }
    }
    exclusions
});

/// Returns whether an instruction is excluded because the PTX ISA manual does not define its result, or because `ptxas` is known to
/// miscompile the instruction and `known` excludes such instructions.
pub(crate) fn is_excluded(text: &str, target: Option<&str>, known: KnownMiscompiles) -> bool {
    EXCLUSIONS.iter().any(|exclusion| {
        let is_selected =
            exclusion.reason == ExclusionReason::Undefined || known == KnownMiscompiles::Excluded;
        is_selected
            && exclusion.target.is_none_or(|only| Some(only) == target)
            && exclusion.pattern.is_match(text)
            && !exclusion
                .exception
                .as_ref()
                .is_some_and(|exception| exception.is_match(text))
    })
}

#[cfg(test)]
mod tests {
    use super::KnownMiscompiles::{Excluded, Included};
    use super::is_excluded;

    #[test]
    fn exclusions_depend_on_operands_and_target() {
        assert!(is_excluded("max.f64 %d1, %d3, %d0;", None, Excluded));
        assert!(!is_excluded(
            "max.f64 %d1, %d3, 0d3FF0000000000000;",
            None,
            Excluded
        ));
        assert!(is_excluded(
            "max.f64 %d1, %d3, 0d7FF8000000000000;",
            None,
            Excluded
        ));
        assert!(is_excluded(
            "cvt.rz.f16.f32 %h1, %r0;",
            Some("sm_75"),
            Excluded
        ));
        assert!(!is_excluded(
            "cvt.rz.f16.f32 %h1, %r0;",
            Some("sm_90"),
            Excluded
        ));
        assert!(!is_excluded("add.u32 %r1, %r2, %r3;", None, Excluded));
    }

    #[test]
    fn known_miscompiles_are_included_on_request() {
        let shift = "shl.b16 %h1, %h2, %r3;";
        assert!(is_excluded(shift, None, Excluded));
        assert!(!is_excluded(shift, None, Included));
        assert!(is_excluded("abs.f32 %r1, %r2;", None, Included));
    }
}
