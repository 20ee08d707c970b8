//! Determines the instructions that random kernels do not contain. The file `excluded.txt` lists the patterns of these instructions with
//! the reasons.

use regex::Regex;
use std::sync::LazyLock;

/// Pattern of excluded instructions, with its exception and its target.
struct Exclusion {
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
                pattern: regex(),
                exception: None,
                target: None,
            }),
        }
    }
    exclusions
});

/// Returns whether an instruction is excluded because the PTX ISA manual does not define its result, or because `ptxas` is known to
/// miscompile the instruction.
pub(super) fn is_excluded(text: &str, target: Option<&str>) -> bool {
    EXCLUSIONS.iter().any(|exclusion| {
        exclusion.target.is_none_or(|only| Some(only) == target)
            && exclusion.pattern.is_match(text)
            && !exclusion
                .exception
                .as_ref()
                .is_some_and(|exception| exception.is_match(text))
    })
}

#[cfg(test)]
mod tests {
    use super::is_excluded;

    #[test]
    fn exclusions_depend_on_operands_and_target() {
        assert!(is_excluded("max.f64 %d1, %d3, %d0;", None));
        assert!(!is_excluded("max.f64 %d1, %d3, 0d3FF0000000000000;", None));
        assert!(is_excluded("max.f64 %d1, %d3, 0d7FF8000000000000;", None));
        assert!(is_excluded("cvt.rz.f16.f32 %h1, %r0;", Some("sm_75")));
        assert!(!is_excluded("cvt.rz.f16.f32 %h1, %r0;", Some("sm_90")));
        assert!(!is_excluded("add.u32 %r1, %r2, %r3;", None));
    }
}
