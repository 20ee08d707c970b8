//! Mutates accepted modules. The same cases and seed yield the same mutants.

use super::super::case::VerdictCase;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warpgrid_differential::random::SplitMix64;
use warpgrid_isa::{Target, Version, target::TARGETS};

/// Operands that mutations insert: registers of each size, literals, addresses, vectors, sinks, and undeclared names.
const OPERANDS: &[&str] = &[
    "1",
    "-1",
    "0",
    "4096",
    "70000",
    "1.0",
    "0f3F800000",
    "0d3FF0000000000000",
    "_",
    "%p1",
    "!%p1",
    "%r1",
    "%r2",
    "%rd1",
    "%f1",
    "%fd1",
    "%h1",
    "%laneid",
    "%tid.x",
    "{%r1, %r2}",
    "[%rd1]",
    "[%rd1+4]",
    "[sh]",
    "sh",
    "gbl",
    "gbl+4",
    "nosuch",
    "%r1|%p1",
    "%p1|%p2",
    "{%r1}",
    "-%r1",
    "%r1+4",
    "%p1+1",
    "%tid.x+1",
    "WARP_SZ",
    "{}",
    "{1, 2}",
    "{%r1, _}",
    "{%r1, %r2, %r3, %r4}",
    "{%p1}",
    "[%rd1+%r1]",
    "[gbl]",
    "[gbl+4]",
    "[16]",
    "[%rd1-4]",
    "gbl[1]",
    "%r1.x",
    "%r1.b0",
    "%clock64",
    "%envreg3",
    "0x80000000U",
    "-0x8000000000000000",
    "(1+2)*3",
    "1<2?3:4",
    "generic(gbl)",
    "mask(gbl)",
    "\"text\"",
    "%r1, %r2",
];

/// Source of the mutations: the accepted cases, and the components that a mutation can insert.
#[derive(Debug)]
pub(super) struct MutationPool<'a> {
    /// Accepted cases by instruction family. The grouping tests small families as often as large families.
    families: Vec<Vec<&'a VerdictCase>>,
    /// Every component of an opcode in the instruction tables.
    words: Vec<&'a str>,
    /// PTX versions that a mutation can select.
    versions: Vec<Version>,
}

