//! Instructions that random kernels do not contain: `excluded.txt` lists their patterns with the reasons.

use regex::Regex;
use std::sync::LazyLock;

/// Pattern of excluded instructions.
struct Exclusion {
    pattern: Regex,
    /// Instructions that also match this pattern are not excluded.
    exception: Option<Regex>,
    /// Only target to which the exclusion applies; all targets if `None`.
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

/// Returns whether the manual does not define the result of an instruction, or `ptxas` is known to miscompile the instruction.
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