impl<'a> MutationPool<'a> {
    pub(super) fn of(cases: &'a [VerdictCase]) -> MutationPool<'a> {
        let mut families: BTreeMap<&str, Vec<&VerdictCase>> = BTreeMap::new();
        let mut words = BTreeSet::new();
        for case in cases {
            families.entry(&case.family).or_default().push(case);
            let (_, head, _) = parts(&case.insn);
            words.extend(head.split('.').skip(1));
        }
        MutationPool {
            families: families.into_values().collect(),
            words: words.into_iter().collect(),
            versions: Version::all().collect(),
        }
    }

    /// Returns the mutant with the number `index`. The families of the cases are used in rotation.
    pub(super) fn mutant(&self, index: usize, random: &mut SplitMix64) -> VerdictCase {
        let family = self.families.get(index % self.families.len().max(1));
        let chosen = family.and_then(|family| random.pick(family));
        let mut case = chosen.map_or_else(VerdictCase::default, |case| (*case).clone());
        let n = if random.below(5) == 0 { 2 } else { 1 };
        for _ in 0..n {
            self.change(&mut case, random);
        }
        case.id = format!("{}-fresh-{index}", case.family);
        case.group = "fresh".to_owned();
        case
    }

    fn change(&self, case: &mut VerdictCase, random: &mut SplitMix64) {
        let (guard, head, operands) = parts(&case.insn);
        let mut words: Vec<&str> = head.split('.').collect();
        let place = 1 + random.below(words.len().saturating_sub(1));
        let has_words = words.len() > 1;
        match random.below(100) {
            0..22 if has_words => {
                words.insert(place, random.pick(&self.words).copied().unwrap_or(""))
            }
            22..40 if has_words => words[place] = random.pick(&self.words).copied().unwrap_or(""),
            40..48 if words.len() > 2 => {
                let other = 1 + random.below(words.len() - 1);
                words.swap(place, other);
            }
            48..54 if has_words => {
                words.remove(place);
            }
            54..60 if has_words => words.insert(place, words[place]),
            60..82 => return self.move_to_another_target(case, random),
            kind => {
                let operands = match kind {
                    82..92 => with_other_operand(operands, random),
                    _ => with_other_list(operands, random),
                };
                case.insn = format!("{guard}{head}{operands}");
                return;
            }
        }
        case.insn = format!("{guard}{}{operands}", words.join("."));
    }

    /// Replaces the target of a case, and selects either the newest PTX version or another version that supports the target.
    fn move_to_another_target(&self, case: &mut VerdictCase, random: &mut SplitMix64) {
        let Some(target) = random.pick(TARGETS) else {
            return;
        };
        let version = match random.below(5) {
            0 | 1 => Version::NEWEST,
            _ => self.version_of(target, random),
        };
        case.target = target.name.to_owned();
        case.ptx_version = version.to_string();
    }

    fn version_of(&self, target: &Target, random: &mut SplitMix64) -> Version {
        let least = least_version(target);
        let known = self.versions.iter().filter(|version| **version >= least);
        let known: Vec<Version> = known.copied().collect();
        random.pick(&known).copied().unwrap_or(Version::NEWEST)
    }
}

/// Splits an instruction into its guard, opcode and operands.
fn parts(insn: &str) -> (&str, &str, &str) {
    let guard = match insn.strip_prefix('@') {
        Some(rest) => rest.find(' ').map_or(0, |at| at + 2),
        None => 0,
    };
    let (guard, rest) = insn.split_at(guard);
    let end = rest.find([' ', ';', '\t']).unwrap_or(rest.len());
    let (head, operands) = rest.split_at(end);
    (guard, head, operands)
}

/// Returns the lowest PTX version from which all releases of the assembler agree on a target.
fn least_version(target: &Target) -> Version {
    match target.sm {
        // Release 13.0 of the assembler supports the target from PTX 8.8, and later releases support the target only from PTX 9.0.
        88 => Version::new(9, 0),
        // Before PTX 2.3, addresses have 32 bits, and current assemblers reject such addresses in every module.
        _ => target.since.max(Version::new(2, 3)),
    }
}

/// Checks whether releases of the assembler disagree about the version and the target of the module, regardless of the other contents of
/// the module.
pub(super) fn is_disputed(case: &VerdictCase) -> bool {
    let name = case.target.split(',').next().unwrap_or("").trim();
    let target = TARGETS.iter().find(|target| target.name == name);
    let mut versions = Version::all();
    let version = versions.find(|version| version.to_string() == case.ptx_version);
    matches!((target, version), (Some(target), Some(version))
        if target.since <= version && version < least_version(target))
}

/// Splits a text at its last semicolon into the operands and the remainder.
fn split_operands(operands: &str) -> (&str, &str) {
    operands.split_at(operands.rfind(';').unwrap_or(operands.len()))
}

/// Returns the operands with one change: a different order, an added or removed operand, an operand in braces or brackets, or a sum in
/// place of an operand.
fn with_other_list(operands: &str, random: &mut SplitMix64) -> String {
    let (list, tail) = split_operands(operands);
    let mut parts: Vec<String> = operand_places(list)
        .into_iter()
        .filter_map(|place| Some(list.get(place)?.trim().to_owned()))
        .collect();
    let place = random.below(parts.len());
    let other = random.below(parts.len());
    let Some(part) = parts.get_mut(place) else {
        return operands.to_owned();
    };
    match random.below(7) {
        0 => parts.swap(place, other),
        1 => drop(parts.remove(place)),
        2 => {
            let twice = part.clone();
            parts.insert(other, twice);
        }
        3 => *part = format!("{{{part}}}"),
        4 => *part = format!("[{part}]"),
        5 => *part = format!("{part}+4"),
        _ => *part = part.trim_matches(['{', '}', '[', ']']).to_owned(),
    }
    format!(" {}{tail}", parts.join(", "))
}

/// Returns the operands with one replaced operand.
fn with_other_operand(operands: &str, random: &mut SplitMix64) -> String {
    let (list, tail) = split_operands(operands);
    let places = operand_places(list);
    let (Some(place), Some(other)) = (random.pick(&places), random.pick(OPERANDS)) else {
        return operands.to_owned();
    };
    let before = list.get(..place.start).unwrap_or("");
    let after = list.get(place.end..).unwrap_or("");
    format!("{before} {other}{after}{tail}")
}

/// Returns the byte ranges of the operands in a list. Commas within brackets do not separate operands.
fn operand_places(list: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut start = 0;
    let mut depth = 0_i32;
    for (at, letter) in list.char_indices() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                places.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    places.push(start..list.len());
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<VerdictCase> {
        let line = |insn: &str| {
            let row = serde_json::json!({"id": "", "family": "add", "ptx_version": "8.0", "target": "sm_90", "insn": insn, "accept": true});
            VerdictCase::parse(row.to_string()).expect("a case")
        };
        vec![
            line("@%p1 add.sat.s32 %r1, %r2, 1;"),
            line("ld.global.v2.u32 {%r1, %r2}, [%rd1];"),
        ]
    }

    #[test]
    fn instruction_is_split_into_guard_opcode_and_operands() {
        assert_eq!(
            parts("@!%p1 add.s32 %r1, 1;"),
            ("@!%p1 ", "add.s32", " %r1, 1;")
        );
        assert_eq!(parts("ret;"), ("", "ret", ";"));
    }

    #[test]
    fn mutation_is_deterministic_per_seed_and_changes_modules() {
        let cases = cases();
        let made = |seed| {
            let (material, mut random) = (MutationPool::of(&cases), SplitMix64::new(seed));
            let mutants = (0..200).map(|index| material.mutant(index, &mut random));
            mutants.map(|case| case.module()).collect::<Vec<_>>()
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
        let originals: Vec<String> = cases.iter().map(VerdictCase::module).collect();
        let n_other = made(1).iter().filter(|m| !originals.contains(m)).count();
        assert!(n_other > 150, "{n_other}");
    }

    #[test]
    fn target_with_release_dependent_verdict_is_disputed() {
        let case = |target: &str, version: &str| VerdictCase {
            target: target.to_owned(),
            ptx_version: version.to_owned(),
            ..VerdictCase::default()
        };
        assert!(is_disputed(&case("sm_88", "8.8")));
        assert!(!is_disputed(&case("sm_88", "9.0")));
        assert!(!is_disputed(&case("sm_90, texmode_independent", "8.0")));
    }

    #[test]
    fn bracketed_operands_are_replaced_as_unit() {
        let mut random = SplitMix64::new(3);
        for _ in 0..50 {
            let other = with_other_operand(" {%r1, %r2}, [%rd1];", &mut random);
            assert!(
                other.contains("{%r1, %r2},") || other.ends_with(", [%rd1];"),
                "{other}"
            );
        }
    }
}
